#pragma once
// The simulated world: SimGrid's platform and clock with our models of RNICs (models/nics).
// requester.h shows the path of a verb. One backend per process, because SimGrid allows one engine.

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simgrid/platform.h"
#include "core/scenario/node_hardware.h"
#include "core/scenario/topology.h"
#include "core/world/backend.h"

namespace latchlab {

struct SimgridOptions {
  // A node with NodePlan::group g has groups[g - 1], if there are groups; every other node has
  // `nic` and `clocks`. The network between the nodes has the rate of `nic`.
  NicModel nic;
  ClockSpec clocks;
  std::vector<NodeHardware> groups;
  TopologySpec topology;  // a topology file has passed check_platform
  BulkSpec bulk;
  DatagramSpec datagrams;
  Duration client_link_latency;  // extra one-way latency between two nodes that host clients
  QpOwner qps = QpOwner::client;
  std::uint32_t cores = 0;  // per node, shared by its clients; 0: each client has its own
  CoreSharing core_sharing = CoreSharing::turns;
  Duration synchronisation_error = microseconds(1);  // of the synchronised clock
  Duration detection_delay = milliseconds(10);       // from a crash to the change of membership
  sim::PumpMode pump = sim::PumpMode::look_ahead;
};

// Whether SimGrid can build the platform for `hosts` RNICs; the error is a message for the user.
// Runs in a child process.
Status check_platform(std::uint32_t hosts, const NicModel& nic, const TopologySpec& topology);

// The capabilities that all of the RNICs have, found without making a backend.
Capabilities simgrid_capabilities(const SimgridOptions& options);

std::unique_ptr<Backend> make_simgrid(const WorldPlan& plan, const SimgridOptions& options);

}  // namespace latchlab
