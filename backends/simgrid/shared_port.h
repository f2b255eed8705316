#pragma once
// One direction of a port whose rate long payloads share equally: each of n payloads moves at 1/n
// of the rate. Kept in virtual time, which advances at 1/n of real time: a payload is through when
// virtual time has advanced by its length, whichever payloads come and go meanwhile. So an arrival
// or an end costs O(log n). All arithmetic is in integers.

#include <cstdint>
#include <set>

#include "core/base/time.h"

namespace latchlab::sim {

struct SimOperation;

class SharedPort {
 public:
  // `length`: how long the payload takes alone.
  void add(Time now, Duration length, SimOperation* payload);
  void remove(Time now, const SimOperation* payload);  // if it is still in the port
  // Takes a payload that is through by now off the port; nullptr: there is none.
  SimOperation* take_done(Time now);
  // When the next one is through if no payload comes or goes; kNever: the port is idle.
  Time next_done() const;

  Time timer_at = kNever;  // date of the pending event for the next end

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
