#pragma once
// Internal invariants, checked in every build. If one fails, the program prints what is needed to
// reproduce it (scenario, seed, client, time, replay command) and aborts. User errors are never
// reported this way.

#include <cstdint>
#include <string>
#include <string_view>

namespace latchlab {

// What the process is doing. The code that starts it fills this in; a failed invariant prints it.
struct CheckContext {
  std::string scenario;        // file or name; empty when not running one
  std::string replay_command;  // reproduces the failure
  std::uint64_t seed = 0;
  std::int64_t client = -1;   // -1: no client was running
  std::int64_t time_ps = -1;  // -1: there is no clock yet
};
CheckContext& check_context();

[[noreturn]] void check_failed(std::string_view condition, std::string_view file, int line,
                               std::string_view message);

}  // namespace latchlab

#define LATCHLAB_CHECK(condition, message)                                 \
  do {                                                                     \
    if (!(condition)) [[unlikely]]                                         \
      ::latchlab::check_failed(#condition, __FILE__, __LINE__, (message)); \
  } while (false)
