#pragma once
// Outbound ports, wires, and cuts of either. The path of a request:
//
//   post -> (place at the QP) -> outbound port -> wire -> ...
//
// A request occupies the port for the gap between requests, or for as long as its bytes take if
// that is longer. The platform gives the wire's latency; a random jitter, drawn by the sender,
// lengthens each leg. What crosses a path that is down is lost, in either direction (resending.h).

#include <cstdint>
#include <map>
#include <utility>

#include "backends/simgrid/nodes.h"
#include "backends/simgrid/platform.h"
#include "backends/simgrid/sim_operation.h"
#include "core/base/random.h"

namespace latchlab::sim {

// The wire's latency covers this many bytes.
inline constexpr std::uint32_t kSmallBytes = 64;

class Network {
 public:
  // `client_link_latency` is added between two nodes that host clients.
  Network(const Nodes& nodes, const Platform& platform, Duration client_link_latency)
      : nodes_(nodes),
        platform_(platform),
        client_link_latency_(client_link_latency),
        ports_(nodes) {
    for (const SimNode& node : nodes.all()) ports_[node.id].nic = node.nic;
  }

  // Sends at `date`, or when the port is free. Returns when it arrives. `chance` gives its jitter.
  Time depart(NodeId from, NodeId to, Time date, std::uint32_t bytes, std::uint32_t chance);
  // Sends an answer of that many bytes. Returns when it reaches the wire, whose latency is not
  // included.
  Time depart_answer(NodeId from, NodeId to, Time date, std::uint32_t bytes);
  // Sends the first packet of a long payload. Returns when the port takes it.
  Time depart_bulk(NodeId from, Time date);
  Time port_free(NodeId node) const { return ports_[node].free; }

  Duration wire(NodeId from, NodeId to) const;
  // Jitter of one leg: `chance` / 2^32 of the largest one.
  Duration jitter(NodeId sender, std::uint32_t chance) const {
    return jitter(ports_[sender], chance);
  }

  // How long from now until the sender of a verb to a failed node learns of the failure: when its
  // NIC gives up or, if that is earlier, when the clients are told.
  Duration until_given_up(const SimOperation& op, Duration patience, Time now) const;

  // The port of `a` (with b = kNoNode) or the path between the two goes down, or comes back up.
  void set_link(NodeId a, NodeId b, bool up);
  bool cut(NodeId a, NodeId b) const { return cuts_ > 0 && path_down(a, b); }
  bool has_failed() const { return has_failed_; }  // whether there was a cut so far

 private:
  struct OutboundPort {
    const SimNic* nic = nullptr;
    Time free;
    std::uint32_t cuts = 0;  // current cuts; the port is up when there are none
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
  std::uint32_t cuts_ = 0;                                                      // current ones
  bool has_failed_ = false;
};

}  // namespace latchlab::sim
