#pragma once
// The SimGrid side: platform, routes, and the pump that moves SimGrid's clock along with the
// simulator's own events. The only header of this backend that hides SimGrid completely.

#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/scenario/nic.h"

namespace latchlab::sim {

enum class PumpMode : std::uint8_t {
  look_ahead,  // own events up to SimGrid's next date are handled without a round of SimGrid
  every_date,  // one round of SimGrid per date: slow, the cross-check
};

// Whose events the pump drives.
class EventSource {
 public:
  virtual ~EventSource() = default;
  virtual bool has_next() const = 0;         // false: nothing to do before the run's end
  virtual std::int64_t next_ps() const = 0;  // date of the next event
  // Handles every event with a date <= limit_ps, including those that appear on the way.
  virtual void drain(std::int64_t limit_ps) = 0;
};

class Platform {
 public:
  // A star: `nodes` hosts, one switch; each route has the NIC's one-way latency and its bandwidth.
  // One Platform per process (SimGrid allows one engine).
  Platform(std::uint32_t nodes, const NicModel& nic, PumpMode mode);
  ~Platform();

  Duration one_way(NodeId from, NodeId to) const;
  // Time that `bytes` occupy the slowest link of the route.
  Duration transfer(NodeId from, NodeId to, std::uint32_t bytes) const;

  // Runs SimGrid until the source has nothing left.
  void run(EventSource& source);
  std::uint64_t rounds() const;  // of SimGrid's kernel so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace latchlab::sim
