#pragma once
// The GIDs of a port that this backend can use; DeviceFacts::gids describes them.

#include <cstdint>
#include <vector>

#include "backends/ibverbs/device.h"

namespace latchlab::ib {

struct GidEntry {
  Gid gid;
  std::uint8_t index;
};

// In the order of DeviceFacts::gids.
std::vector<GidEntry> usable_gids(ibv_context* context, std::uint8_t port, bool infiniband);

}  // namespace latchlab::ib
