#include "tools/latchlab/hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/study/output.h"

namespace latchlab::tool {

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
