#pragma once
// Places a protocol in a backend: lays out memory, makes every part and starts the background
// parts. The caller spawns the clients' coroutines.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/protocols/lock.h"
#include "core/scenario/scenario.h"
#include "core/workload/placement.h"
#include "core/world/backend.h"
#include "core/world/entry_table.h"

namespace latchlab {

struct WorldShape {
  std::uint32_t servers = 1;
  std::uint32_t client_nodes = 1;
  std::uint32_t clients_per_node = 1;
  std::vector<ClientGroup> groups;         // replaces client_nodes x clients_per_node, if any
  std::uint32_t client_nodes_per_nic = 1;  // so many consecutive ones of a group share an RNIC
  bool colocated = false;                  // client node i is server i
  LockTableSpec locks;
  std::uint64_t seed = 1;
  bool guard = false;              // each lock has a guard word on its server
  std::uint32_t guard_slots = 0;   // and behind it so many words for units of its object
  std::uint64_t object_bytes = 0;  // size of the object of each lock, on its server; 0: none
  bool file_data = false;          // each client node has memory for one object, for files
  bool counters = false;           // each client node has a word that its clients count in
  TopologySpec topology;

  struct ClientPlace {
    std::uint32_t node = 0;   // its client node, from 0
    std::uint32_t index = 0;  // among the clients there
  };
  struct NodePlace {
    std::uint32_t group = 0;  // from 1; 0: there are no groups
    std::uint32_t index = 0;  // among the client nodes of the group, or of all
  };
  NodePlace place_of_node(std::uint32_t client_node) const;
  // How many of the client nodes just before it share its RNIC. The first of them owns it.
  std::uint32_t sharers_before(std::uint32_t client_node) const;
  std::uint32_t clients() const;
  ClientPlace place_of(ClientId client) const;
  std::uint32_t clients_on(std::uint32_t client_node) const;
  NodeId node_of(ClientId client) const;
};

// The shape as protocols see it.
Shape shape_for_protocols(const WorldShape& shape);

class World final : public Peers {
 public:
  // `protocol` must outlive the world.
  World(const Protocol& protocol, const WorldShape& shape);

  const WorldPlan& plan() const { return plan_; }
  const WorldShape& world_shape() const { return shape_; }
  const Protocol& protocol() const { return protocol_; }

  // Adds the actors and parts of the nodes that the backend hosts. The backend was made from
  // plan(). Called once, before any coroutine is spawned.
  void attach(Hosting& backend);
  // A server that lost its memory and state is back: makes a new server part, if it had one.
  void restart_server(Backend& backend, NodeId node) {
    attach_server(backend, node, backend.true_now());
  }

  // ---- Peers ----
  const Shape& shape() const override { return told_; }
  LockRef lock(LockId id) const override;
  NodeId node_of(ClientId client) const override { return shape_.node_of(client); }
  NodeId client_node(std::uint32_t index) const override;
  std::uint32_t client_node_index(NodeId node) const override;
  EndpointAddr endpoint_of(ClientId client) const override;
  EndpointAddr node_endpoint(NodeId client_node) const override;
  RemoteAddr client_words(ClientId client) const override;
  RemoteAddr node_words(NodeId client_node) const override;
  RemoteAddr node_lock_words(NodeId client_node, LockId lock) const override;
  RemoteAddr server_words(NodeId server) const override;

  RemoteAddr guard_of(LockId id) const;   // where the shape has guards
  RemoteAddr object_of(LockId id) const;  // where the shape has objects; also the next
  // The client in whose memory a word lies; none if no client runs on its node. A client has its
  // own words and buffer there, and an equal share of the node's locks with their guards and
  // objects, by number, as ALock's artifact divides them (calcThreadKeyRange); all else belongs to
  // the first.
  std::optional<ClientId> client_at(RemoteAddr addr) const;
  RemoteAddr data_on(std::uint32_t client_node) const;  // where the shape has file data
  RemoteAddr counter_of(ClientId client) const;         // of its node, where the shape has them
  // As large as an object, on the client's node: the source of WRITEs to objects.
  RemoteAddr buffer_of(ClientId client) const;
  // True if this client was attached here: it has verbs and a part.
  bool hosts(ClientId client) const { return clients_[client.value].part != nullptr; }
  Verbs& verbs(ClientId client) const { return *clients_[client.value].verbs; }
  LockClient& client(ClientId client) const { return *clients_[client.value].part; }
  // The parts of a node: as a client node and as a server.
  std::vector<const void*> parts_at(NodeId node) const;
  // Verbs of node and server parts, which belong to no client's cycle.
  const std::vector<Verbs*>& background_actors() const { return background_; }
  std::uint64_t entry_bytes() const { return layout_.entry_bytes; }
  // The current content of the lock's entry, as the protocol's decode() and is_free() take it.
  std::vector<std::uint64_t> entry(LockId id, Inspecting& memory) const {
    return table_.words(memory, lock(id).entry);
  }
  // True if these bytes, at least one, lie within one item that the protocol asked for: a lock
  // entry, the words of a server, a client node or a client, or memory that was allocated later; or
  // in a guard word, an object, file data or a counter.
  bool belongs(RemoteAddr addr, std::uint64_t bytes) const;

 private:
  struct NodeLayout {
    std::uint64_t locks = 0;        // how many entries
    std::uint64_t guard_words = 0;  // offsets
    std::uint64_t objects = 0;
    std::uint64_t buffers = 0;
    std::uint64_t data = 0;
    std::uint64_t counter = 0;
    std::uint64_t server_words = 0;
    std::uint64_t node_words = 0;
    std::uint64_t client_words = 0;
    std::uint64_t node_lock_words = 0;
    std::uint64_t clients = 0;
    std::uint32_t first_client = 0;
    std::uint64_t device_bytes = 0;  // end of the table, if it lies on the RNIC
  };
  struct ClientPart {
    Verbs* verbs = nullptr;
    std::unique_ptr<LockClient> part;
  };
  struct ServerActor final : CallHandler {
    NodeId node;
    std::unique_ptr<ServerPart> part;
    Task<void> serve(Verbs& verbs, PendingCall pending) override;
  };

  void plan_nodes();
  void plan_hardware(std::uint32_t client_node, NodePlan& planned) const;
  std::uint64_t object_stride() const { return (shape_.object_bytes + 63) / 64 * 64; }
  std::uint64_t guard_bytes() const { return 8 * (1 + std::uint64_t{shape_.guard_slots}); }
  void fill(NodeId node, std::uint64_t offset, std::span<std::uint64_t> words) const;
  void attach_server(Hosting& backend, NodeId node, Time start);
  void attach_node(Hosting& backend, NodeId node);
  void attach_client(Hosting& backend, ClientId client);

  void plan_endpoints(const Hosting& backend);
  // Opens the endpoint that is planned for this actor, if any.
  EndpointAddr open_planned(Verbs& verbs, const EndpointPlan& plan, EndpointAddr planned) const;

  const Protocol& protocol_;
  WorldShape shape_;
  Shape told_;
  Layout layout_;
  Placement placement_;
  EntryTable table_;
  WorldPlan plan_;
  std::vector<NodeLayout> nodes_;  // by NodeId - 1
  std::vector<ClientPart> clients_;
  std::vector<std::unique_ptr<NodePart>> node_parts_;  // by NodeId - 1; null: none
  std::vector<std::unique_ptr<ServerActor>> servers_;
  std::vector<EndpointAddr> client_endpoints_;  // by client; empty: none are planned
  std::vector<EndpointAddr> node_endpoints_;    // by NodeId - 1, likewise
  std::vector<Verbs*> background_;
};

}  // namespace latchlab
