#pragma once
// Hardware that may differ from node to node. Plain numbers: backends may include this header.

#include <cstdint>

#include "core/base/time.h"
#include "core/scenario/nic.h"

namespace latchlab {

// Clock errors; all draws follow from the seed.
struct ClockSpec {
  std::int64_t drift_ppb = 0;  // each node's rate error is drawn from [-drift, +drift]
  Duration offset;             // each node's offset is drawn from [0, offset]
  // Error of the RNIC's clock relative to its node's clock, as receive timestamps show it. Both are
  // drawn from [-x, +x]. Zero: the node has one clock.
  std::int64_t nic_drift_ppb = 0;
  Duration nic_offset;

  bool operator==(const ClockSpec&) const = default;
};

// How clients share a core. turns: coroutines, one runs at a time. threads: each client polls on
// its own hardware thread, two per core, and they slow each other down.
enum class CoreSharing : std::uint8_t { turns, threads };

struct NodeHardware {
  NicModel nic;
  ClockSpec clocks;
  // The node's link loses this fraction of the packets that cross it, in either direction.
  std::int64_t packet_loss_ppb = 0;
};

}  // namespace latchlab
