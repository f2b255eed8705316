#pragma once
// The simulated world: SimGrid's platform and clock, our RNICs (models/nics). See simulator.h for
// the path of a verb. One backend per process: SimGrid allows one engine.

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simgrid/platform.h"
#include "core/scenario/node_hardware.h"
#include "core/scenario/topology.h"
#include "core/world/backend.h"

namespace latchlab {

struct SimgridOptions {
  // Of nodes with NodePlan::group g: groups[g - 1], if there are any; of all others, nic and
  // clocks. The network between the nodes has the rate of `nic`.
  NicModel nic;
  ClockSpec clocks;
  std::vector<NodeHardware> groups;
  TopologySpec topology;  // a file has passed check_platform
  BulkSpec bulk;
  DatagramSpec datagrams;
  Duration client_link_latency;  // extra one-way latency between client nodes
  QpOwner qps = QpOwner::client;
  std::uint32_t cores = 0;  // per node, shared by its clients; 0: each has its own
  CoreSharing core_sharing = CoreSharing::turns;
  Duration synchronisation_error = microseconds(1);  // of the synchronised clock
  Duration detection_delay = milliseconds(10);       // crash to change of membership
  sim::PumpMode pump = sim::PumpMode::look_ahead;
};

// Whether SimGrid can build the platform for so many hosts (RNICs); else a message for people. Runs
// in a child process of its own.
Status check_platform(std::uint32_t hosts, const NicModel& nic, const TopologySpec& topology);

// What all of the RNICs can, told without making a backend.
Capabilities simgrid_capabilities(const SimgridOptions& options);

std::unique_ptr<Backend> make_simgrid(const WorldPlan& plan, const SimgridOptions& options);

}  // namespace latchlab
