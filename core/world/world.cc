#include "core/world/world.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/check.h"
#include "core/base/multiples.h"
#include "core/world/levels.h"

namespace latchlab {

Shape shape_for_protocols(const WorldShape& shape) {
  Shape told;
  told.servers = shape.servers;
  told.client_nodes = shape.client_nodes;
  told.clients = shape.clients();
  told.locks = shape.locks.count;
  told.colocated = shape.colocated;
  std::vector<std::uint32_t> hosts;  // by node
  for (std::uint32_t node = 0; node < told.nodes(); ++node) {
    const bool shares =
        !shape.colocated && node > shape.servers && shape.sharers_before(node - shape.servers) > 0;
    hosts.push_back(hosts.empty() ? 0 : hosts.back() + (shares ? 0 : 1));
  }
  told.levels = levels_of(shape.topology, hosts);
  return told;
}

World::World(const Protocol& protocol, const WorldShape& shape)
    : protocol_(protocol),
      shape_(shape),
      told_(shape_for_protocols(shape)),
      layout_(protocol.layout(told_)),
      placement_(shape.locks, shape.servers),
      table_(layout_, shape.locks.stride_bytes) {
  LATCHLAB_CHECK(shape.servers > 0 && shape.clients() > 0 && shape.locks.count > 0, "empty world");
  LATCHLAB_CHECK(!shape.colocated || shape.client_nodes <= shape.servers,
                 "colocated clients need as many servers as client nodes");
  LATCHLAB_CHECK(!shape.colocated || shape.client_nodes_per_nic == 1,
                 "each server has an RNIC of its own");
  plan_nodes();
}

LockRef World::lock(LockId id) const {
  const Placement::Slot place = placement_.place_of(id);
  return {id, RemoteAddr{NodeId{static_cast<std::uint16_t>(place.server + 1)},
                         table_.offset_of(place.index)}};
}

RemoteAddr World::guard_of(LockId id) const {
  LATCHLAB_CHECK(shape_.guard, "a world without guard words");
  const Placement::Slot place = placement_.place_of(id);
  return {NodeId{static_cast<std::uint16_t>(place.server + 1)},
          nodes_[place.server].guard_words + guard_bytes() * place.index};
}

RemoteAddr World::object_of(LockId id) const {
  LATCHLAB_CHECK(shape_.object_bytes > 0, "a world without objects");
  const Placement::Slot place = placement_.place_of(id);
  return {NodeId{static_cast<std::uint16_t>(place.server + 1)},
          nodes_[place.server].objects + object_stride() * place.index};
}

RemoteAddr World::buffer_of(ClientId client) const {
  LATCHLAB_CHECK(shape_.object_bytes > 0, "a world without objects");
  const NodeId node = node_of(client);
  return {node, nodes_[node.value - 1].buffers + object_stride() * shape_.place_of(client).index};
}

std::optional<ClientId> World::client_at(RemoteAddr addr) const {
  const NodeLayout& node = nodes_[addr.node.value - 1];
  if (node.clients == 0) return std::nullopt;
  std::uint64_t index = 0;
  // If the word lies in a row of `items`, `stride` apart: the client that has it.
  const auto look_in = [&](std::uint64_t start, std::uint64_t items, std::uint64_t stride) {
    if (addr.offset >= start && addr.offset - start < items * stride)
      index = (addr.offset - start) / stride * node.clients / items;
  };
  look_in(kLockTableOffset, node.locks, table_.offset_of(1) - kLockTableOffset);
  if (shape_.guard) look_in(node.guard_words, node.locks, guard_bytes());
  look_in(node.objects, node.locks, object_stride());
  look_in(node.client_words, node.clients, round_up(layout_.client_bytes, 64));
  look_in(node.buffers, node.clients, object_stride());
  return ClientId{node.first_client + static_cast<std::uint32_t>(index)};
}

RemoteAddr World::data_on(std::uint32_t client_node) const {
  LATCHLAB_CHECK(shape_.file_data, "a world without file data");
  const NodeId node = World::client_node(client_node);
  return {node, nodes_[node.value - 1].data};
}

RemoteAddr World::counter_of(ClientId client) const {
  LATCHLAB_CHECK(shape_.counters, "a world without counters");
  const NodeId node = World::node_of(client);
  return {node, nodes_[node.value - 1].counter};
}

void World::plan_nodes() {
  const std::uint32_t count = shape_.servers + (shape_.colocated ? 0 : shape_.client_nodes);
  nodes_.resize(count);
  std::uint32_t clients_so_far = 0;
  plan_.seed = shape_.seed;
  plan_.clients = shape_.clients();
  for (std::uint32_t i = 0; i < count; ++i) {
    NodeLayout& node = nodes_[i];
    const bool server = i < shape_.servers;
    const bool clients = shape_.colocated ? i < shape_.client_nodes : !server;
    std::uint64_t at = kLockTableOffset;
    if (server) {
      node.locks = placement_.locks_on(i);
      if (shape_.locks.device_memory) node.device_bytes = table_.offset_of(node.locks);
      at = round_up(table_.offset_of(node.locks), 4096);
      node.guard_words = at;
      if (shape_.guard) at = round_up(at + guard_bytes() * node.locks, 64);
      node.objects = at;
      at += object_stride() * node.locks;
      node.server_words = at;
      at = round_up(at + layout_.server_bytes, 64);
    }
    if (clients) {
      node.clients = shape_.clients_on(shape_.colocated ? i : i - shape_.servers);
      node.first_client = clients_so_far;
      clients_so_far += static_cast<std::uint32_t>(node.clients);
      node.node_words = at;
      at = round_up(at + layout_.node_bytes, 64);
      node.client_words = at;
      at += node.clients * round_up(layout_.client_bytes, 64);
      node.buffers = at;
      at += node.clients * object_stride();
      node.node_lock_words = at;
      at += shape_.locks.count * layout_.node_lock_bytes;
      node.data = round_up(at, 64);
      if (shape_.file_data) at = node.data + object_stride();
      node.counter = round_up(at, 64);
      if (shape_.counters) at = node.counter + 8;
    }
    NodePlan& planned = plan_.nodes.emplace_back();
    planned = {NodeId{static_cast<std::uint16_t>(i + 1)}, round_up(at + 8, 4096), server, clients,
               node.device_bytes};
    if (clients) plan_hardware(shape_.colocated ? i : i - shape_.servers, planned);
  }
  plan_.image = [this](NodeId node, std::uint64_t offset, std::span<std::uint64_t> words) {
    fill(node, offset, words);
  };
  plan_.client_at = [this](RemoteAddr addr) { return client_at(addr); };
}

void World::plan_hardware(std::uint32_t client_node, NodePlan& planned) const {
  planned.group = shape_.place_of_node(client_node).group;
  if (const std::uint32_t before = shape_.sharers_before(client_node); before > 0)
    planned.rnic = NodeId{static_cast<std::uint16_t>(planned.id.value - before)};
}

void World::fill(NodeId node, std::uint64_t offset, std::span<std::uint64_t> words) const {
  table_.fill(protocol_, node, nodes_[node.value - 1].locks, offset, words);
}

Task<void> World::ServerActor::serve(Verbs& verbs, PendingCall pending) {
  return part->serve(verbs, pending);
}

void World::attach_server(Hosting& backend, NodeId node, Time start) {
  auto actor = std::make_unique<ServerActor>();
  actor->node = node;
  actor->part = protocol_.make_server({node, this, server_words(node)});
  if (actor->part) {
    Verbs& verbs = backend.add_actor(ActorKind::server, node, ClientId{});
    background_.push_back(&verbs);
    backend.serve_calls(verbs, *actor);
    backend.spawn(verbs, actor->part->background(verbs), start);
  }
  servers_.push_back(std::move(actor));
}

std::vector<const void*> World::parts_at(NodeId node) const {
  std::vector<const void*> parts;
  if (const auto& part = node_parts_[node.value - 1]) parts.push_back(part.get());
  for (const auto& server : servers_)
    if (server->node == node && server->part) parts.push_back(server->part.get());
  return parts;
}

EndpointAddr World::open_planned(Verbs& verbs, const EndpointPlan& plan,
                                 EndpointAddr planned) const {
  if (plan.recvs == 0) return {};
  const EndpointAddr opened = verbs.open_endpoint(plan.recvs, plan.transport);
  LATCHLAB_CHECK(opened == planned,
                 "a protocol with planned endpoints opens others only after its parts are made");
  return opened;
}

void World::attach_node(Hosting& backend, NodeId node) {
  NodeEnv env;
  env.node = node;
  env.peers = this;
  env.node_words = node_words(node);
  env.endpoint = node_endpoint(node);
  env.clients_here = static_cast<std::uint32_t>(nodes_[node.value - 1].clients);
  auto part = protocol_.make_node(env);
  LATCHLAB_CHECK(part || layout_.node_endpoint.recvs == 0,
                 "a protocol without node parts plans no endpoints for them");
  if (part) {
    Verbs& verbs = backend.add_actor(ActorKind::node, node, ClientId{});
    open_planned(verbs, layout_.node_endpoint, env.endpoint);
    background_.push_back(&verbs);
    backend.spawn(verbs, part->background(verbs), Time{});
  }
  node_parts_[node.value - 1] = std::move(part);
}

void World::attach_client(Hosting& backend, ClientId client) {
  const NodeId node = node_of(client);
  ClientPart& mine = clients_[client.value];
  mine.verbs = &backend.add_actor(ActorKind::client, node, client);
  ClientEnv env;
  env.verbs = mine.verbs;
  env.peers = this;
  env.client_words = client_words(client);
  env.node_words = node_words(node);
  env.endpoint = open_planned(*mine.verbs, layout_.client_endpoint, endpoint_of(client));
  env.node = node_parts_[node.value - 1].get();
  mine.part = protocol_.make_client(env);
}

// In the order in which they will be opened: a node's own endpoint, then those of its clients.
void World::plan_endpoints(const Hosting& backend) {
  std::map<std::pair<NodeId, std::uint32_t>, std::uint32_t> opened;  // by node and thread
  const auto next = [&](ActorKind kind, NodeId node, ClientId client) {
    const std::uint32_t thread = backend.thread_of(kind, node, client);
    return backend.endpoint_address(node, thread, ++opened[{node, thread}]);
  };
  if (layout_.node_endpoint.recvs > 0) {
    node_endpoints_.resize(nodes_.size());
    for (const NodePlan& node : plan_.nodes)
      if (node.clients) node_endpoints_[node.id.value - 1] = next(ActorKind::node, node.id, {});
  }
  if (layout_.client_endpoint.recvs == 0) return;
  for (std::uint32_t i = 0; i < shape_.clients(); ++i)
    client_endpoints_.push_back(next(ActorKind::client, node_of(ClientId{i}), ClientId{i}));
}

void World::attach(Hosting& backend) {
  node_parts_.resize(nodes_.size());
  clients_.resize(shape_.clients());
  plan_endpoints(backend);
  for (const NodePlan& node : plan_.nodes)
    if (node.server && backend.hosts(node.id)) attach_server(backend, node.id, Time{});
  for (const NodePlan& node : plan_.nodes)
    if (node.clients && backend.hosts(node.id)) attach_node(backend, node.id);
  for (std::uint32_t i = 0; i < shape_.clients(); ++i)
    if (backend.hosts(node_of(ClientId{i}))) attach_client(backend, ClientId{i});
}

// ---- the directory ----

NodeId World::client_node(std::uint32_t index) const {
  LATCHLAB_CHECK(index < shape_.client_nodes, "no such client node");
  return NodeId{static_cast<std::uint16_t>((shape_.colocated ? 0 : shape_.servers) + index + 1)};
}

std::uint32_t World::client_node_index(NodeId node) const {
  const std::uint32_t index = node.value - 1U - (shape_.colocated ? 0 : shape_.servers);
  LATCHLAB_CHECK(index < shape_.client_nodes, "no client node");
  return index;
}

EndpointAddr World::endpoint_of(ClientId client) const {
  return client_endpoints_.empty() ? EndpointAddr{} : client_endpoints_[client.value];
}

EndpointAddr World::node_endpoint(NodeId client_node) const {
  return node_endpoints_.empty() ? EndpointAddr{} : node_endpoints_[client_node.value - 1];
}

RemoteAddr World::client_words(ClientId client) const {
  const NodeId node = node_of(client);
  const std::uint64_t here = shape_.place_of(client).index;
  return {node, nodes_[node.value - 1].client_words + here * round_up(layout_.client_bytes, 64)};
}

RemoteAddr World::node_words(NodeId client_node) const {
  return {client_node, nodes_[client_node.value - 1].node_words};
}

RemoteAddr World::node_lock_words(NodeId client_node, LockId lock) const {
  LATCHLAB_CHECK(lock.value < shape_.locks.count, "no such lock");
  return {client_node,
          nodes_[client_node.value - 1].node_lock_words + lock.value * layout_.node_lock_bytes};
}

RemoteAddr World::server_words(NodeId server) const {
  return {server, nodes_[server.value - 1].server_words};
}

bool World::belongs(RemoteAddr addr, std::uint64_t bytes) const {
  if (addr.node.value < 1 || addr.node.value > nodes_.size()) return false;
  const NodeLayout& node = nodes_[addr.node.value - 1];
  if (addr.offset >= plan_.nodes[addr.node.value - 1].bytes) return true;  // allocated
  // In one of `count` items of `size` bytes each, `stride` apart.
  const auto inside = [&](std::uint64_t start, std::uint64_t count, std::uint64_t stride,
                          std::uint64_t size) {
    if (stride == 0 || addr.offset < start || (addr.offset - start) / stride >= count) return false;
    return (addr.offset - start) % stride + bytes <= size;
  };
  const std::uint64_t client_stride = round_up(layout_.client_bytes, 64);
  const bool server = addr.node.value <= shape_.servers;
  const bool clients = plan_.nodes[addr.node.value - 1].clients;
  return table_.holds(addr.offset, bytes, node.locks) ||
         (shape_.guard && inside(node.guard_words, node.locks, guard_bytes(), guard_bytes())) ||
         inside(node.objects, node.locks, object_stride(), shape_.object_bytes) ||
         (clients && shape_.file_data && inside(node.data, 1, ~0ULL, shape_.object_bytes)) ||
         (clients && shape_.counters && inside(node.counter, 1, ~0ULL, 8)) ||
         inside(node.buffers, node.clients, object_stride(), shape_.object_bytes) ||
         (server && inside(node.server_words, 1, ~0ULL, layout_.server_bytes)) ||
         (node.clients > 0 && inside(node.node_words, 1, ~0ULL, layout_.node_bytes)) ||
         inside(node.client_words, node.clients, client_stride, layout_.client_bytes) ||
         (node.clients > 0 && inside(node.node_lock_words, shape_.locks.count,
                                     layout_.node_lock_bytes, layout_.node_lock_bytes));
}

}  // namespace latchlab
