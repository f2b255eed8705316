// The locations of clients.

#include "core/base/check.h"
#include "core/world/world.h"

namespace latchlab {

std::uint32_t WorldShape::clients() const {
  std::uint32_t sum = groups.empty() ? client_nodes * clients_per_node : 0;
  for (const ClientGroup& group : groups) sum += group.clients();
  return sum;
}

// A linear search: groups are few.
WorldShape::ClientPlace WorldShape::place_of(ClientId client) const {
  if (groups.empty()) return {client.value / clients_per_node, client.value % clients_per_node};
  ClientPlace place{0, client.value};
  for (const ClientGroup& group : groups) {
    if (place.index < group.clients())
      return {place.node + place.index / group.clients_per_node,
              place.index % group.clients_per_node};
    place.node += group.nodes;
    place.index -= group.clients();
  }
  LATCHLAB_CHECK(false, "no such client");
}

WorldShape::NodePlace WorldShape::place_of_node(std::uint32_t client_node) const {
  NodePlace place{0, client_node};
  for (const ClientGroup& group : groups) {
    ++place.group;
    if (place.index < group.nodes) return place;
    place.index -= group.nodes;
  }
  LATCHLAB_CHECK(groups.empty(), "no such client node");
  return place;
}

std::uint32_t WorldShape::sharers_before(std::uint32_t client_node) const {
  return place_of_node(client_node).index % client_nodes_per_nic;
}

std::uint32_t WorldShape::clients_on(std::uint32_t client_node) const {
  const NodePlace place = place_of_node(client_node);
  return place.group == 0 ? clients_per_node : groups[place.group - 1].clients_per_node;
}

NodeId WorldShape::node_of(ClientId client) const {
  const std::uint32_t first = colocated ? 0 : servers;
  return NodeId{static_cast<std::uint16_t>(first + place_of(client).node + 1)};
}

}  // namespace latchlab
