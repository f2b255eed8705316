#pragma once
// Which nodes lie close together, as protocols are told: from the topology's shape.

#include <cstdint>
#include <vector>

#include "core/protocols/peers.h"
#include "core/scenario/topology.h"

namespace latchlab {

// `hosts`: which host of the topology each node is, by NodeId - 1, ascending from 0. The first
// level has a group for each node, the last one group for all. Between them: hosts, if nodes share
// any; leaf switches, pods and so on of a fat tree; routers, chassis and groups of a dragonfly;
// nothing more on a star, a torus or a platform from a file.
std::vector<Level> levels_of(const TopologySpec& topology, const std::vector<std::uint32_t>& hosts);

}  // namespace latchlab
