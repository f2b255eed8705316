// Which memory of a world belongs to a lock.

#include <gtest/gtest.h>

#include <set>

#include "backends/explorer/explorer_backend.h"
#include "core/world/world.h"

namespace latchlab {
namespace {

// 24 bytes per entry, each in 32; 40 bytes on a server, 8 on a client node, 16 for each client.
class TwoWords final : public Protocol {
 public:
  Layout layout(const Shape& /*shape*/) const override {
    Layout layout;
    layout.entry_bytes = 24;
    layout.entry_align = 16;
    layout.server_bytes = 40;
    layout.client_bytes = 16;
    layout.node_bytes = 8;
    layout.node_lock_bytes = 24;
    return layout;
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv& env) const override {
    clients.push_back(env);
    return nullptr;
  }
  std::unique_ptr<ServerPart> make_server(const ServerEnv& env) const override {
    server = env;
    return nullptr;
  }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }

  mutable std::vector<ClientEnv> clients;
  mutable ServerEnv server;
};

class Belonging : public ::testing::Test {
 protected:
  Belonging() : world(protocol, shape()), backend(make_explorer(world.plan(), {})) {
    world.attach(*backend);
  }
  static WorldShape shape() {
    WorldShape shape;
    shape.client_nodes = 1;
    shape.clients_per_node = 2;
    shape.locks.count = 2;
    return shape;
  }
  // The given number of bytes from `start` on belongs to the lock, and nothing behind them.
  void expect_owned(RemoteAddr start, std::uint64_t bytes) const {
    SCOPED_TRACE(start.offset);
    EXPECT_TRUE(world.belongs(start, 8));
    EXPECT_TRUE(world.belongs(start, bytes));
    EXPECT_TRUE(world.belongs(start + (bytes - 8), 8));
    EXPECT_FALSE(world.belongs(start, bytes + 8));
    EXPECT_FALSE(world.belongs(start + (bytes - 8), 16));
  }

  const TwoWords protocol;
  World world;
  std::unique_ptr<Backend> backend;
};

TEST_F(Belonging, entries_belong_to_the_lock) {
  expect_owned(world.lock(LockId{0}).entry, 24);
  expect_owned(world.lock(LockId{1}).entry, 24);
  EXPECT_FALSE(world.belongs(world.lock(LockId{0}).entry + 24, 8));
  EXPECT_FALSE(world.belongs(world.lock(LockId{1}).entry + 32, 8));
  EXPECT_FALSE(world.belongs({NodeId{1}, 0}, 8));
  EXPECT_FALSE(world.belongs({NodeId{2}, world.lock(LockId{0}).entry.offset}, 24));
}
TEST_F(Belonging, words_of_servers_nodes_and_clients_belong_to_the_lock) {
  expect_owned(protocol.server.server_words, 40);
  expect_owned(protocol.clients[0].node_words, 8);
  expect_owned(protocol.clients[0].client_words, 16);
  expect_owned(protocol.clients[1].client_words, 16);
  expect_owned(world.node_lock_words(NodeId{2}, LockId{0}), 24);
}
TEST(Objects, lie_side_by_side_on_the_servers_of_their_locks_and_belong_to_them) {
  const TwoWords protocol;
  WorldShape shape;
  shape.servers = 2;
  shape.locks.count = 5;
  shape.guard = true;
  shape.object_bytes = 72;
  const World world(protocol, shape);
  std::set<RemoteAddr> seen;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const RemoteAddr object = world.object_of(LockId{i});
    EXPECT_EQ(object.node, world.lock(LockId{i}).entry.node);
    EXPECT_EQ(object.offset % 64, 0U);
    EXPECT_TRUE(world.belongs(object, 72));
    EXPECT_FALSE(world.belongs(object, 80));
    EXPECT_FALSE(world.belongs(object + 72, 8));
    EXPECT_LT(object.offset + 72, world.plan().nodes[object.node.value - 1].bytes);
    EXPECT_TRUE(seen.insert(object).second);
  }
}

TEST(Groups, of_clients_lie_on_their_own_nodes_in_order) {
  const TwoWords protocol;
  WorldShape shape;
  shape.servers = 1;
  shape.client_nodes = 4;
  shape.groups = {{2, 3}, {1, 1}, {1, 5}};
  const World world(protocol, shape);
  EXPECT_EQ(shape.clients(), 12U);
  std::vector<std::uint16_t> nodes;
  std::set<RemoteAddr> words;
  for (std::uint32_t i = 0; i < 12; ++i) {
    nodes.push_back(world.node_of(ClientId{i}).value);
    const RemoteAddr own = world.client_words(ClientId{i});
    EXPECT_EQ(own.node, world.node_of(ClientId{i}));
    EXPECT_TRUE(world.belongs(own, 16));
    EXPECT_TRUE(words.insert(own).second);
  }
  EXPECT_EQ(nodes, (std::vector<std::uint16_t>{2, 2, 2, 3, 3, 3, 4, 5, 5, 5, 5, 5}));
  EXPECT_EQ(shape.place_of(ClientId{11}).index, 4U);
}

TEST_F(Belonging, memory_allocated_later_belongs_to_the_lock) {
  EXPECT_TRUE(world.belongs({NodeId{1}, world.plan().nodes[0].bytes}, 64));
}
TEST_F(Belonging, nodes_that_do_not_exist_have_no_memory_of_the_lock) {
  EXPECT_FALSE(world.belongs({kNoNode, kLockTableOffset}, 8));
  EXPECT_FALSE(world.belongs({NodeId{3}, kLockTableOffset}, 8));
}

}  // namespace
}  // namespace latchlab
