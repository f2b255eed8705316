#pragma once
// Waiting in the launch layer: every wait has an end and checks for requests to stop.

#include <chrono>
#include <functional>

namespace latchlab::launch {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// For waits that only the peer ends, by an answer or by the end of its connection.
inline constexpr Deadline kNever = Deadline::max();

inline Deadline within(std::chrono::milliseconds span) {
  return Clock::now() + span;
}

// True after the user has asked to stop; checked at least every kTick during waits. May be empty.
// Reading a flag that a signal handler sets is sufficient.
using StopRequested = std::function<bool()>;
inline constexpr std::chrono::milliseconds kTick{50};

inline bool is_stopped(const StopRequested& stop) {
  return stop && stop();
}

// The timeout for one poll(2): until the deadline, but at most one tick.
inline int poll_timeout_ms(Deadline deadline) {
  const auto now = Clock::now();
  if (deadline <= now) return 0;
  if (deadline - now >= kTick) return static_cast<int>(kTick.count());
  // Rounded up: rounding down would spin through the last millisecond.
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count());
}

}  // namespace latchlab::launch
