#include "backends/simgrid/simgrid_backend.h"

#include "backends/simgrid/simulator.h"

namespace latchlab {

Status check_platform(std::uint32_t hosts, const NicModel& nic, const TopologySpec& topology) {
  return sim::Platform::check(hosts, nic, topology);
}

std::unique_ptr<Backend> make_simgrid(const WorldPlan& plan, const SimgridOptions& options) {
  return std::make_unique<sim::Simulator>(plan, options);
}

}  // namespace latchlab
