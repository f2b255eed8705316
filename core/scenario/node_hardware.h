#pragma once
// What nodes may have of their own. Plain numbers: backends may include this header.

#include <cstdint>

#include "core/base/time.h"
#include "core/scenario/nic.h"

namespace latchlab {

// How far clocks are off; all draws follow from the seed.
struct ClockSpec {
  std::int64_t drift_ppb = 0;  // each node's rate error is drawn from [-drift, +drift]
  Duration offset;             // each node's offset is drawn from [0, offset]
  // Of the RNIC's clock against its node's, as receive timestamps show it: both drawn from
  // [-x, +x]. Zero: one clock.
  std::int64_t nic_drift_ppb = 0;
  Duration nic_offset;

  bool operator==(const ClockSpec&) const = default;
};

// What clients on one core are: coroutines that take turns, or threads on a hardware thread each,
// two to a core, which poll and so slow each other down.
enum class CoreSharing : std::uint8_t { turns, threads };

struct NodeHardware {
  NicModel nic;
  ClockSpec clocks;
};

}  // namespace latchlab
