#include "tools/latchlab/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/conclude/output.h"
#include "core/protocols/registry.h"
#include "tools/latchlab/doctor.h"
#include "tools/latchlab/hardware/hardware.h"
#ifdef LATCHLAB_WITH_SIMGRID
#include "tools/latchlab/simgrid_options.h"
#endif

namespace latchlab::tool {

#ifdef LATCHLAB_WITH_SIMGRID
namespace {

std::unique_ptr<Backend> simgrid(const WorldPlan& plan, const Point& point) {
  return make_simgrid(plan, simgrid_options(point));
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
  if (why.empty()) why = lacking(point, *protocol, simgrid_capabilities(simgrid_options(point)));
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

namespace {

constexpr std::size_t kMostPrinted = 16;

struct Placed {
  std::size_t point;
  std::vector<NodeHost> nodes;
};

std::string text_of(const std::vector<NodeHost>& nodes, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i)
    text += fmt::format("{}{} is {}", i == 0 ? "" : ", ", nodes[i].node, nodes[i].host);
  return text;
}

// The first point of each distinct placement.
std::vector<Placed> all_ways(const Scenario& scenario) {
  std::vector<Placed> all;
  std::set<std::string> seen;
  for (std::size_t p = 0; p < scenario.points.size(); ++p) {
    std::vector<NodeHost> nodes = node_hosts(scenario.points[p]);
    const std::string& file = scenario.points[p].platform.topology.file;
    if (nodes.empty() || !seen.insert(file + "\n" + text_of(nodes, nodes.size())).second) continue;
    all.push_back({p, std::move(nodes)});
  }
  return all;
}

}  // namespace

std::vector<NodeHost> node_hosts(const Point& point) {
  const PlatformSpec& platform = point.platform;
  const std::vector<std::string> hosts = hosts_of_platform(platform);
  std::vector<NodeHost> nodes;
  for (std::uint32_t node = 0; !hosts.empty() && node < platform.nodes(); ++node) {
    const bool server = node < platform.servers;
    std::string name = server ? fmt::format("server {}", node)
                              : fmt::format("client node {}", node - platform.servers);
    if (platform.colocated && node < platform.client_nodes)
      name += fmt::format(" and client node {}", node);
    nodes.push_back({std::move(name), hosts[platform.rnic_of(node)]});
  }
  return nodes;
}

std::vector<std::string> describe_hosts(const Scenario& scenario) {
  std::vector<std::string> lines;
  for (const auto& [point, nodes] : all_ways(scenario)) {
    const std::string& file = scenario.points[point].platform.topology.file;
    std::string line = fmt::format("{}: {}", std::filesystem::path(file).filename().string(),
                                   text_of(nodes, kMostPrinted));
    if (nodes.size() > kMostPrinted)
      line += fmt::format(", and {} more", nodes.size() - kMostPrinted);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string hosts_csv(const Scenario& scenario) {
  std::string rows;
  for (const auto& [point, nodes] : all_ways(scenario))
    for (const auto& [node, host] : nodes)
      rows += fmt::format("{},{},{}\n", point, csv_text(node), csv_text(host));
  return rows.empty() ? "" : "point,node,host\n" + rows;
}

}  // namespace latchlab::tool
