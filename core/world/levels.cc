#include "core/world/levels.h"

#include <cstddef>
#include <numeric>

namespace latchlab {

namespace {

// Groups of `size` consecutive hosts.
Level level_of(const std::vector<std::uint32_t>& hosts, std::uint64_t size) {
  Level level;
  level.group_of.reserve(hosts.size());
  for (const std::uint32_t host : hosts)
    level.group_of.push_back(static_cast<std::uint32_t>(host / size));
  level.groups = level.group_of.back() + 1;
  return level;
}

// The number of hosts below each kind of switch under the top, ascending.
std::vector<std::int64_t> hosts_per_switch(const TopologySpec& topology) {
  std::vector<std::int64_t> steps;
  if (topology.kind == TopologyKind::fat_tree)
    steps.assign(topology.down.begin(), topology.down.end());
  if (topology.kind == TopologyKind::dragonfly)
    steps = {topology.hosts, topology.routers, topology.chassis, topology.groups};
  std::vector<std::int64_t> sizes;
  std::int64_t size = 1;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) sizes.push_back(size *= steps[i]);
  return sizes;
}

}  // namespace

std::vector<Level> levels_of(const TopologySpec& topology,
                             const std::vector<std::uint32_t>& hosts) {
  std::vector<std::uint32_t> nodes(hosts.size());
  std::iota(nodes.begin(), nodes.end(), 0U);
  std::vector<Level> levels = {level_of(nodes, 1)};
  if (hosts != nodes) levels.push_back(level_of(hosts, 1));
  for (const std::int64_t size : hosts_per_switch(topology))
    levels.push_back(level_of(hosts, static_cast<std::uint64_t>(size)));
  levels.push_back(level_of(hosts, hosts.size()));
  return levels;
}

}  // namespace latchlab
