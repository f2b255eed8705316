#pragma once
// The offset of another machine's clock from ours, with its error bound, by Cristian's algorithm
// (Probabilistic clock synchronization, 1989): the other clock was read between our request and its
// answer, so the midpoint of the two is off by at most half the round trip, however unequal the two
// directions are. Drift after the comparison is not included.

#include <cstdint>
#include <string>

namespace latchlab::ib {

// CLOCK_MONOTONIC of this machine, in nanoseconds.
std::int64_t monotonic_ns();
// Equal for processes that share this clock: those of one kernel and one time namespace.
std::string clock_identity();

struct ClockOffset {
  std::int64_t ahead_ns = 0;  // the other clock minus ours
  std::int64_t error_ns = 0;  // at most
};

class ClockProbe {
 public:
  // One exchange: sent at `sent` and answered at `heard` by our clock; the other clock showed
  // `told`.
  void round_trip(std::int64_t sent_ns, std::int64_t told_ns, std::int64_t heard_ns) {
    const std::int64_t error = (heard_ns - sent_ns + 1) / 2;
    if (heard_ns < sent_ns || (trips_++ > 0 && error >= best_.error_ns)) return;
    best_ = {told_ns - (sent_ns + (heard_ns - sent_ns) / 2), error};
  }
  // The offset by the shortest round trip. At least one has been reported.
  ClockOffset best() const { return best_; }
  std::uint32_t trips() const { return trips_; }

 private:
  ClockOffset best_;
  std::uint32_t trips_ = 0;
};

}  // namespace latchlab::ib
