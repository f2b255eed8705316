#pragma once
// What an address of a world belongs to: the entry of a lock, or the words of a client, node or
// server. For tracing and reports; the run itself does not use it.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/workload/placement.h"
#include "core/world/world.h"

namespace latchlab {

struct AddressOwner {
  enum class Kind : std::uint8_t {
    elsewhere,  // allocated by the protocol during the run, or not the protocol's
    entry,      // of a lock, or a word of which entries are parts
    server,     // Layout::server_bytes
    node,       // Layout::node_bytes
    client,     // Layout::client_bytes
    node_lock,  // Layout::node_lock_bytes
  };
  Kind kind = Kind::elsewhere;
  std::vector<LockId> locks;  // entry: one, or all that have a part of the word; node_lock: one
  ClientId client;            // client
  NodeId node;
  std::uint64_t byte = 0;  // offset from its beginning
};

class AddressMap {
 public:
  // The world outlives it.
  explicit AddressMap(const World& world);
  AddressOwner of(RemoteAddr addr) const;

 private:
  struct Stretch {  // a part of a node's memory: a row of items of one kind
    AddressOwner::Kind kind;
    std::uint64_t begin;
    std::uint64_t count;
    std::uint64_t stride;
    std::uint64_t bytes;  // of each item
    std::uint32_t first;  // for clients: the first one's number
  };
  void add_clients(NodeId node, std::uint32_t first);
  bool entry_at(RemoteAddr addr, AddressOwner& place) const;

  const World& world_;
  const Layout layout_;
  const Placement placement_;
  std::uint64_t entry_stride_ = 0;
  std::vector<std::vector<Stretch>> stretches_;  // by NodeId - 1
};

// "lock 3", "locks 0 to 7", "words of client 2"; elsewhere: "node 2".
std::string name_of(const AddressOwner& place);

}  // namespace latchlab
