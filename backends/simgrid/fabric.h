#pragma once
// Builds a topology in SimGrid.

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/topology.h"

namespace simgrid::s4u {
class Engine;
class Host;
}  // namespace simgrid::s4u

namespace latchlab::sim {

// The one engine of this process: dates to the picosecond, no TCP effects, fair shares.
simgrid::s4u::Engine& make_engine();

// As many hosts as ports are given, each with the rate of its own in bits per second; the links of
// other topologies than a star have the fabric's. Fewer: the platform has no more. May throw what
// SimGrid throws, and std::invalid_argument for a host that the topology names and the platform
// lacks, or end the process as SimGrid does.
std::vector<simgrid::s4u::Host*> build_fabric(simgrid::s4u::Engine& engine,
                                              const std::vector<std::int64_t>& port_bits_per_s,
                                              std::int64_t fabric_bits_per_s,
                                              const TopologySpec& topology);

// "node-2" comes before "node-10".
bool natural_less(const std::string& a, const std::string& b);

}  // namespace latchlab::sim
