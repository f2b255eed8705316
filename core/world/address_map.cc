#include "core/world/address_map.h"

#include <algorithm>

namespace latchlab {

namespace {

constexpr std::uint64_t kWordBytes = 8;

}  // namespace

AddressMap::AddressMap(const World& world)
    : world_(world),
      layout_(world.protocol().layout(world.shape())),
      placement_(world.world_shape().locks, world.world_shape().servers),
      stretches_(world.plan().nodes.size()) {
  // The distance of entries is the same on all servers; if no server has two, any value will do.
  entry_stride_ = std::max<std::uint64_t>(layout_.entry_bytes, 1);
  for (std::uint64_t server = 0; server < world.shape().servers; ++server) {
    if (placement_.locks_on(server) < 2) continue;
    const RemoteAddr second = world.lock(placement_.lock_at({server, 1})).entry;
    entry_stride_ = second.offset - kLockTableOffset;
  }
  std::uint32_t client = 0;
  for (const NodePlan& node : world.plan().nodes) {
    std::vector<Stretch>& here = stretches_[node.id.value - 1];
    if (node.server && layout_.server_bytes > 0)
      here.push_back({AddressOwner::Kind::server, world.server_words(node.id).offset, 1,
                      layout_.server_bytes, layout_.server_bytes, 0});
    if (!node.clients) continue;
    add_clients(node.id, client);
    while (client < world.shape().clients && world.node_of(ClientId{client}) == node.id) ++client;
  }
}

void AddressMap::add_clients(NodeId node, std::uint32_t first) {
  std::vector<Stretch>& here = stretches_[node.value - 1];
  std::uint32_t end = first;
  while (end < world_.shape().clients && world_.node_of(ClientId{end}) == node) ++end;
  if (layout_.node_bytes > 0)
    here.push_back({AddressOwner::Kind::node, world_.node_words(node).offset, 1, layout_.node_bytes,
                    layout_.node_bytes, 0});
  if (layout_.node_lock_bytes > 0)
    here.push_back({AddressOwner::Kind::node_lock, world_.node_lock_words(node, LockId{}).offset,
                    world_.shape().locks, layout_.node_lock_bytes, layout_.node_lock_bytes, 0});
  if (layout_.client_bytes == 0 || end == first) return;
  const std::uint64_t begin = world_.client_words(ClientId{first}).offset;
  const std::uint64_t stride = end - first > 1
                                   ? world_.client_words(ClientId{first + 1}).offset - begin
                                   : layout_.client_bytes;
  here.push_back(
      {AddressOwner::Kind::client, begin, end - first, stride, layout_.client_bytes, first});
}

// Finds the entries that are parts of a word.
bool AddressMap::entry_at(RemoteAddr addr, AddressOwner& place) const {
  const std::uint64_t server = addr.node.value - 1ULL;
  if (server >= world_.shape().servers || layout_.entry_bytes == 0) return false;
  const std::uint64_t locks = placement_.locks_on(server);
  if (addr.offset < kLockTableOffset || locks == 0) return false;
  const bool parts = layout_.entry_bytes % kWordBytes != 0;
  const std::uint64_t at = addr.offset - kLockTableOffset;
  const std::uint64_t from = parts ? at / kWordBytes * kWordBytes : at;
  std::uint64_t index = (from + (parts ? entry_stride_ - 1 : 0)) / entry_stride_;
  const std::uint64_t end = parts ? from + kWordBytes : from + 1;
  for (; index < locks && index * entry_stride_ < end; ++index)
    place.locks.push_back(placement_.lock_at({server, index}));
  if (place.locks.empty()) return false;
  place.byte = addr.offset -
               (parts ? from + kLockTableOffset : world_.lock(place.locks.front()).entry.offset);
  if (!parts && place.byte >= layout_.entry_bytes) place.locks.clear();
  return !place.locks.empty();
}

AddressOwner AddressMap::of(RemoteAddr addr) const {
  AddressOwner place;
  place.node = addr.node;
  if (addr.node.value < 1 || addr.node.value > stretches_.size()) return place;
  if (entry_at(addr, place)) {
    place.kind = AddressOwner::Kind::entry;
    return place;
  }
  for (const Stretch& each : stretches_[addr.node.value - 1]) {
    if (addr.offset < each.begin) continue;
    const std::uint64_t index = (addr.offset - each.begin) / each.stride;
    const std::uint64_t byte = (addr.offset - each.begin) % each.stride;
    if (index >= each.count || byte >= each.bytes) continue;
    place.kind = each.kind;
    place.byte = byte;
    if (each.kind == AddressOwner::Kind::node_lock) place.locks.push_back(LockId{index});
    if (each.kind == AddressOwner::Kind::client)
      place.client = ClientId{each.first + static_cast<std::uint32_t>(index)};
    return place;
  }
  return place;
}

std::string name_of(const AddressOwner& place) {
  const auto lock = [&](std::size_t i) { return std::to_string(place.locks[i].value); };
  switch (place.kind) {
    case AddressOwner::Kind::entry:
      if (place.locks.size() == 1) return "lock " + lock(0);
      return "locks " + lock(0) + " to " + lock(place.locks.size() - 1);
    case AddressOwner::Kind::server:
      return "words of server " + std::to_string(place.node.value);
    case AddressOwner::Kind::node:
      return "words of node " + std::to_string(place.node.value);
    case AddressOwner::Kind::client:
      return "words of client " + std::to_string(place.client.value);
    case AddressOwner::Kind::node_lock:
      return "words of node " + std::to_string(place.node.value) + " about lock " + lock(0);
    case AddressOwner::Kind::elsewhere:
      break;
  }
  return "node " + std::to_string(place.node.value);
}

}  // namespace latchlab
