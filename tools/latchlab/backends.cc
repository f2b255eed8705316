#include <fmt/core.h>

#include "tools/latchlab/commands.h"
#ifdef LATCHLAB_WITH_SIMGRID
#include "backends/simgrid/simgrid_backend.h"
#endif

namespace latchlab::tool {

#ifdef LATCHLAB_WITH_SIMGRID
namespace {

std::unique_ptr<Backend> simgrid(const WorldPlan& plan, const Point& point) {
  SimgridOptions options;
  options.nic = point.platform.nic;
  options.client_link_latency = point.platform.client_link_latency;
  options.drift_ppb = point.platform.drift_ppb;
  options.clock_offset = point.platform.clock_offset;
  options.nic_drift_ppb = point.platform.nic_drift_ppb;
  options.nic_clock_offset = point.platform.nic_clock_offset;
  options.qps = point.platform.qps;
  options.cores = point.platform.cores;
  return make_simgrid(plan, options);
}

}  // namespace
#endif

Result<BackendFactory> backend_factory(const std::string& name) {
#ifdef LATCHLAB_WITH_SIMGRID
  if (name == "simgrid") return BackendFactory(simgrid);
#endif
#ifdef LATCHLAB_WITH_SIMGRID
  const char* const built = "it has: simgrid";
#else
  const char* const built = "it has none; build with -DLATCHLAB_SIMGRID=ON";
#endif
  return Error{fmt::format("this build has no backend '{}'; {}", name, built), {}};
}

}  // namespace latchlab::tool
