#pragma once
// What a member says first, and what the coordinator thinks of it.

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace latchlab::launch {

struct Hello {
  std::string program;  // version and build: equal in all processes of a run
  std::string host;
  std::int64_t pid = 0;
  std::optional<std::uint32_t> rank;  // the rank it asks for; nullopt: any
  std::string facts;                  // about its machine, for the caller; not looked into
};

// JSON text.
std::string write_hello(const Hello& hello);

// What a hello says, if it comes from a latchlab node of this wire version; else why it is refused.
Result<Hello> read_hello(const std::string& text);

// Refuses another build of the program.
Status examine(const Hello& hello, const std::string& program);

}  // namespace latchlab::launch
