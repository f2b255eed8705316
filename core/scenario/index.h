#pragma once
// Numbers of nodes and levels of a B+-tree (`workload.kind: index`).

#include <cstdint>

#include "core/base/multiples.h"
#include "core/scenario/workload_spec.h"

namespace latchlab {

constexpr std::uint64_t leaves_of(const IndexSpec& index) {
  return how_many(index.keys, index.leaf_keys);
}

// Levels above the leaves, including the root.
constexpr std::uint32_t inner_levels_of(const IndexSpec& index) {
  std::uint32_t levels = 0;
  for (std::uint64_t nodes = leaves_of(index); nodes > 1; nodes = how_many(nodes, index.fanout))
    ++levels;
  return levels;
}

// All nodes of the tree; each has its own lock.
constexpr std::uint64_t nodes_of(const IndexSpec& index) {
  std::uint64_t all = 0, nodes = leaves_of(index);
  for (; nodes > 1; nodes = how_many(nodes, index.fanout)) all += nodes;
  return all + 1;
}

}  // namespace latchlab
