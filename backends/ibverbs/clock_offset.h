#pragma once
// How far the clock of another machine is from ours, and how wrong that may be, by Cristian's
// bound (Probabilistic clock synchronization, 1989): it was read between our question and its
// answer, so that the middle of the two is off by half the round trip at most, however unequal its
// two ways are. Clocks that drift add what they drift until they are compared.

#include <cstdint>
#include <string>

namespace latchlab::ib {

// Nanoseconds of the machine's monotonic clock.
std::int64_t monotonic_ns();
// Equal for processes that have it in common: of one kernel, and one time namespace there.
std::string clock_identity();

struct ClockOffset {
  std::int64_t ahead_ns = 0;  // the other one's clock less ours
  std::int64_t error_ns = 0;  // at most
};

class ClockProbe {
 public:
  // We asked at `sent` and had the answer at `heard`, by our clock; the other one's said `told`.
  void round_trip(std::int64_t sent_ns, std::int64_t told_ns, std::int64_t heard_ns) {
    const std::int64_t error = (heard_ns - sent_ns + 1) / 2;
    if (heard_ns < sent_ns || (trips_++ > 0 && error >= best_.error_ns)) return;
    best_ = {told_ns - (sent_ns + (heard_ns - sent_ns) / 2), error};
  }
  // By the shortest of them; there was one.
  ClockOffset best() const { return best_; }
  std::uint32_t trips() const { return trips_; }

 private:
  ClockOffset best_;
  std::uint32_t trips_ = 0;
};

}  // namespace latchlab::ib
