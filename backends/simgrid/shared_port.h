#pragma once
// One direction of a port that long payloads share equally: each of n moves at 1/n of the rate.
// Kept in virtual time, which advances at 1/n of real time: a payload is through when virtual time
// has advanced by its length, whoever comes and goes meanwhile. So an arrival or an end costs
// O(log n). All integers.

#include <cstdint>
#include <set>

#include "core/base/time.h"

namespace latchlab::sim {

struct SimOperation;

class SharedPort {
 public:
  // `length`: how long the payload would take alone.
  void add(Time now, Duration length, SimOperation* payload);
  void remove(Time now, const SimOperation* payload);  // if it is still here
  // A payload that is through by now; nullptr: none (is left).
  SimOperation* take_done(Time now);
  // When the next one will be through if nobody comes or goes; kNever: the port is idle.
  Time next_done() const;

  Time timer_at = kNever;  // of the event that looks after the next end

 private:
  struct Share {
    std::int64_t end;  // in virtual time
    std::uint64_t sequence;
    SimOperation* payload;
    bool operator<(const Share& other) const {
      return end != other.end ? end < other.end : sequence < other.sequence;
    }
  };
  void advance(Time now);

  std::set<Share> shares_;
  std::int64_t virtual_ = 0;  // in 1/64 ps; 0 whenever the port is idle
  Time reached_;              // the real date of virtual_
  std::uint64_t sequence_ = 0;
};

}  // namespace latchlab::sim
