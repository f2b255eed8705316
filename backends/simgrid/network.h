#pragma once
// Outbound ports, wires, and cuts of either.
//
// A request occupies the port for the gap between requests, or for as long as its bytes take if
// that is longer. The platform gives the wire's latency; a random jitter, drawn by the sender,
// lengthens each leg. What crosses a path that is down is lost, in either direction, and links may
// lose single packets (resending.h).

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "backends/simgrid/platform.h"
#include "backends/simgrid/station.h"
#include "core/base/random.h"

namespace latchlab::sim {

// The wire's latency covers this many bytes.
inline constexpr std::uint32_t kSmallBytes = 64;

// Of the packets of a payload. The last one shows that an earlier one is missing.
enum class Dropped : std::uint8_t { nothing, before_last, last };

class Network : Station {
 public:
  // `client_link_latency` is added between two nodes that host clients.
  // `losses`: the packet loss of each node's link, by NodeId - 1.
  Network(SimContext& context, const Platform& platform, Duration client_link_latency,
          const std::vector<const std::int64_t*>& losses);

  // Sends at `date`, or when the port is free. Returns when it arrives. `chance` gives its jitter.
  Time depart(NodeId from, NodeId to, Time date, std::uint32_t bytes, std::uint32_t chance);
  // Sends an answer of that many bytes. Returns when it reaches the wire, whose latency is not
  // included.
  Time depart_answer(NodeId from, NodeId to, Time date, std::uint32_t bytes);
  // Sends the first packet of a long payload. Returns when the port takes it.
  Time depart_bulk(NodeId from, Time date);
  Time port_free(NodeId node) const { return ports_[node].free; }
  // A request of any kind that has left reaches the responder's RNIC at this date, but not before
  // requests that left earlier on its QP. It enters the gate when it would leave an idle pipeline.
  void deliver(SimOperation& op, Time arrival);

  Duration wire(NodeId from, NodeId to) const;
  // Jitter of one leg: `chance` / 2^32 of the largest one.
  Duration jitter(NodeId sender, std::uint32_t chance) const {
    return jitter(ports_[sender], chance);
  }

  // How long `bytes` to or from `there` occupy the port of `here`.
  Duration occupies(NodeId here, NodeId there, std::uint32_t bytes) const {
    return platform_.occupies(here, there, bytes);
  }

  // How long from now until the requester's CPU learns that the operation has failed.
  Duration until_heard(const SimOperation& op, VerbStatus status) const;

  // The port of `a` (with b = kNoNode) or the path between the two goes down, or comes back up.
  void set_link(NodeId a, NodeId b, bool up);
  bool cut(NodeId a, NodeId b) const { return cuts_ > 0 && path_down(a, b); }
  bool has_failed() const { return has_failed_; }  // whether there was a cut so far, or links lose
  // Draws what the links between the two lose of so many bytes.
  Dropped drop(NodeId from, NodeId to, std::uint32_t bytes, Rng& chance) const {
    return lossy_ ? draw_drop(from, to, bytes, chance) : Dropped::nothing;
  }

 private:
  struct OutboundPort {
    const SimNic* nic = nullptr;
    Time free;
    std::uint32_t cuts = 0;  // current cuts; the port is up when there are none
    std::int64_t loss_ppb = 0;
  };
  Duration until_given_up(const SimOperation& op) const;
  bool path_down(NodeId a, NodeId b) const;
  Dropped draw_drop(NodeId from, NodeId to, std::uint32_t bytes, Rng& chance) const;
  static Duration jitter(const OutboundPort& sender, std::uint32_t chance) {
    const Wide most = static_cast<Wide>(sender.nic->model.jitter.ps) + 1;
    return {static_cast<std::int64_t>((most * chance) >> 32)};
  }

  const Platform& platform_;
  const Duration client_link_latency_;
  PerNic<OutboundPort> ports_;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> cut_pairs_;  // lower node first
  std::uint32_t cuts_ = 0;                                                      // current ones
  bool has_failed_ = false;
  bool lossy_ = false;
};

}  // namespace latchlab::sim
