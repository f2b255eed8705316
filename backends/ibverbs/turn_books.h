#pragma once
// What a thread that polls does with its time, from the dates at which its turns begin, which it
// takes anyway: a look at the clock costs as much as a turn without work.

#include <algorithm>
#include <cstdint>

#include "core/base/time.h"

namespace latchlab::ib {

enum class Turn : std::uint8_t {
  idle,     // looked for something, and found nothing
  busy,     // did something
  offered,  // found nothing, and offered its core to others
  asleep,   // slept with nobody to serve
};

class TurnBooks {
 public:
  // Nothing before `now` counts; the turn under way counts from here.
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
  // In turns that did something, and in those in which others took the core: not polling in vain.
  Duration busy() const { return busy_; }
  // From one look for work to the next, whatever came between: work, others on the core, a pause of
  // the machine.
  Duration longest() const { return longest_; }

  TurnBooks() = default;

 private:
  static constexpr Duration kNobodyElse = microseconds(5);  // an offer that nobody takes: less

  explicit TurnBooks(Time now) : opened_(now), began_(now) {}

  Time opened_, began_;
  Duration busy_, longest_;
};

}  // namespace latchlab::ib
