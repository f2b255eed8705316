#pragma once
// How many nodes an index has (`workload.kind: index`).

#include <cstdint>

#include "core/base/multiples.h"
#include "core/scenario/workload_spec.h"

namespace latchlab {

constexpr std::uint64_t leaves_of(const IndexSpec& index) {
  return how_many(index.keys, index.leaf_keys);
}

// Above the leaves; the root, which has no parent, is one of them.
constexpr std::uint32_t inner_levels_of(const IndexSpec& index) {
  std::uint32_t levels = 0;
  for (std::uint64_t nodes = leaves_of(index); nodes > 1; nodes = how_many(nodes, index.fanout))
    ++levels;
  return levels;
}

// A lock each.
constexpr std::uint64_t nodes_of(const IndexSpec& index) {
  std::uint64_t all = 0, nodes = leaves_of(index);
  for (; nodes > 1; nodes = how_many(nodes, index.fanout)) all += nodes;
  return all + 1;
}

}  // namespace latchlab
