#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/latchlab/commands.h"
#include "tools/latchlab/hardware/hardware.h"
#include "tools/latchlab/hosts.h"
#include "tools/latchlab/locks_held.h"
#include "tools/latchlab/run_one.h"
#ifdef LATCHLAB_WITH_SIMGRID
#include "backends/simgrid/simgrid_backend.h"
#endif

namespace latchlab::tool {

#ifdef LATCHLAB_WITH_SIMGRID
namespace {

SimgridOptions options_of(const Point& point) {
  SimgridOptions options;
  options.nic = point.platform.nic;
  options.topology = point.platform.topology;
  options.bulk = point.platform.bulk;
  options.datagrams = point.platform.datagrams;
  options.client_link_latency = point.platform.client_link_latency;
  options.clocks = point.platform.clocks;
  options.qps = point.platform.qps;
  options.cores = point.platform.cores;
  options.core_sharing = point.platform.core_sharing;
  options.detection_delay = point.platform.failure_detection;
  for (const GroupSpec& group : point.groups)
    options.groups.push_back(group.hardware(point.platform));
  const auto serve = [&cpu = point.platform.server_cpu](NicModel& nic) {
    nic.server_cores = cpu.cores.value_or(nic.server_cores);
    nic.call_service = cpu.call_service.value_or(nic.call_service);
  };
  serve(options.nic);
  for (NodeHardware& group : options.groups) serve(group.nic);
  return options;
}

std::unique_ptr<Backend> simgrid(const WorldPlan& plan, const Point& point) {
  return make_simgrid(plan, options_of(point));
}

}  // namespace
#endif

namespace {

// Hosts by platform key, cached because searches load the same scenario repeatedly.
std::map<std::string, std::vector<std::string>>& known_hosts() {
  static std::map<std::string, std::vector<std::string>> known;
  return known;
}

std::string hosts_key(const PlatformSpec& platform) {
  const TopologySpec& topology = platform.topology;
  return fmt::format("{} {} {} {}", platform.rnics(), topology.checksum, topology.file,
                     fmt::join(topology.nodes, "\n"));
}

}  // namespace

Status check_platform_files(const Scenario& scenario) {
#ifdef LATCHLAB_WITH_SIMGRID
  for (const Point& point : scenario.points) {
    const PlatformSpec& platform = point.platform;
    if (platform.topology.kind != TopologyKind::file) continue;
    const std::string key = hosts_key(platform);
    if (known_hosts().contains(key)) continue;
    auto hosts = platform_hosts(platform.rnics(), platform.nic, platform.topology);
    if (!hosts) return hosts.error();
    known_hosts().emplace(key, std::move(hosts).value());
  }
#else
  static_cast<void>(scenario);
#endif
  return fine();
}

std::vector<std::string> hosts_of_platform(const PlatformSpec& platform) {
  if (platform.topology.kind != TopologyKind::file) return {};
  const auto found = known_hosts().find(hosts_key(platform));
  return found == known_hosts().end() ? std::vector<std::string>() : found->second;
}

std::string why_not_simulated(const Point& point) {
  const std::unique_ptr<Protocol> protocol =
      find_protocol(point.protocol.name)->make(point.protocol.params);
  const auto held = locks_held(point);
  if (!held) return held.error().text();
  std::string why = limits_exceeded(point, *protocol, held.value());
#ifdef LATCHLAB_WITH_SIMGRID
  if (why.empty()) why = lacking(point, *protocol, simgrid_capabilities(options_of(point)));
#endif
  return why;
}

Result<BackendFactory> backend_factory(const std::string& name) {
#ifdef LATCHLAB_WITH_SIMGRID
  if (name == "simgrid") return BackendFactory(simgrid);
#endif
  return Error{fmt::format("this build has no backend '{}'; build with -DLATCHLAB_SIMGRID=ON, for "
                           "which libsimgrid-dev is needed",
                           name),
               {}};
}

Result<RunBackend> run_backend(const RunArguments& arguments,
                               const std::vector<const Scenario*>& scenarios) {
  if (arguments.backend == "ibverbs") return hardware_backend(arguments, scenarios);
  auto factory = backend_factory(arguments.backend);
  if (!factory) return factory.error();
  RunBackend backend;
  backend.name = arguments.backend;
  backend.make = std::move(factory).value();
  return backend;
}

#ifndef LATCHLAB_WITH_IBVERBS
namespace {

Error no_hardware() {
  return {
      "this build has no backend ibverbs; build with -DLATCHLAB_IBVERBS=ON, for which "
      "libibverbs-dev is needed",
      {}};
}

}  // namespace

Result<RunBackend> hardware_backend(const RunArguments&, const std::vector<const Scenario*>&) {
  return no_hardware();
}
int node(const NodeArguments&) {
  return complain(no_hardware(), kCannot);
}
int doctor_fabric(const FabricArguments&) {
  return complain(no_hardware(), kCannot);
}
#endif

}  // namespace latchlab::tool
