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

// The only engine of this process: dates to the picosecond, no TCP effects, fair shares of
// bandwidth.
simgrid::s4u::Engine& make_engine();

// Returns one host for each port, whose rate is given in bits per second; links of other topologies
// than a star have the fabric's rate. Returns fewer if the platform has fewer. Throws what SimGrid
// throws, and std::invalid_argument if the topology names a host that the platform lacks. On some
// bad platforms SimGrid ends the process.
std::vector<simgrid::s4u::Host*> build_fabric(simgrid::s4u::Engine& engine,
                                              const std::vector<std::int64_t>& port_bits_per_s,
                                              std::int64_t fabric_bits_per_s,
                                              const TopologySpec& topology);

// "node-2" comes before "node-10".
bool natural_less(const std::string& a, const std::string& b);

}  // namespace latchlab::sim
