#include "core/runner/world.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab {

namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

World::World(const Protocol& protocol, const WorldShape& shape)
    : protocol_(protocol), shape_(shape), layout_(protocol.layout()) {
  LATCHLAB_CHECK(shape.servers > 0 && shape.clients() > 0 && shape.locks.count > 0, "empty world");
  LATCHLAB_CHECK(!shape.colocated || shape.client_nodes <= shape.servers,
                 "colocated clients need as many servers as client nodes");
  const std::uint64_t least = round_up(layout_.entry_bytes, layout_.entry_align);
  stride_ = std::max(least, round_up(shape.locks.stride_bytes, layout_.entry_align));
  plan_nodes();
}

std::uint64_t World::locks_on(std::uint32_t server) const {
  const std::uint64_t count = shape_.locks.count;
  const std::uint64_t servers = shape_.servers;
  switch (shape_.locks.placement) {
    case PlacementKind::round_robin:
      return count / servers + (server < count % servers ? 1 : 0);
    case PlacementKind::partitioned: {
      // Lock i lives on floor(i * S / count): server s starts at ceil(s * count / S).
      const auto start = [&](std::uint64_t s) { return (s * count + servers - 1) / servers; };
      return start(server + 1) - start(server);
    }
    case PlacementKind::node:
      return server == shape_.locks.node ? count : 0;
  }
  return 0;
}

World::Place World::place_of(LockId id) const {
  const std::uint64_t count = shape_.locks.count;
  const std::uint64_t servers = shape_.servers;
  LATCHLAB_CHECK(id.value < count, "no such lock");
  if (shape_.locks.placement == PlacementKind::round_robin)
    return {id.value % servers, id.value / servers};
  if (shape_.locks.placement == PlacementKind::node) return {shape_.locks.node, id.value};
  const std::uint64_t server = id.value * servers / count;
  return {server, id.value - (server * count + servers - 1) / servers};
}

LockRef World::lock(LockId id) const {
  const Place place = place_of(id);
  return {id, RemoteAddr{NodeId{static_cast<std::uint16_t>(place.server + 1)},
                         kLockTableOffset + place.index * stride_}};
}

RemoteAddr World::guard_of(LockId id) const {
  LATCHLAB_CHECK(shape_.guard, "a world without guard words");
  const Place place = place_of(id);
  return {NodeId{static_cast<std::uint16_t>(place.server + 1)},
          nodes_[place.server].guard_words + 8 * place.index};
}

NodeId WorldShape::node_of(ClientId client) const {
  const std::uint32_t index = client.value / clients_per_node;
  const std::uint32_t first = colocated ? 0 : servers;
  return NodeId{static_cast<std::uint16_t>(first + index + 1)};
}

void World::plan_nodes() {
  const std::uint32_t count = shape_.servers + (shape_.colocated ? 0 : shape_.client_nodes);
  nodes_.resize(count);
  plan_.seed = shape_.seed;
  plan_.clients = shape_.clients();
  for (std::uint32_t i = 0; i < count; ++i) {
    NodeLayout& node = nodes_[i];
    const bool server = i < shape_.servers;
    const bool clients = shape_.colocated ? i < shape_.client_nodes : !server;
    std::uint64_t at = kLockTableOffset;
    if (server) {
      node.locks = locks_on(i);
      if (shape_.locks.device_memory) node.device_bytes = at + node.locks * stride_;
      at = round_up(at + node.locks * stride_, 4096);
      node.guard_words = at;
      if (shape_.guard) at = round_up(at + 8 * node.locks, 64);
      node.server_words = at;
      at = round_up(at + layout_.server_bytes, 64);
    }
    if (clients) {
      node.clients = shape_.clients_per_node;
      node.node_words = at;
      at = round_up(at + layout_.node_bytes, 64);
      node.client_words = at;
      at += node.clients * round_up(layout_.client_bytes, 64);
    }
    plan_.nodes.push_back({NodeId{static_cast<std::uint16_t>(i + 1)}, round_up(at + 8, 4096),
                           server, clients, node.device_bytes});
  }
  plan_.image = [this](NodeId node, std::uint64_t offset, std::span<std::uint64_t> words) {
    fill(node, offset, words);
  };
}

void World::fill(NodeId node, std::uint64_t offset, std::span<std::uint64_t> words) const {
  const NodeLayout& layout = nodes_[node.value - 1];
  const std::uint64_t end = offset + words.size() * 8;
  const std::uint64_t table_end = kLockTableOffset + layout.locks * stride_;
  if (end <= kLockTableOffset || offset >= table_end) return;
  const std::uint64_t from = std::max(offset, kLockTableOffset) - kLockTableOffset;
  std::vector<std::uint64_t> entry(layout_.entry_bytes / 8);
  for (std::uint64_t index = from / stride_; index < layout.locks; ++index) {
    const std::uint64_t at = kLockTableOffset + index * stride_;
    if (at >= end) break;
    std::fill(entry.begin(), entry.end(), 0);
    protocol_.initial_image(RemoteAddr{node, at}, entry);
    for (std::size_t w = 0; w < entry.size(); ++w) {
      const std::uint64_t address = at + 8 * w;
      if (address >= offset && address < end) words[(address - offset) / 8] = entry[w];
    }
  }
}

Task<void> World::ServerActor::serve(Verbs& verbs, PendingCall pending) {
  return part->serve(verbs, pending);
}

void World::attach_server(Backend& backend, NodeId node) {
  const RemoteAddr words = server_words_[node.value - 1];
  auto actor = std::make_unique<ServerActor>();
  actor->part = protocol_.make_server({node, words});
  if (actor->part) {
    Verbs& verbs = backend.add_actor(ActorKind::server, node, ClientId{});
    background_.push_back(&verbs);
    backend.serve_calls(verbs, *actor);
    backend.spawn(verbs, actor->part->background(verbs), Time{});
  }
  servers_.push_back(std::move(actor));
}

void World::attach_node(Backend& backend, NodeId node) {
  const NodeLayout& layout = nodes_[node.value - 1];
  auto part = protocol_.make_node(
      {node, RemoteAddr{node, layout.node_words}, static_cast<std::uint32_t>(layout.clients)});
  if (part) {
    Verbs& verbs = backend.add_actor(ActorKind::node, node, ClientId{});
    background_.push_back(&verbs);
    backend.spawn(verbs, part->background(verbs), Time{});
  }
  node_parts_[node.value - 1] = std::move(part);
}

void World::attach_client(Backend& backend, ClientId client) {
  const NodeId node = node_of(client);
  const NodeLayout& layout = nodes_[node.value - 1];
  ClientPart& mine = clients_[client.value];
  mine.verbs = &backend.add_actor(ActorKind::client, node, client);
  const std::uint64_t here = client.value % shape_.clients_per_node;
  ClientEnv env;
  env.verbs = mine.verbs;
  env.client_words = {node, layout.client_words + here * round_up(layout_.client_bytes, 64)};
  env.node_words = {node, layout.node_words};
  env.node = node_parts_[node.value - 1].get();
  env.server_words = server_words_;
  env.clients = shape_.clients();
  mine.part = protocol_.make_client(env);
}

void World::attach(Backend& backend) {
  node_parts_.resize(nodes_.size());
  clients_.resize(shape_.clients());
  for (std::uint32_t i = 0; i < shape_.servers; ++i)
    server_words_.push_back({plan_.nodes[i].id, nodes_[i].server_words});
  for (const NodePlan& node : plan_.nodes)
    if (node.server && backend.hosts(node.id)) attach_server(backend, node.id);
  for (const NodePlan& node : plan_.nodes)
    if (node.clients && backend.hosts(node.id)) attach_node(backend, node.id);
  for (std::uint32_t i = 0; i < shape_.clients(); ++i)
    if (backend.hosts(node_of(ClientId{i}))) attach_client(backend, ClientId{i});
}

bool World::belongs(RemoteAddr addr, std::uint64_t bytes) const {
  if (addr.node.value < 1 || addr.node.value > nodes_.size()) return false;
  const NodeLayout& node = nodes_[addr.node.value - 1];
  if (addr.offset >= plan_.nodes[addr.node.value - 1].bytes) return true;  // allocated
  // Of `count` things of `size` bytes each, `stride` apart.
  const auto inside = [&](std::uint64_t start, std::uint64_t count, std::uint64_t stride,
                          std::uint64_t size) {
    if (stride == 0 || addr.offset < start || (addr.offset - start) / stride >= count) return false;
    return (addr.offset - start) % stride + bytes <= size;
  };
  const std::uint64_t client_stride = round_up(layout_.client_bytes, 64);
  const bool server = addr.node.value <= shape_.servers;
  return inside(kLockTableOffset, node.locks, stride_, layout_.entry_bytes) ||
         (shape_.guard && inside(node.guard_words, node.locks, 8, 8)) ||
         (server && inside(node.server_words, 1, ~0ULL, layout_.server_bytes)) ||
         (node.clients > 0 && inside(node.node_words, 1, ~0ULL, layout_.node_bytes)) ||
         inside(node.client_words, node.clients, client_stride, layout_.client_bytes);
}

}  // namespace latchlab
