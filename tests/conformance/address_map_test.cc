// Which object an address belongs to: for everything that a world lays out, the first and last
// byte, and the byte behind it.

#include "core/world/address_map.h"

#include <gtest/gtest.h>

#include <map>

namespace latchlab::conformance {
namespace {

class Ground : public Protocol {
 public:
  explicit Ground(std::uint64_t entry_bytes) : entry_bytes_(entry_bytes) {}
  Layout layout(const Shape& /*shape*/) const override {
    return {.entry_bytes = entry_bytes_,
            .entry_align = entry_bytes_ < 8 ? entry_bytes_ : 8,
            .server_bytes = 72,
            .client_bytes = 40,
            .node_bytes = 24,
            .node_lock_bytes = 16};
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv&) const override { return nullptr; }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }

 private:
  std::uint64_t entry_bytes_;
};

WorldShape shape_of(PlacementKind placement, bool colocated) {
  WorldShape shape;
  shape.servers = 3;
  shape.client_nodes = 2;
  shape.clients_per_node = 3;
  shape.colocated = colocated;
  shape.locks.count = 11;
  shape.locks.placement = placement;
  shape.locks.node = 1;
  return shape;
}

class PlacesOf : public ::testing::TestWithParam<std::tuple<PlacementKind, bool>> {
 protected:
  const Ground ground{24};
  const World world{ground, shape_of(std::get<0>(GetParam()), std::get<1>(GetParam()))};
  const AddressMap places{world};

  void expect(RemoteAddr begin, std::uint64_t bytes, const std::string& name) {
    for (const std::uint64_t byte : {std::uint64_t{0}, bytes - 8}) {
      EXPECT_EQ(name_of(places.of(begin + byte)), name);
      EXPECT_EQ(places.of(begin + byte).byte, byte);
    }
    EXPECT_NE(name_of(places.of(begin + bytes)), name);
  }
};

TEST_P(PlacesOf, objects_of_a_world_are_found_by_address) {
  for (LockId lock; lock.value < 11; ++lock.value) {
    expect(world.lock(lock).entry, 24, "lock " + std::to_string(lock.value));
    for (std::uint32_t node = 0; node < 2; ++node)
      expect(world.node_lock_words(world.client_node(node), lock), 16,
             "words of node " + std::to_string(world.client_node(node).value) + " about lock " +
                 std::to_string(lock.value));
  }
  for (ClientId client; client.value < 6; ++client.value)
    expect(world.client_words(client), 40, "words of client " + std::to_string(client.value));
  for (std::uint16_t server = 1; server <= 3; ++server)
    expect(world.server_words(NodeId{server}), 72, "words of server " + std::to_string(server));
  for (std::uint32_t node = 0; node < 2; ++node) {
    const NodeId id = world.client_node(node);
    expect(world.node_words(id), 24, "words of node " + std::to_string(id.value));
  }
}

TEST_P(PlacesOf, words_lie_in_the_memory_of_a_client_of_their_node) {
  for (ClientId client; client.value < 6; ++client.value)
    EXPECT_EQ(world.client_at(world.client_words(client) + 32), client);
  std::map<NodeId, std::uint32_t> last;  // the client that has the node's last lock so far
  for (LockId lock; lock.value < 11; ++lock.value) {
    const RemoteAddr entry = world.lock(lock).entry;
    const auto owner = world.client_at(entry + 16);
    EXPECT_EQ(owner.has_value(), world.plan().nodes[entry.node.value - 1].clients);
    if (!owner) continue;
    EXPECT_EQ(world.node_of(*owner), entry.node);
    EXPECT_GE(owner->value, last[entry.node]);
    last[entry.node] = owner->value;
  }
}

TEST_P(PlacesOf, other_addresses_are_elsewhere) {
  for (const RemoteAddr addr : {RemoteAddr{NodeId{1}, 0}, RemoteAddr{NodeId{1}, 1ULL << 40},
                                RemoteAddr{NodeId{77}, 4096}, RemoteAddr{NodeId{0}, 4096}})
    EXPECT_EQ(places.of(addr).kind, AddressOwner::Kind::elsewhere) << addr.node.value;
}

INSTANTIATE_TEST_SUITE_P(all, PlacesOf,
                         ::testing::Combine(::testing::Values(PlacementKind::round_robin,
                                                              PlacementKind::partitioned,
                                                              PlacementKind::node),
                                            ::testing::Bool()));

TEST(PlacesOfParts, several_locks_in_a_word_name_all_of_them) {
  const Ground ground(2);
  WorldShape shape = shape_of(PlacementKind::node, false);
  const World world(ground, shape);
  const AddressMap places(world);
  EXPECT_EQ(name_of(places.of({NodeId{2}, 4096})), "locks 0 to 3");
  EXPECT_EQ(places.of({NodeId{2}, 4104}).locks.size(), 4U);
  EXPECT_EQ(name_of(places.of({NodeId{2}, 4112})), "locks 8 to 10");
  EXPECT_NE(places.of({NodeId{2}, 4120}).kind, AddressOwner::Kind::entry);
  EXPECT_NE(places.of({NodeId{1}, 4096}).kind, AddressOwner::Kind::entry);
}

TEST(PlacesOfOneLock, work_with_a_single_lock) {
  const Ground ground(8);
  WorldShape shape = shape_of(PlacementKind::round_robin, false);
  shape.locks.count = 1;
  const World world(ground, shape);
  const AddressMap places(world);
  EXPECT_EQ(name_of(places.of(world.lock(LockId{0}).entry)), "lock 0");
  EXPECT_NE(places.of(world.lock(LockId{0}).entry + 8).kind, AddressOwner::Kind::entry);
}

}  // namespace
}  // namespace latchlab::conformance
