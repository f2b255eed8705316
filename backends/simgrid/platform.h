#pragma once
// The SimGrid side: hosts, routes, flows, and the pump, which moves SimGrid's clock along with the
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
  look_ahead,  // handles own events up to SimGrid's next date without a round of SimGrid
  every_date,  // one round of SimGrid for each date: slow, a cross-check of look_ahead
};

// The source of the events that the pump runs.
class EventSource {
 public:
  virtual ~EventSource() = default;
  virtual bool has_next() = 0;              // false: nothing to do before the run's end
  virtual std::int64_t next_ps() = 0;       // date of the next event
  virtual std::int64_t end_ps() const = 0;  // events run up to this date; -1: the run is over
  // Whether the next event starts or cancels a flow, so that SimGrid's clock has to be at its date.
  virtual bool next_touches_flows() = 0;
  // Handles events with a date <= limit_ps, including new ones, but stops before one that touches
  // flows later than clock_ps. After one that touches flows, continues up to clock_ps only.
  virtual void drain(std::int64_t limit_ps, std::int64_t clock_ps) = 0;
  // A flow has ended at this date, which is not before any event handled so far.
  virtual void flow_done(void* who, std::int64_t date_ps) = 0;
};

// The network port of a node's RNIC. Nodes with the same host share one.
struct Port {
  std::uint32_t host = 0;  // from 0
  Duration one_way;        // of its NIC model: from one such RNIC to another
  Duration loopback;       // the same from an RNIC to itself
  std::int64_t bits_per_s = 0;
  std::int64_t measured_bits_per_s = 0;  // at which `one_way` was measured
};
Port port_of(std::uint32_t host, const NicModel& nic);

constexpr std::int64_t femtoseconds_per_byte(std::int64_t bits_per_s) {
  constexpr std::int64_t kFemtosecondBits = 8'000'000'000'000'000;
  return (kFemtosecondBits + bits_per_s / 2) / bits_per_s;
}

struct Route {
  Duration latency;
  std::int64_t femtoseconds_per_byte = 0;         // of the slowest link
  std::int64_t sender_femtoseconds_per_byte = 0;  // while a long payload occupies the sender's port
  std::int64_t measured_femtoseconds_per_byte = 0;  // included in the latency of a short packet
  std::vector<std::uint32_t> links;                 // between the two ports, numbered from 0
};

class Platform {
 public:
  // `ports`: the port of each node, by NodeId - 1; host h is host h of the topology
  // (core/scenario/topology.h). One Platform per process, because SimGrid allows one engine. An
  // invalid topology ends the process, so a file from a user goes through platform_hosts() first.
  Platform(std::vector<Port> ports, std::int64_t fabric_bits_per_s, const TopologySpec& topology,
           PumpMode mode);
  ~Platform();

  // Half of each RNIC's one-way latency, plus the latency of the route beyond one switch. Between a
  // node and itself or a node on the same port: the loopback latency. A table look-up.
  Duration one_way(NodeId from, NodeId to) const {
    return from == to ? ports_[from.value - 1u].loopback : route(from, to).latency;
  }
  // The way between two ports. Valid until the next call for other nodes.
  const Route& route(NodeId from, NodeId to) const {
    if (cache_.empty()) return uniform_;
    const std::uint32_t pair = (std::uint32_t{from.value} << 16) | to.value;
    Cached& entry = cache_[place_of(pair)];
    if (entry.pair != pair) entry = {pair, find_route(from, to)};
    return entry.route;
  }
  // Whether all ports meet at one switch, so that no route has links between them.
  bool one_switch() const { return one_switch_; }
  // The rate of a link of a route.
  std::int64_t link_femtoseconds_per_byte(std::uint32_t link) const;

  // How long a long payload of `bytes` to or from `there` occupies the port of `here`: at its own
  // rate, or at that of the network between the two ports if that is slower than both.
  Duration occupies(NodeId here, NodeId there, std::uint32_t bytes) const {
    if (here == there) return {};
    return Duration{route(here, there).sender_femtoseconds_per_byte * bytes / 1000};
  }

  // Flows of SimGrid, identified by `who`. Only while the source handles an event that touches
  // flows.
  void start_flow(NodeId from, NodeId to, std::uint64_t bytes, void* who);
  void cancel_flow(void* who);  // flow_done is not called for it

  // Runs until the source has no events left.
  void run(EventSource& source);
  std::uint64_t rounds() const;  // of SimGrid's kernel so far

 private:
  struct Impl;
  struct Cached {
    std::uint32_t pair = 0;  // from and to; 0 is no pair, because nodes count from 1
    Route route;
  };

  // Up to kDenseNodes each pair has its own entry; with more nodes, pairs share entries.
  std::size_t place_of(std::uint32_t pair) const {
    if (dense_nodes_ != 0)
      return ((pair >> 16) - 1) * std::size_t{dense_nodes_} + (pair & 0xffff) - 1;
    return (pair * 0x9e3779b1u) >> (32 - kSharedPlacesLog2);
  }
  Route find_route(NodeId from, NodeId to) const;

  static constexpr std::uint32_t kDenseNodes = 512;
  static constexpr int kSharedPlacesLog2 = 18;

  std::vector<Port> ports_;
  Route uniform_;  // for a star of equal ports, where all routes are equal
  bool one_switch_ = false;
  std::uint32_t dense_nodes_ = 0;
  mutable std::vector<Cached> cache_;  // empty if uniform_ holds for all pairs
  std::unique_ptr<Impl> impl_;
};

}  // namespace latchlab::sim
