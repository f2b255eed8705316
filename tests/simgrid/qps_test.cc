// How many QPs an RNIC has in use, by what has QPs of its own: seen from the rate of the RNIC,
// which falls by 100 ppm with each QP.

#include <cmath>

#include "core/protocols/registry.h"
#include "core/world/world.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

constexpr std::uint32_t kNodes = 10, kClientsPerNode = 8, kLocksPerNode = 8;

Task<void> read_all(Verbs& verbs, std::vector<RemoteAddr> words) {
  for (const RemoteAddr word : words) {
    const Verb verb = read_verb(word);
    co_await verbs.issue(verb);
  }
}

// Then, when all others have ended, times one READ.
Task<void> read_all_and_time(Verbs& verbs, Backend& backend, std::vector<RemoteAddr> words,
                             Duration& took) {
  co_await read_all(verbs, words);
  co_await verbs.sleep(milliseconds(50));
  const Time begin = backend.true_now();
  const Verb verb = read_verb(words.front());
  co_await verbs.issue(verb);
  took = backend.true_now() - begin;
}

class QpsInUse : public testing::Test {
 protected:
  // ALock's 10 nodes with 8 threads each, which have locks as well, unless `colocated` is false.
  WorldShape shape(bool colocated = true) const {
    WorldShape shape;
    shape.servers = shape.client_nodes = kNodes;
    shape.clients_per_node = kClientsPerNode;
    shape.colocated = colocated;
    shape.locks.count = std::uint64_t{kNodes} * kLocksPerNode;
    shape.locks.placement = PlacementKind::partitioned;
    return shape;
  }

  // The number at node 1 after each client has read the first `locks` locks of each node.
  double after_reading(QpOwner owner, const WorldShape& shape,
                       std::uint32_t locks = kLocksPerNode) {
    const ProtocolEntry& entry = *find_protocol("cas");
    const auto protocol = entry.make(entry.small_params());
    World world(*protocol, shape);
    SimgridOptions options;
    options.nic.link_bits_per_s = 1'000'000'000'000'000;
    options.nic.serve_read = microseconds(1);
    options.nic.qp_cache = {{0, 1'000'000'000}, {5000, 500'000'000}};
    options.qps = owner;
    const auto backend = make_simgrid(world.plan(), options);
    world.attach(*backend);
    std::vector<RemoteAddr> words;
    for (std::uint32_t node = 0; node < kNodes; ++node)
      for (std::uint32_t lock = 0; lock < locks; ++lock)
        words.push_back(world.lock(LockId{node * kLocksPerNode + lock}).entry);
    Duration took;
    backend->spawn(world.verbs(ClientId{0}),
                   read_all_and_time(world.verbs(ClientId{0}), *backend, words, took), kStart);
    for (std::uint32_t i = 1; i < shape.clients(); ++i)
      backend->spawn(world.verbs(ClientId{i}), read_all(world.verbs(ClientId{i}), words), kStart);
    EXPECT_EQ(backend->run_until(kEnd), RunEnd::finished);
    return std::round((1 - 1 / took.nanoseconds() * 1e3) * 1e4);
  }
};

TEST_F(QpsInUse, of_clients_are_those_opened_by_a_node_and_those_opened_to_it) {
  EXPECT_EQ(after_reading(QpOwner::client, shape()), 2 * 80);
}

TEST_F(QpsInUse, of_pairs_are_one_from_each_client_to_each_in_both_directions) {
  EXPECT_EQ(after_reading(QpOwner::pair, shape()), 1280);
}

TEST_F(QpsInUse, of_pairs_that_share_a_connection_are_one_for_both_directions) {
  EXPECT_EQ(after_reading(QpOwner::duplex, shape()), 640);
}

// The first quarter of the locks of a node belongs to two of its clients.
TEST_F(QpsInUse, of_pairs_are_only_those_to_clients_whose_words_are_used) {
  EXPECT_EQ(after_reading(QpOwner::pair, shape(), kLocksPerNode / 4), 2 * 80 * 2);
}

TEST_F(QpsInUse, of_pairs_with_nodes_without_clients_are_one_from_each_client) {
  EXPECT_EQ(after_reading(QpOwner::pair, shape(false)), 80);
}

}  // namespace
}  // namespace latchlab::simtest
