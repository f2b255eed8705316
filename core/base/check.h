#pragma once
// Invariants of ours, on in every build. A broken one prints what a developer needs to see it
// again (scenario, seed, client, time, replay command) and aborts. User errors never end here.

#include <cstdint>
#include <string>
#include <string_view>

namespace latchlab {

// What the process is doing; filled in by whoever knows, printed when an invariant breaks.
struct CheckContext {
  std::string scenario;        // file or name; empty when not running one
  std::string replay_command;  // what to type to see the failure again
  std::uint64_t seed = 0;
  std::int64_t client = -1;   // -1: no client was running
  std::int64_t time_ps = -1;  // -1: no clock yet
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
