#pragma once
// What the clocks show: one clock of each node, one of its RNIC, and the synchronised clock.

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/simgrid/event_queue.h"
#include "backends/simgrid/nodes.h"
#include "core/base/random.h"
#include "core/scenario/node_hardware.h"
#include "core/verbs/message.h"

namespace latchlab::sim {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)

class Clocks {
 public:
  // `specs`: the clocks of each node, by NodeId - 1.
  Clocks(const Timeline& timeline, const Nodes& nodes, const std::vector<const ClockSpec*>& specs,
         std::uint64_t seed, Duration synchronisation_error);

  // What the node's clock shows now.
  Time shown_on(NodeId node) const {
    const NodeClock& here = clocks_[node];
    return timeline_.now() + here.offset + here.drifted(timeline_.now());
  }
  // The first true date at which the node's clock shows at least `shown`.
  Time true_date_of(NodeId node, Time shown) const;
  // The true date at which the node's clock has advanced by `shown` from now.
  Time end_of(NodeId node, Duration shown) const;
  // The clock jumps and, if drift_ppb is given, runs fast by that much from now on. Returns its new
  // offset.
  Duration disturb(NodeId node, Duration jump, std::optional<std::int64_t> drift_ppb);

  // Sets the interval in which the receiver's RNIC says that the message arrived.
  void stamp(Message& message, NodeId receiver) const;
  // A reading of the synchronised clock: at most the error away from true time.
  Time synchronised_now();
  Duration synchronisation_error() const { return synchronisation_error_; }

 private:
  static constexpr int kRateBits = 60;

  struct NodeClock {
    const ClockSpec* spec = nullptr;
    std::int64_t drift_q60 = 0;  // rate in excess of true time, times 2^60
    Duration offset;
    Time since;                      // drift is counted from here
    std::int64_t nic_drift_ppb = 0;  // of the RNIC's clock relative to the node's
    Duration nic_offset;

    // Multiplies instead of dividing, because a clock is read several times per verb.
    Duration drifted(Time date) const {
      const Wide drift = static_cast<Wide>(date.ps - since.ps) * drift_q60 >> kRateBits;
      return {static_cast<std::int64_t>(drift)};
    }
  };
  static std::int64_t rate_q60(std::int64_t drift_ppb);

  const Timeline& timeline_;
  PerNode<NodeClock> clocks_;
  const Duration synchronisation_error_;
  Rng synchronised_;
};

}  // namespace latchlab::sim
