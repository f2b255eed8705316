#pragma once
// Ports, wires, and cuts of either.
//
// Requests and answers occupy the sender's port, the links between switches and the receiver's port
// one after the other, for as long as their bytes take (packets.h); a request occupies its sender's
// port for the gap between requests, if that is longer. The platform gives the wire's latency; a
// random jitter, drawn by the sender, lengthens each leg. What crosses a path that is down is lost,
// in either direction, and links may lose single packets (resending.h).
//
// When a packet arrives that met nothing on its way, it takes its place on the links between
// switches and at the receiver's port, and waits if they are busy. So packets come to them in
// order, though their senders' ports have let them go long before. These links begin at a switch,
// whose queue may have a limit. A packet beyond it is dropped, or the line before it pauses for as
// long as the packet would wait beyond the limit, and so holds up whatever its sender sends next,
// wherever that goes. An answer to a READ or an atomic then goes through the inbound pipeline of
// its requester's RNIC (nodes.h), which requests of others pass as well (responder.h).

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "backends/simgrid/line.h"
#include "backends/simgrid/packets.h"
#include "backends/simgrid/platform.h"
#include "backends/simgrid/station.h"
#include "core/base/random.h"

namespace latchlab::sim {

// Of the packets of a payload. The last one shows that an earlier one is missing.
enum class Dropped : std::uint8_t { nothing, before_last, last };

class Network : Station {
 public:
  // `client_link_latency` is added between two nodes that host clients.
  // `losses`: the packet loss of each node's link, by NodeId - 1.
  Network(SimContext& context, const Platform& platform, Duration client_link_latency,
          const SwitchQueueSpec& queue, const std::vector<const std::int64_t*>& losses);

  // Sends at `date`, or when the port is free. Returns when it arrives unless it has to wait on the
  // way. `chance` gives the jitter.
  Time depart(SimOperation& op, NodeId from, NodeId to, Time date, const Packets& sent,
              std::uint32_t chance);
  // Sends an answer, whose data is there `extra` after now.
  Time depart_answer(SimOperation& op, NodeId from, NodeId to, Duration extra, const Packets& sent,
                     std::uint32_t chance);
  // At the date at which it arrives: true if it has to wait on the way, and comes again later.
  bool request_waits(SimOperation& op) { return waits<Gate::arrive>(op); }
  bool answer_waits(SimOperation& op) { return waits<Gate::complete>(op); }
  // Sends the first packet of a long payload. Returns when the port takes it.
  Time depart_bulk(NodeId from, Time date);
  Time port_free(NodeId node) const { return ports_[node].out.free(); }
  // A request of any kind that has left reaches the responder's RNIC at this date, but not before
  // requests that left earlier on its QP. It enters the gate when it would leave an idle pipeline.
  void deliver(SimOperation& op, Time arrival);

  Duration wire(NodeId from, NodeId to) const;
  // Jitter of one leg: `chance` / 2^32 of the largest one.
  Duration jitter(NodeId sender, std::uint32_t chance) const {
    return jitter(ports_[sender], chance);
  }

  // How long a long payload to or from `there` occupies the port of `here`.
  Duration occupies(NodeId here, NodeId there, std::uint32_t bytes) const {
    return platform_.occupies(here, there, bytes);
  }
  // Counts a long payload, which has its own share of the ports, in their statistics.
  void carry_long(NodeId from, NodeId to, std::uint32_t bytes);
  void reset_stats();
  // How long the busier direction of the port has carried packets since reset_stats.
  Duration link_busy(NodeId node) const;

  // How long from now until the requester's CPU learns that the operation has failed.
  Duration until_heard(const SimOperation& op, VerbStatus status) const;

  // The port of `a` (with b = kNoNode) or the path between the two goes down, or comes back up.
  void set_link(NodeId a, NodeId b, bool up);
  bool cut(NodeId a, NodeId b) const { return cuts_ > 0 && path_down(a, b); }
  // Whether there was a cut so far, or links or switches may lose packets.
  bool has_failed() const { return has_failed_; }
  // Draws what the links between the two lose of so many bytes.
  Dropped drop(NodeId from, NodeId to, std::uint32_t bytes, Rng& chance) const {
    return lossy_ ? draw_drop(from, to, bytes, chance) : Dropped::nothing;
  }

 private:
  struct NodePort {
    SimNic* nic = nullptr;
    Line out, in;
    std::uint32_t cuts = 0;  // current cuts; the port is up when there are none
    std::int64_t loss_ppb = 0;
  };
  Duration with_client_link(Duration way, NodeId from, NodeId to) const;
  Duration way(const NodePort& sender, NodeId from, NodeId to, const Packets& sent,
               std::uint32_t chance) const;
  template <Gate gate>
  bool waits(SimOperation& op);
  Time take_in(const SimOperation& op, SimNic& nic);
  Time cross(SimOperation& op, NodeId from, NodeId to);
  std::optional<Time> enter(Line& line, Line& before, std::uint32_t bytes);
  Line& link(std::uint32_t number);
  Duration until_given_up(const SimOperation& op) const;
  bool path_down(NodeId a, NodeId b) const;
  Dropped draw_drop(NodeId from, NodeId to, std::uint32_t bytes, Rng& chance) const;
  static Duration jitter(const NodePort& sender, std::uint32_t chance) {
    const Wide most = static_cast<Wide>(sender.nic->model.jitter.ps) + 1;
    return {static_cast<std::int64_t>((most * chance) >> 32)};
  }

  const Platform& platform_;
  const SwitchQueueSpec queue_;
  const Duration client_link_latency_;
  PerNic<NodePort> ports_;
  std::deque<Line> links_;  // between switches, by number
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> cut_pairs_;  // lower node first
  std::uint32_t cuts_ = 0;                                                      // current ones
  bool has_failed_ = false;
  bool lossy_ = false;
};

}  // namespace latchlab::sim
