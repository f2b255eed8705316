#pragma once
// The simulated world: SimGrid's platform and clock with our models of RNICs (models/nics).
// stations.h shows the way of a verb. One backend per process, because SimGrid allows one engine.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/simgrid/platform.h"
#include "core/base/result.h"
#include "core/scenario/nic.h"
#include "core/scenario/node_hardware.h"
#include "core/scenario/topology.h"
#include "core/world/backend.h"

namespace latchlab {

struct SimgridOptions {
  // A node with NodePlan::group g has groups[g - 1], if there are groups; every other node has
  // `nic`, `clocks` and `packet_loss_ppb`. The network between the nodes has the rate of `nic`.
  NicModel nic;
  ClockSpec clocks;
  std::int64_t packet_loss_ppb = 0;
  std::vector<NodeHardware> groups;
  TopologySpec topology;  // platform_hosts has accepted a topology file
  BulkSpec bulk;
  DatagramSpec datagrams;
  SwitchQueueSpec switch_queue;
  Duration client_link_latency;  // extra one-way latency between two nodes that host clients
  QpOwner qps = QpOwner::client;
  std::uint32_t cores = 0;  // per node, shared by its clients; 0: each client has its own
  CoreSharing core_sharing = CoreSharing::turns;
  Duration synchronisation_error = microseconds(1);  // of the synchronised clock
  Duration detection_delay = milliseconds(10);       // from a crash to the change of membership
  sim::PumpMode pump = sim::PumpMode::look_ahead;
};

// The names of the hosts of `hosts` RNICs, in their order; empty for a star. The error is a message
// for the user: SimGrid refuses the platform, it has too few hosts or more than 65,535, two hosts
// are not connected, or it takes more than 120 s of CPU time or 4 GiB of memory. Checks the routes
// between all pairs of up to 1,024 hosts; with more hosts, those to and from 512 of them; and at
// most for 20 s of CPU time. Runs in a child process.
Result<std::vector<std::string>> platform_hosts(std::uint32_t hosts, const NicModel& nic,
                                                const TopologySpec& topology);

// The capabilities that all of the RNICs have, found without making a backend.
Capabilities simgrid_capabilities(const SimgridOptions& options);

std::unique_ptr<Backend> make_simgrid(const WorldPlan& plan, const SimgridOptions& options);

}  // namespace latchlab
