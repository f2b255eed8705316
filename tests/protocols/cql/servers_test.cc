// CQL's node part, call by call, when a server restarts.

#include "core/protocols/cql/node.h"
#include "tests/protocols/harness.h"

namespace latchlab::cql_tests {
namespace {

constexpr ClientId kOne{0};
constexpr ClientId kTwo{1};

// Locks 0 and 2 are on the first server, lock 1 is on the second one.
class Visited {
 public:
  Visited() {
    const ProtocolEntry& entry = *find_protocol("cql");
    protocol_ = entry.make(entry.info.resolve("repaired"));
    WorldShape shape;
    shape.servers = 2;
    shape.clients_per_node = 2;
    shape.locks.count = 3;
    world_ = std::make_unique<World>(*protocol_, shape);
    NodeEnv env;
    env.peers = world_.get();
    env.clients_here = 2;
    env.node = env.peers->client_node(0);
    part_ = protocol_->make_node(env);
  }
  cql::Node& node() { return static_cast<cql::Node&>(*part_); }
  NodeId server(std::uint64_t lock) const { return world_->lock(LockId{lock}).entry.node; }
  void ask(NodeId server, std::uint32_t life) {
    node().servers().ask({EndpointAddr{NodeId{4}, 1}, server, life});
  }

 private:
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<NodePart> part_;
};

TEST(CqlServers, are_used_after_a_restart_once_all_nodes_have_been_met) {
  cql::Servers servers(2);
  const NodeId first{1};
  EXPECT_TRUE(servers.may_use(first, 0));
  servers.is_in(first, 2);
  EXPECT_FALSE(servers.may_use(first, 0));
  EXPECT_FALSE(servers.may_use(first, 2));
  servers.met(first, 2);
  EXPECT_TRUE(servers.may_use(first, 2));
  EXPECT_TRUE(servers.may_use(NodeId{2}, 0));
  servers.is_in(first, 1);  // out of date
  servers.met(first, 1);
  EXPECT_TRUE(servers.may_use(first, 2));
}

TEST(CqlServers, are_cleared_when_the_last_holder_from_before_a_restart_has_left) {
  Visited visited;
  cql::Node& node = visited.node();
  const NodeId first = visited.server(0);
  node.enter(LockId{0}, kOne);
  node.enter(LockId{1}, kOne);
  node.enter(LockId{2}, kTwo);
  EXPECT_FALSE(node.owes_answer(first));
  visited.ask(first, 1);
  EXPECT_FALSE(node.owes_answer(first));
  node.leave(LockId{0}, kOne);
  EXPECT_FALSE(node.owes_answer(first));
  node.leave(LockId{2}, kTwo);
  EXPECT_TRUE(node.owes_answer(first));
  EXPECT_FALSE(node.owes_answer(visited.server(1)));
}

// A client that acquired a lock since the restart may keep it.
TEST(CqlServers, are_cleared_once_after_each_restart) {
  Visited visited;
  cql::Node& node = visited.node();
  const NodeId first = visited.server(0);
  visited.ask(first, 1);
  EXPECT_TRUE(node.owes_answer(first));
  node.enter(LockId{0}, kOne);
  EXPECT_TRUE(node.owes_answer(first));
  visited.ask(first, 2);
  EXPECT_FALSE(node.owes_answer(first));
}

TEST(CqlServers, begin_after_a_restart_with_higher_reset_counts) {
  Visited visited;
  cql::Node& node = visited.node();
  const std::uint32_t before = node.enter(LockId{0}, kOne);
  node.leave(LockId{0}, kOne);
  EXPECT_EQ(before, 0U);
  visited.ask(visited.server(0), 1);
  EXPECT_EQ(node.count_of(LockId{0}), cql::first_count(1));
  EXPECT_EQ(node.count_of(LockId{1}), 0U);
  EXPECT_FALSE(
      node.enter_again(LockId{0}, kOne, before));  // by a notification from before the restart
  EXPECT_TRUE(node.enter_again(LockId{0}, kOne, cql::first_count(1)));
  Message reset;
  reset.lock = LockId{0};
  reset.generation = before + 7;  // from before the restart
  node.heard_of(reset);
  EXPECT_EQ(node.count_of(LockId{0}), cql::first_count(1));
  EXPECT_EQ(cql::life_of_count(node.count_of(LockId{0})), ServerLife{2});
}

Message question(std::uint32_t count, ClientId asks) {
  Message reset;
  reset.type = cql::kReset;
  reset.lock = LockId{0};
  reset.generation = count;
  reset.words = {EndpointAddr{NodeId{1}, 1}.packed(), asks.value};
  return reset;
}

// Its sender had to retry for long, or a crashed client asks for a reset that only it knew of.
TEST(CqlNode, keeps_the_question_of_a_later_reset_while_its_sender_is_alive) {
  Visited visited;
  cql::Node& node = visited.node();
  std::vector<bool> alive(2, true);
  const Membership members{0, &alive};
  EXPECT_FALSE(node.comes_late(question(5, kOne), members));
  node.enter(LockId{0}, kOne);
  node.heard_of(question(6, kTwo));
  EXPECT_TRUE(node.comes_late(question(5, kOne), members));
  EXPECT_FALSE(node.comes_late(question(6, kTwo), members));
  EXPECT_FALSE(node.comes_late(question(7, kOne), members));
  alive[kTwo.value] = false;
  EXPECT_FALSE(node.comes_late(question(5, kOne), members));
  node.answered(LockId{0}, node.leave(LockId{0}, kOne));
  alive[kTwo.value] = true;
  EXPECT_FALSE(node.comes_late(question(5, kOne), members));
}

}  // namespace
}  // namespace latchlab::cql_tests
