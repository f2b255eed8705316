#pragma once
// The shape of a run, and the locations of its parts: known before any part of a protocol is made,
// and the same on every machine that takes part.

#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace latchlab {

struct LockRef {
  LockId id;
  RemoteAddr entry;  // of its lock entry
};

// A partition of the nodes into groups that are close to each other in the topology.
struct Level {
  std::vector<std::uint32_t> group_of;  // by NodeId - 1: the node's group, from 0
  std::uint32_t groups = 0;
};

struct Shape {
  std::uint32_t servers = 1;  // nodes 1 .. servers host lock entries
  std::uint32_t client_nodes = 1;
  std::uint32_t clients = 1;
  std::uint64_t locks = 1;
  bool colocated = false;  // client node i is server i
  // From single nodes to one group of all nodes: two levels on a star; elsewhere one more for each
  // kind of switch below the top.
  std::vector<Level> levels;

  std::uint32_t nodes() const { return servers + (colocated ? 0 : client_nodes); }
};

// The directory. All addresses follow from shape and layout, so no look-up needs a message.
class Peers {
 public:
  virtual ~Peers() = default;
  virtual const Shape& shape() const = 0;
  virtual LockRef lock(LockId id) const = 0;
  virtual NodeId node_of(ClientId client) const = 0;
  // The i-th client node, 0 <= i < client_nodes, and the index of a client node. Clients are
  // numbered node by node.
  virtual NodeId client_node(std::uint32_t index) const = 0;
  virtual std::uint32_t client_node_index(NodeId node) const = 0;
  virtual EndpointAddr endpoint_of(ClientId client) const = 0;       // Layout::client_endpoint
  virtual EndpointAddr node_endpoint(NodeId client_node) const = 0;  // Layout::node_endpoint
  virtual RemoteAddr client_words(ClientId client) const = 0;
  virtual RemoteAddr node_words(NodeId client_node) const = 0;
  virtual RemoteAddr node_lock_words(NodeId client_node, LockId lock) const = 0;
  virtual RemoteAddr server_words(NodeId server) const = 0;
};

}  // namespace latchlab
