#pragma once
// How many nodes an index has (`workload.kind: index`).

#include <cstdint>

#include "core/scenario/workload_spec.h"

namespace latchlab {

constexpr std::uint64_t parts_of(std::uint64_t all, std::uint64_t each) {
  return (all + each - 1) / each;
}

constexpr std::uint64_t leaves_of(const IndexSpec& index) {
  return parts_of(index.keys, index.leaf_keys);
}

// Above the leaves; the root, which has no parent, is one of them.
constexpr std::uint32_t inner_levels_of(const IndexSpec& index) {
  std::uint32_t levels = 0;
  for (std::uint64_t nodes = leaves_of(index); nodes > 1; nodes = parts_of(nodes, index.fanout))
    ++levels;
  return levels;
}

// A lock each.
constexpr std::uint64_t nodes_of(const IndexSpec& index) {
  std::uint64_t all = 0, nodes = leaves_of(index);
  for (; nodes > 1; nodes = parts_of(nodes, index.fanout)) all += nodes;
  return all + 1;
}

}  // namespace latchlab
