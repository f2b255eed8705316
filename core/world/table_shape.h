#pragma once
// The shapes of the runs behind the numbers in tables of locks (`latchlab list protocols`,
// docs/locks.md, `latchlab explain`). The size of an entry depends on the number of clients, the
// cost of an acquisition on the units that it acquires: the shape stands beside each number.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "core/world/world.h"

namespace latchlab {

// For entry sizes: 64 clients on 8 nodes, or on as many as the lock supports.
inline WorldShape table_shape(const Limits& limits) {
  constexpr std::uint32_t kClients = 64;
  WorldShape shape;
  shape.client_nodes = static_cast<std::uint32_t>(std::min<std::uint64_t>(limits.max_nodes, 8));
  shape.clients_per_node = kClients / shape.client_nodes;
  shape.locks.count = 1000;
  return shape;
}

inline std::string text_of(const WorldShape& shape) {
  const std::uint32_t nodes = shape.client_nodes;
  return std::to_string(shape.clients()) + " clients on " + std::to_string(nodes) +
         (nodes == 1 ? " node" : " nodes");
}

// What is acquired where costs are counted (tests/protocols/costs_test.cc): for a range lock one
// unit of an object of the default size, otherwise the whole object.
struct CostShape {
  Extent extent;
  std::optional<std::int64_t> units;  // of the object; none: the lock does not ask for it
};

inline CostShape cost_shape(const ProtocolInfo& info) {
  CostShape shape;
  if (!info.ranges) return shape;
  shape.extent = {0, 1};
  if (const ParamSpec* const units = info.find_param("units"))
    shape.units = std::get<std::int64_t>(units->fallback);
  return shape;
}

inline std::string text_of(const CostShape& shape) {
  if (shape.extent.whole()) return "the object";
  return shape.units ? "1 of " + std::to_string(*shape.units) + " units" : "1 unit";
}

}  // namespace latchlab
