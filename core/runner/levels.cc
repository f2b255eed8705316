#include "core/runner/levels.h"

#include <cstddef>

namespace latchlab {

namespace {

// `size` hosts in a row make a group.
Level level_of(std::uint32_t nodes, std::uint64_t size) {
  Level level;
  level.group_of.reserve(nodes);
  for (std::uint64_t i = 0; i < nodes; ++i)
    level.group_of.push_back(static_cast<std::uint32_t>(i / size));
  level.groups = level.group_of.back() + 1;
  return level;
}

// How many hosts each kind of switch below the top has under it, ascending.
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

std::vector<Level> levels_of(const TopologySpec& topology, std::uint32_t nodes) {
  std::vector<Level> levels = {level_of(nodes, 1)};
  for (const std::int64_t size : hosts_per_switch(topology))
    levels.push_back(level_of(nodes, static_cast<std::uint64_t>(size)));
  levels.push_back(level_of(nodes, nodes));
  return levels;
}

}  // namespace latchlab
