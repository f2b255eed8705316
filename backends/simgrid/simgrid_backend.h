#pragma once
// The simulated world: SimGrid's platform and clock, our RNICs (models/nics). See simulator.h for
// the path of a verb. One backend per process: SimGrid allows one engine.

#include <cstdint>
#include <memory>

#include "backends/simgrid/platform.h"
#include "core/runner/backend.h"
#include "core/scenario/nic.h"
#include "core/scenario/topology.h"

namespace latchlab {

struct SimgridOptions {
  NicModel nic;
  TopologySpec topology;  // a file has passed check_platform
  BulkSpec bulk;
  DatagramSpec datagrams;
  Duration client_link_latency;  // extra one-way latency between client nodes
  std::int64_t drift_ppb = 0;    // each node's clock rate is off by up to this much
  Duration clock_offset;         // and its reading by up to this much
  // Of each RNIC's clock against its node's, as receive timestamps show it.
  std::int64_t nic_drift_ppb = 0;
  Duration nic_clock_offset;
  QpOwner qps = QpOwner::client;
  std::uint32_t cores = 0;  // per node, shared by its clients in turn; 0: each has its own
  Duration synchronisation_error = microseconds(1);  // of the synchronised clock
  Duration detection_delay = milliseconds(10);       // crash to change of membership
  sim::PumpMode pump = sim::PumpMode::look_ahead;
};

// Whether SimGrid can build the platform for so many nodes; else a message for people. Runs in a
// child process of its own.
Status check_platform(std::uint32_t nodes, const NicModel& nic, const TopologySpec& topology);

std::unique_ptr<Backend> make_simgrid(const WorldPlan& plan, const SimgridOptions& options);

}  // namespace latchlab
