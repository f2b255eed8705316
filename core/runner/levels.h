#pragma once
// Which nodes lie close together, as protocols are told: from the topology's shape.

#include <cstdint>
#include <vector>

#include "core/protocols/peers.h"
#include "core/scenario/topology.h"

namespace latchlab {

// The first level has a group for each node, the last one group for all. Between them: leaf
// switches, pods and so on of a fat tree; routers, chassis and groups of a dragonfly; nothing on a
// star, a torus or a platform from a file.
std::vector<Level> levels_of(const TopologySpec& topology, std::uint32_t nodes);

}  // namespace latchlab
