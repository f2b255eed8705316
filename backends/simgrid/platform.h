#pragma once
// The SimGrid side: hosts, routes, flows, and the pump that moves SimGrid's clock along with the
// simulator's own events. SimGrid's types stay in .cc files.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/scenario/nic.h"
#include "core/scenario/topology.h"

namespace latchlab::sim {

enum class PumpMode : std::uint8_t {
  look_ahead,  // own events up to SimGrid's next date are handled without a round of SimGrid
  every_date,  // one round of SimGrid per date: slow, the cross-check
};

// Whose events the pump drives.
class EventSource {
 public:
  virtual ~EventSource() = default;
  virtual bool has_next() = 0;              // false: nothing to do before the run's end
  virtual std::int64_t next_ps() = 0;       // date of the next event
  virtual std::int64_t end_ps() const = 0;  // nothing later matters; -1: the run is over
  // The next event starts or cancels a flow, so SimGrid's clock has to be at its date.
  virtual bool next_touches_flows() = 0;
  // Handles events with a date <= limit_ps, also those that appear on the way, but stops before one
  // that touches flows later than clock_ps. After one that did, goes no further than clock_ps.
  virtual void drain(std::int64_t limit_ps, std::int64_t clock_ps) = 0;
  // A flow has ended at this date, which is not before any event handled so far.
  virtual void flow_done(void* who, std::int64_t date_ps) = 0;
};

// What the RNIC of a node brings to the network. Nodes with the same host share their port.
struct Port {
  std::uint32_t host = 0;  // from 0
  Duration one_way;        // of its model: from one such RNIC to another
  Duration loopback;       // ... and to itself
  std::int64_t bits_per_s = 0;
};
Port port_of(std::uint32_t host, const NicModel& nic);

struct Route {
  Duration latency;
  std::int64_t femtoseconds_per_byte = 0;         // of its slowest link
  std::int64_t sender_femtoseconds_per_byte = 0;  // for which the sender's port is taken
};

class Platform {
 public:
  // The port of each node, by NodeId - 1; host h is host h of the topology
  // (core/scenario/topology.h). One Platform per process: SimGrid allows one engine. What is wrong
  // with the topology ends the process; a file that may be wrong goes through check() first.
  Platform(std::vector<Port> ports, std::int64_t fabric_bits_per_s, const TopologySpec& topology,
           PumpMode mode);
  ~Platform();

  // Builds the platform in a child process and looks at its routes: a message for people when
  // SimGrid refuses it, when hosts are too few, or when two of them are not connected. Routes
  // between all pairs up to 1,024 nodes; beyond, to and from 512 of them.
  static Status check(std::uint32_t nodes, const NicModel& nic, const TopologySpec& topology);

  // Half of each RNIC's one way, and what the route has beyond one switch; at home, and between
  // nodes that share a port, the loopback. A table look-up.
  Duration one_way(NodeId from, NodeId to) const {
    return from == to ? ports_[from.value - 1u].loopback : route(from, to).latency;
  }
  // Time that `bytes` occupy the slowest link of the route; none without a wire.
  Duration transfer(NodeId from, NodeId to, std::uint32_t bytes) const {
    return from == to ? Duration{} : Duration{route(from, to).femtoseconds_per_byte * bytes / 1000};
  }

  // Time that the port of `here` is taken for `bytes` to or from `there`: its own rate counts, or
  // that of the network between the two ports if it is slower than both.
  Duration occupies(NodeId here, NodeId there, std::uint32_t bytes) const {
    if (here == there) return {};
    return Duration{route(here, there).sender_femtoseconds_per_byte * bytes / 1000};
  }

  // Flows of SimGrid, known by `who`. Only while the source handles an event that touches flows.
  void start_flow(NodeId from, NodeId to, std::uint64_t bytes, void* who);
  void cancel_flow(void* who);  // it is not heard of any more

  // Runs until the source has nothing left.
  void run(EventSource& source);
  std::uint64_t rounds() const;  // of SimGrid's kernel so far

 private:
  struct Impl;
  struct Cached {
    std::uint32_t pair = 0;  // from and to; no node has number 0
    Route route;
  };

  const Route& route(NodeId from, NodeId to) const {
    if (cache_.empty()) return uniform_;
    const std::uint32_t pair = (std::uint32_t{from.value} << 16) | to.value;
    Cached& entry = cache_[place_of(pair)];
    if (entry.pair != pair) entry = {pair, find_route(from, to)};
    return entry.route;
  }
  // Up to kDenseNodes each pair has its own place; beyond, pairs share places.
  std::size_t place_of(std::uint32_t pair) const {
    if (dense_nodes_ != 0)
      return ((pair >> 16) - 1) * std::size_t{dense_nodes_} + (pair & 0xffff) - 1;
    return (pair * 0x9e3779b1u) >> (32 - kSharedPlacesLog2);
  }
  Route find_route(NodeId from, NodeId to) const;

  static constexpr std::uint32_t kDenseNodes = 512;
  static constexpr int kSharedPlacesLog2 = 18;

  std::vector<Port> ports_;
  Route uniform_;  // of a star of equal ports: all routes are equal
  std::uint32_t dense_nodes_ = 0;
  mutable std::vector<Cached> cache_;  // empty where uniform_ counts
  std::unique_ptr<Impl> impl_;
};

}  // namespace latchlab::sim
