#pragma once
// Which nodes are close to each other, as protocols are told: derived from the topology's shape.

#include <cstdint>
#include <vector>

#include "core/protocols/peers.h"
#include "core/scenario/topology.h"

namespace latchlab {

// `hosts`: the host of each node in the topology, by NodeId - 1, ascending from 0. The first level
// has a group for each node, the last one a group of all nodes. Levels between them: hosts, if
// nodes share any; leaf switches, pods and so on of a fat tree; routers, chassis and groups of a
// dragonfly; none on a star, a torus or a platform from a file.
std::vector<Level> levels_of(const TopologySpec& topology, const std::vector<std::uint32_t>& hosts);

}  // namespace latchlab
