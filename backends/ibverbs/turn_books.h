#pragma once
// How a polling thread spends its time, computed from the dates at which its turns begin. The
// thread reads these anyway; reading the clock costs as much as a turn without work.

#include <algorithm>
#include <cstdint>

#include "core/base/time.h"

namespace latchlab::ib {

enum class Turn : std::uint8_t {
  idle,     // polled, and found nothing
  busy,     // found work and did it
  offered,  // found nothing, and yielded its core
  asleep,   // slept, with no client to serve
};

class TurnBooks {
 public:
  // Restarts the statistics at `now`; the current turn counts from here.
  void open(Time now) { *this = TurnBooks(now); }
  // A turn is over, and the next one begins.
  void turn_over(Time now, Turn kind) {
    const Duration length = now - began_;
    began_ = now;
    const bool taken = kind == Turn::offered && length > kNobodyElse;
    if (kind == Turn::busy || taken) busy_ += length;
    if (kind != Turn::asleep) longest_ = std::max(longest_, length);
  }

  Duration watched() const { return began_ - opened_; }
  // Time in turns with work, and in turns in which another thread took the core: all but idle
  // polling.
  Duration busy() const { return busy_; }
  // The longest time between two polls, for whatever reason (work, another thread on the core, a
  // stall of the machine); sleeps do not count.
  Duration longest() const { return longest_; }

  TurnBooks() = default;

 private:
  // A yield that no other thread takes is shorter.
  static constexpr Duration kNobodyElse = microseconds(5);

  explicit TurnBooks(Time now) : opened_(now), began_(now) {}

  Time opened_, began_;
  Duration busy_, longest_;
};

}  // namespace latchlab::ib
