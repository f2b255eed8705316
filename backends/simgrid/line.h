#pragma once
// One direction of a port, or of a link between switches: it carries one packet after the other.

#include <algorithm>
#include <cstdint>

#include "core/base/random.h"
#include "core/base/time.h"

namespace latchlab::sim {

// Packets may come to it not quite in the order of their dates. One that is earlier than the latest
// so far waits only for what would have been ahead of it at its own date: what is known to come
// later delays nothing. All packets together take no less time for that.
class Line {
 public:
  Line() = default;
  // `queue_bytes`: of the queue in front of it; 0: without limit.
  explicit Line(std::int64_t femtoseconds_per_byte, std::int64_t queue_bytes = 0)
      : rate_(femtoseconds_per_byte) {
    if (queue_bytes > 0)
      longest_wait_ = {static_cast<std::int64_t>(static_cast<Wide>(rate_) *
                                                 static_cast<Wide>(queue_bytes) / 1000)};
  }

  Duration takes(std::uint32_t bytes) const { return {rate_ * bytes / 1000}; }
  // Whether nothing is on it, or on its way to it, at `date`.
  bool idle(Time date) const { return date >= free_; }

  // How long a packet that comes at `date` waits.
  Duration wait(Time date) const {
    const Duration wait = date < latest_ ? (free_ - latest_) - (latest_ - date) : free_ - date;
    return std::max(wait, Duration{});
  }
  // A packet of `carried` comes at `date` and occupies the line for `busy`, which is `carried` or
  // more. Returns when it begins to leave.
  [[gnu::always_inline]] Time pass(Time date, Duration busy, Duration carried) {
    carry(date, carried);
    if (idle(date)) {
      latest_ = date;
      free_ = date + busy;
      return date;
    }
    const Time begins = date + wait(date);
    latest_ = std::max(latest_, date);
    free_ = std::max(free_, latest_) + busy;
    return begins;
  }
  Time pass(Time date, Duration busy) { return pass(date, busy, busy); }
  // How long a packet waits when the queue is full.
  Duration longest_wait() const { return longest_wait_; }
  // The line carries nothing until that date.
  void pause(Time until) { free_ = std::max(free_, until); }
  // When all packets so far have left.
  Time free() const { return free_; }

  // Statistics: the time that it carries packets, without gaps and pauses, since reset_stats.
  void carry(Time date, Duration carried) {
    carried_ += carried;
    carries_until_ = std::max(carries_until_, date) + carried;
  }
  void reset_stats(Time now) { carried_ = ahead(now); }
  Duration carried(Time now) const { return std::max(carried_ - ahead(now), Duration{}); }

 private:
  Duration ahead(Time now) const { return std::max(carries_until_, now) - now; }

  std::int64_t rate_ = 0;
  Duration longest_wait_ = kForever;
  Time latest_;
  Time free_;
  Time carries_until_;
  Duration carried_;
};

}  // namespace latchlab::sim
