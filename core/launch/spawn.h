#pragma once
// Starts one node process on this machine; local_members.h describes its lifetime.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/socket.h"

namespace latchlab::launch {

struct SpawnOptions {
  std::vector<std::string> argv;
  std::string token;
  std::uint32_t rank = 0;
  bool inherit_output = false;
};

struct Spawned {
  int pid = -1;       // also its process group
  Descriptor output;  // stdout and stderr, non-blocking; closed: inherited
};

// Returns after exec has succeeded; the error says why the program could not be started.
Result<Spawned> spawn(const SpawnOptions& options);

}  // namespace latchlab::launch
