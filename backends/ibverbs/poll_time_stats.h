#pragma once
// How a polling thread spends its time, computed from the times at which its polls begin. The
// thread reads these anyway; reading the clock costs as much as a poll without work.

#include <algorithm>
#include <cstdint>

#include "core/base/time.h"

namespace latchlab::ib {

enum class PollKind : std::uint8_t {
  idle,     // polled, and found nothing
  busy,     // found work and did it
  yielded,  // found nothing, and yielded its core
  asleep,   // slept, with no client to serve
};

class PollTimeStats {
 public:
  // Restarts the statistics at `now`; the current poll counts from here.
  void restart(Time now) { *this = PollTimeStats(now); }
  // A poll is over, and the next one begins.
  void polled(Time now, PollKind kind) {
    const Duration length = now - began_;
    began_ = now;
    const bool taken = kind == PollKind::yielded && length > kUntakenYield;
    if (kind == PollKind::busy || taken) busy_ += length;
    if (kind != PollKind::asleep) longest_ = std::max(longest_, length);
  }

  Duration watched() const { return began_ - since_; }
  // Time in polls with work, and in polls during which another thread took the core: all but idle
  // polling.
  Duration busy() const { return busy_; }
  // The longest time between two polls, for whatever reason (work, another thread on the core, a
  // stall of the machine); sleeps do not count.
  Duration longest() const { return longest_; }

  PollTimeStats() = default;

 private:
  // A yield that no other thread takes is shorter.
  static constexpr Duration kUntakenYield = microseconds(5);

  explicit PollTimeStats(Time now) : since_(now), began_(now) {}

  Time since_, began_;
  Duration busy_, longest_;
};

}  // namespace latchlab::ib
