// The directory of a world: every node, client and server part is reachable by its address alone,
// and no two objects share memory, for any layout that a protocol asks for.

#include "core/world/world.h"
#include "tests/conformance/broken.h"

namespace latchlab::conformance {
namespace {

class Directory : public Conformance {};
LATCHLAB_EVERY_BACKEND(Directory);

// ---- Town: a protocol that asks for everything that a layout can have ----

constexpr std::uint64_t kWordsPerClient = 3;  // in each entry

// Stores what it receives into its node's words, which all clients can read.
class Mayor final : public NodePart {
 public:
  explicit Mayor(const NodeEnv& env) : env_(env) {}
  Task<void> background(Verbs& verbs) override {
    for (;;) {
      const WaitOutcome got = co_await verbs.receive(env_.endpoint, {});
      co_await verbs.write(env_.node_words, got.message.words[0]);
    }
  }

 private:
  NodeEnv env_;
};

class Town : public Protocol {
 public:
  Layout layout(const Shape& shape) const override {
    Layout layout;
    layout.entry_bytes = 8 * kWordsPerClient * shape.clients;
    layout.server_bytes = 72;
    layout.client_bytes = 40;
    layout.node_bytes = 24;
    layout.node_lock_bytes = 16;
    layout.client_endpoint = {4, Transport::rc};
    layout.node_endpoint = {4, Transport::dc};
    return layout;
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv&) const override { return nullptr; }
  std::unique_ptr<NodePart> make_node(const NodeEnv& env) const override {
    return std::make_unique<Mayor>(env);
  }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }
};

WorldShape shape_of(bool colocated) {
  WorldShape shape;
  shape.servers = colocated ? 3 : 2;
  shape.client_nodes = 2;
  shape.clients_per_node = 2;
  shape.colocated = colocated;
  shape.locks.count = 5;
  return shape;
}

// Town on the bench, and the directory that its clients get, by default the world's own.
struct Site {
  Site(Bench& bench, const Protocol& protocol, const WorldShape& shape)
      : world(protocol, shape), backend(bench.make(world.plan())) {
    world.attach(backend);
  }
  World world;
  Backend& backend;
};
using Told = std::function<std::unique_ptr<Peers>(const World&)>;

// ---- endpoints ----

// `own`: the endpoint that this client really has.
Task<void> greet(Verbs& verbs, const Peers& peers, EndpointAddr own, Duration patience) {
  const std::uint32_t clients = peers.shape().clients;
  const ClientId next{(verbs.client().value + 1) % clients};
  Message message;
  message.words[0] = 100 + next.value;
  const VerbStatus sent = co_await verbs.send(peers.endpoint_of(next), message);
  EXPECT_EQ(sent, VerbStatus::ok);
  EXPECT_EQ(own.node, verbs.node());
  const WaitOutcome got = co_await verbs.receive(own, {}, verbs.now() + patience);
  EXPECT_EQ(got.by, Woke::message);
  EXPECT_EQ(got.message.words[0], 100 + verbs.client().value);
}

Task<void> write_to_mayors(Verbs& verbs, const Peers& peers, Duration patience) {
  for (std::uint32_t i = 0; i < peers.shape().client_nodes; ++i) {
    const NodeId node = peers.client_node(i);
    EXPECT_EQ(peers.client_node_index(node), i);
    Message message;
    message.words[0] = 700 + i;
    const VerbStatus sent = co_await verbs.send(peers.node_endpoint(node), message);
    EXPECT_EQ(sent, VerbStatus::ok);
    RemoteWait wait;
    wait.add(read_verb(peers.node_words(node)));
    wait.classify = [i](const ProbeValues& seen) {
      return seen[0].lo == 700 + i ? Verdict::done : Verdict::pending;
    };
    wait.pacing = [](const ProbeValues&, std::uint64_t) { return microseconds(1); };
    wait.deadline = verbs.now() + patience;
    auto waiting = verbs.await_remote(wait);
    const RemoteWaitResult result = co_await waiting;
    EXPECT_EQ(result.end, WaitEnd::satisfied) << "node " << node.value;
  }
}

Task<void> greet_all(Verbs& verbs, const Peers& peers, EndpointAddr own, Duration patience) {
  co_await greet(verbs, peers, own, patience);
  if (verbs.client().value == 0) co_await write_to_mayors(verbs, peers, patience);
}

void all_clients_and_nodes_are_reachable(Bench& bench, bool colocated, const Told& told = {}) {
  const Town town;
  Site site(bench, town, shape_of(colocated));
  if (!bench.has(Capability::reliable_messages)) GTEST_SKIP() << "needs reliable_messages";
  const std::unique_ptr<Peers> misled = told ? told(site.world) : nullptr;
  const Peers& peers = misled ? *misled : site.world;
  for (std::uint32_t i = 0; i < 4; ++i) {
    Verbs& verbs = site.world.verbs(ClientId{i});
    EXPECT_EQ(peers.node_of(ClientId{i}), verbs.node());
    bench.spawn(verbs, greet_all(verbs, peers, site.world.endpoint_of(ClientId{i}),
                                 bench.lasting(milliseconds(50))));
  }
  EXPECT_EQ(bench.run(), RunEnd::finished);
}
TEST_P(Directory, clients_and_nodes_are_reachable_by_address_alone) {
  all_clients_and_nodes_are_reachable(*this, false);
}
TEST_P(Directory, clients_on_servers_are_reachable_by_address_alone) {
  all_clients_and_nodes_are_reachable(*this, true);
}

// ---- memory ----

// Every word that the layout promises.
std::vector<RemoteAddr> all_words(const Peers& peers) {
  std::vector<RemoteAddr> words;
  const auto add = [&](RemoteAddr first, std::uint64_t bytes) {
    for (std::uint64_t at = 0; at < bytes; at += 8) words.push_back(first + at);
  };
  const Layout layout = Town().layout(peers.shape());
  for (LockId lock; lock.value < peers.shape().locks; ++lock.value)
    add(peers.lock(lock).entry, layout.entry_bytes);
  for (std::uint32_t s = 1; s <= peers.shape().servers; ++s)
    add(peers.server_words(NodeId{static_cast<std::uint16_t>(s)}), layout.server_bytes);
  for (ClientId client; client.value < peers.shape().clients; ++client.value)
    add(peers.client_words(client), layout.client_bytes);
  for (std::uint32_t i = 0; i < peers.shape().client_nodes; ++i) {
    const NodeId node = peers.client_node(i);
    add(peers.node_words(node), layout.node_bytes);
    for (LockId lock; lock.value < peers.shape().locks; ++lock.value)
      add(peers.node_lock_words(node, lock), layout.node_lock_bytes);
  }
  return words;
}

Task<void> number_words(Verbs& verbs, const std::vector<RemoteAddr>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Completion written = co_await verbs.write(words[i], i + 1);
    EXPECT_TRUE(written.ok());
  }
}

void nothing_shares_memory(Bench& bench, const Protocol& town, bool colocated,
                           const Told& told = {}) {
  Site site(bench, town, shape_of(colocated));
  const std::unique_ptr<Peers> misled = told ? told(site.world) : nullptr;
  const std::vector<RemoteAddr> words = all_words(misled ? *misled : site.world);
  Verbs& verbs = site.world.verbs(ClientId{0});
  bench.spawn(verbs, number_words(verbs, words));
  EXPECT_EQ(bench.run(), RunEnd::finished);
  EXPECT_FALSE(words.empty());
  std::size_t lost = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const NodePlan& node = site.world.plan().nodes[words[i].node.value - 1];
    const bool inside = words[i].offset + 8 <= node.bytes;
    lost += !inside || site.backend.peek(words[i]) != i + 1 ? 1 : 0;
  }
  EXPECT_EQ(lost, 0U) << "of " << words.size() << " words";
}
TEST_P(Directory, no_two_objects_share_memory) {
  nothing_shares_memory(*this, Town(), false);
}
TEST_P(Directory, no_two_objects_share_memory_with_clients_on_servers) {
  nothing_shares_memory(*this, Town(), true);
}

// ---- and in worlds that break these promises ----

// A directory with one wrong answer.
class Misled final : public Peers {
 public:
  enum class In : std::uint8_t { clients, nodes, locks };
  Misled(const Peers& right, In in) : right_(right), in_(in) {}

  const Shape& shape() const override { return right_.shape(); }
  LockRef lock(LockId id) const override { return right_.lock(id); }
  NodeId node_of(ClientId client) const override { return right_.node_of(client); }
  NodeId client_node(std::uint32_t index) const override { return right_.client_node(index); }
  std::uint32_t client_node_index(NodeId node) const override {
    return right_.client_node_index(node);
  }
  EndpointAddr endpoint_of(ClientId client) const override {
    const bool lies = in_ == In::clients && client.value == 1;
    return right_.endpoint_of(lies ? ClientId{0} : client);
  }
  EndpointAddr node_endpoint(NodeId node) const override {
    return right_.node_endpoint(in_ == In::nodes ? right_.client_node(0) : node);
  }
  RemoteAddr client_words(ClientId client) const override { return right_.client_words(client); }
  RemoteAddr node_words(NodeId node) const override { return right_.node_words(node); }
  RemoteAddr node_lock_words(NodeId node, LockId lock) const override {
    const bool lies = in_ == In::locks && lock.value == 4;
    return right_.node_lock_words(node, lies ? LockId{3} : lock);
  }
  RemoteAddr server_words(NodeId server) const override { return right_.server_words(server); }

 private:
  const Peers& right_;
  In in_;
};

Told misled_in(Misled::In in) {
  return [in](const World& world) { return std::make_unique<Misled>(world, in); };
}

TEST(BrokenDirectory, with_wrong_clients_is_detected) {
  const auto body = [](Bench& bench, const Told& told) {
    all_clients_and_nodes_are_reachable(bench, false, told);
  };
  EXPECT_EQ(worlds_noticed([&](Bench& bench) { body(bench, {}); },
                           [&](Bench& bench) { body(bench, misled_in(Misled::In::clients)); }),
            kAllSeeds);
  EXPECT_EQ(worlds_noticed([&](Bench& bench) { body(bench, {}); },
                           [&](Bench& bench) { body(bench, misled_in(Misled::In::nodes)); }),
            kAllSeeds);
}
TEST(BrokenDirectory, with_wrong_words_of_locks_is_detected) {
  const auto body = [](Bench& bench, const Told& told) {
    nothing_shares_memory(bench, Town(), false, told);
  };
  EXPECT_EQ(worlds_noticed([&](Bench& bench) { body(bench, {}); },
                           [&](Bench& bench) { body(bench, misled_in(Misled::In::locks)); }),
            kAllSeeds);
}

// A protocol that learns of one client only.
class Village final : public Town {
  Layout layout(const Shape& shape) const override {
    Shape small = shape;
    small.clients = 1;
    return Town::layout(small);
  }
};
TEST(BrokenDirectory, layout_for_another_shape_is_detected) {
  EXPECT_EQ(worlds_noticed([](Bench& bench) { nothing_shares_memory(bench, Town(), false); },
                           [](Bench& bench) { nothing_shares_memory(bench, Village(), false); }),
            kAllSeeds);
}

}  // namespace
}  // namespace latchlab::conformance
