#pragma once
// Starting one node process on this machine; see local_members.h for what it lives by.

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
  Descriptor output;  // non-blocking; what it writes to stdout and stderr; closed: inherited
};

// Error: why the program could not be started, found out before this returns.
Result<Spawned> spawn(const SpawnOptions& options);

}  // namespace latchlab::launch
