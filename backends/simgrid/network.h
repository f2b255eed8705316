#pragma once
// Outbound ports, wires, and the cuts of either. On the way there:
//
//   post -> (place at the QP) -> outbound port -> wire -> ...
//
// The port is busy for the gap between requests, or as long as the bytes take. The wire's latency
// comes from the platform; a little jitter lengthens each leg, by the chance that whoever posted it
// has drawn for it. What crosses a path that is down is lost, in either direction: resending.h.

#include <cstdint>
#include <map>
#include <utility>

#include "backends/simgrid/nodes.h"
#include "backends/simgrid/platform.h"
#include "backends/simgrid/sim_operation.h"
#include "core/base/random.h"

namespace latchlab::sim {

// Bytes up to here cost no latency of their own: it is part of the wire's.
inline constexpr std::uint32_t kSmallBytes = 64;

class Network {
 public:
  // `client_link_latency` is added between nodes of clients.
  Network(const Nodes& nodes, const Platform& platform, Duration client_link_latency)
      : nodes_(nodes),
        platform_(platform),
        client_link_latency_(client_link_latency),
        ports_(nodes) {
    for (const SimNode& node : nodes.all()) ports_[node.id].nic = node.nic;
  }

  // What leaves at `date` or when the port is free; when it arrives. `chance` is its jitter.
  Time depart(NodeId from, NodeId to, Time date, std::uint32_t bytes, std::uint32_t chance);
  // An answer of that many bytes, without the wire that is still before it.
  Time depart_answer(NodeId from, NodeId to, Time date, std::uint32_t bytes);
  // The first packet of a long payload; when it has its turn.
  Time depart_bulk(NodeId from, Time date);
  Time port_free(NodeId node) const { return ports_[node].free; }

  Duration wire(NodeId from, NodeId to) const;
  // Of a leg; `chance` of 2^32 is all of it.
  Duration jitter(NodeId sender, std::uint32_t chance) const {
    return jitter(ports_[sender], chance);
  }

  // How long from now on the sender of what a failed node does not take tries to reach it: until
  // its NIC gives up, or it is told.
  Duration until_given_up(const SimOperation& op, Duration patience, Time now) const;

  // The port of `a` (with b = kNoNode), or the path between the two, goes down or comes back.
  void set_link(NodeId a, NodeId b, bool up);
  bool cut(NodeId a, NodeId b) const { return cuts_ > 0 && path_down(a, b); }
  bool has_failed() const { return has_failed_; }  // there has been a cut

 private:
  struct OutboundPort {
    const SimNic* nic = nullptr;
    Time free;
    std::uint32_t cuts = 0;  // it is down while there are any
  };
  bool path_down(NodeId a, NodeId b) const;
  static Duration jitter(const OutboundPort& sender, std::uint32_t chance) {
    const Wide most = static_cast<Wide>(sender.nic->model.jitter.ps) + 1;
    return {static_cast<std::int64_t>((most * chance) >> 32)};
  }

  const Nodes& nodes_;
  const Platform& platform_;
  const Duration client_link_latency_;
  PerNic<OutboundPort> ports_;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> cut_pairs_;  // lower node first
  std::uint32_t cuts_ = 0;                                                      // now
  bool has_failed_ = false;
};

}  // namespace latchlab::sim
