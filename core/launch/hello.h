#pragma once
// The first message of a member, and the coordinator's checks of it.

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace latchlab::launch {

struct Hello {
  std::string program;  // version and build: equal in all processes of a run
  std::string host;
  std::int64_t pid = 0;
  std::optional<std::uint32_t> rank;  // the requested rank; nullopt: any
  std::string facts;                  // about its machine, for the caller; not interpreted here
};

// JSON text.
std::string write_hello(const Hello& hello);

// Parses a hello; the error says why it is refused: no latchlab node, or another wire version.
Result<Hello> read_hello(const std::string& text);

// Refuses another build of the program.
Status examine(const Hello& hello, const std::string& program);

}  // namespace latchlab::launch
