// What a process caches from one world to the next, and that no world sees data of the one before.

#include "backends/ibverbs/connection_cache.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/hardware/worlds.h"

namespace latchlab::ib {
namespace {

constexpr std::uint64_t kOfEach = 128;     // bytes per client in the server's memory
constexpr std::uint32_t kKeptClients = 6;  // three on each node

// Each world has nodes 1 to 3 and the same clients.
class CachedConnections : public Worlds {
 protected:
  void SetUp() override {
    Worlds::SetUp();
    options_.connection_cache = std::make_shared<ConnectionCache>();
  }
  void next_world() {
    drop();
    forget_clients();
    clients_.clear();
    make(options_);
    for (std::uint32_t i = 0; i < kKeptClients; ++i)
      clients_.push_back(&add_client(i % 2 == 0 ? kHere : kThere));
  }
  // Every client adds to a word of its own, which has the initial value of the world.
  void every_client_adds() {
    for (std::uint32_t i = 0; i < kKeptClients; ++i)
      if (i != gone_) spawn(*clients_[i], add_to(*clients_[i], {kServer, kOfEach * i}));
    run();
  }
  static Task<void> add_to(Verbs& verbs, RemoteAddr word) {
    const Completion added = co_await verbs.fetch_add(word, 1);
    EXPECT_TRUE(added.ok());
    EXPECT_EQ(added.value.lo, first_value(word.offset));
    const Completion seen = co_await verbs.read(word);
    EXPECT_EQ(seen.value.lo, first_value(word.offset) + 1);
  }
  // QPs that this process has created so far, on all nodes.
  std::uint64_t made() {
    std::uint64_t all = 0;
    for (const NodeId node : {kServer, kHere, kThere}) all += hardware().set_up_cost(node).qps_made;
    return all;
  }
  std::uint64_t there_are() {
    std::uint64_t all = 0;
    for (const NodeId node : {kServer, kHere, kThere}) all += hardware().set_up_cost(node).qps;
    return all;
  }
  // Created for each world: a channel QP between each two memory servers, and DC targets.
  static std::uint64_t of_each_world() { return 3 * 2 + (tests_dc() ? 3 : 0); }
  // A client's QP to the server has two ends; with DC there is none.
  static std::uint64_t of_client() { return tests_dc() ? 0 : 2; }

  IbverbsOptions options_;
  std::vector<Verbs*> clients_;
  std::uint32_t gone_ = kKeptClients;  // the client that does nothing, if any
};

TEST_F(CachedConnections, reuse_the_qps_of_the_first) {
  next_world();
  every_client_adds();
  const std::uint64_t first = made();
  const std::uint64_t were = there_are();
  const std::uint64_t bytes = hardware().set_up_cost(kHere).descriptor_bytes;
  for (std::uint64_t repeat = 1; repeat < 3; ++repeat) {
    next_world();
    EXPECT_EQ(hardware().set_up_cost(kHere).descriptor_bytes, bytes);
    every_client_adds();
    fmt::print("world {}: {} QPs, {} of them new\n", repeat + 1, there_are(), of_each_world());
    EXPECT_EQ(made(), first + repeat * of_each_world());
    EXPECT_EQ(there_are(), were);
  }
}

TEST_F(CachedConnections, keep_no_more_than_they_use) {
  next_world();
  every_client_adds();
  next_world();
  gone_ = 3;
  every_client_adds();
  next_world();
  if (!tests_dc()) {
    EXPECT_EQ(there_are(), of_each_world() + (kKeptClients - 1) * of_client());
  }
}

TEST_F(CachedConnections, recreate_everything_for_other_options) {
  next_world();
  every_client_adds();
  const std::uint64_t first = there_are();
  options_.workers = 2;
  next_world();
  EXPECT_EQ(made(), of_each_world());
  options_.workers = 1;
  next_world();
  every_client_adds();
  EXPECT_EQ(made(), first);
}

// ---- after failures ----

TEST_F(CachedConnections, recreate_connections_that_an_eviction_has_closed) {
  if (tests_dc()) GTEST_SKIP() << "needs evict";
  next_world();
  every_client_adds();
  spawn(*clients_[0],
        [](Verbs& verbs) -> Task<void> { co_await verbs.evict(ClientId{3}); }(*clients_[0]));
  run();
  const std::uint64_t before = made();
  next_world();
  every_client_adds();
  EXPECT_EQ(made(), before + of_each_world() + of_client());
}

TEST_F(CachedConnections, recreate_the_connections_of_a_crashed_client) {
  next_world();
  every_client_adds();
  world().crash(ClientId{2}, CrashKind::process);
  const std::uint64_t before = made();
  next_world();
  if (!tests_dc()) {
    EXPECT_EQ(there_are(), of_each_world() + (kKeptClients - 1) * of_client());
  }
  every_client_adds();
  EXPECT_EQ(made(), before + of_each_world() + of_client());
}

// Client 0 has a QP to the memory of node 3, which no longer knows it.
TEST_F(CachedConnections, recreate_connections_to_a_node_that_crashed) {
  const RemoteAddr there{kThere, 0};
  next_world();
  every_client_adds();
  spawn(*clients_[0], add_to(*clients_[0], there));
  run();
  const std::uint64_t made_here = hardware().set_up_cost(kHere).qps_made;
  world().crash(ClientId{1}, CrashKind::node);  // on node 3
  next_world();
  EXPECT_EQ(hardware().set_up_cost(kThere).qps_made, of_each_world() / 3);
  every_client_adds();
  spawn(*clients_[0], add_to(*clients_[0], there));
  run();
  EXPECT_EQ(hardware().set_up_cost(kHere).qps_made,
            made_here + of_each_world() / 3 + of_client() / 2);
}

// ---- with verbs in flight ----

constexpr std::uint32_t kWrittenBytes = 32 * 1024;  // of the server's memory, written by all
constexpr int kPosted = 128;

// Once all clients are connected, each posts many verbs at once; then the run ends.
Task<void> end_in_the_middle(Verbs& verbs, Backend& world, std::uint32_t& have_begun,
                             std::uint32_t& have_posted) {
  Verb write;
  write.kind = VerbKind::write;
  write.bytes = kWrittenBytes;
  write.addr = {kServer, 0};
  write.local = {verbs.node(), 8};  // other words than the current ones
  const VerbStatus connected = (co_await verbs.read({kServer, 0})).status;
  EXPECT_EQ(connected, VerbStatus::ok);
  ++have_begun;
  while (have_begun < kKeptClients) co_await verbs.sleep(microseconds(10));
  for (int i = 0; i < kPosted; ++i) verbs.post(write);
  if (++have_posted == kKeptClients) world.request_stop();
  co_await verbs.sleep(seconds(100));
}

// Polls what the other clients have written before.
Task<void> watch(Verbs& verbs, std::uint64_t at) {
  for (int look = 0; look < 20; ++look) {
    const RemoteAddr from{kServer, at};
    const ReadWords read = co_await verbs.read_words(from, kOfEach);
    EXPECT_TRUE(read.ok());
    for (std::size_t i = 0; i < read.words().size(); ++i)
      EXPECT_EQ(read.words()[i], first_value(at + 8 * i)) << "look " << look << ", word " << i;
  }
}

TEST_F(CachedConnections, see_no_verb_of_the_one_before) {
  next_world();
  every_client_adds();
  const std::uint64_t first = made();
  for (std::uint64_t repeat = 1; repeat <= 10; ++repeat) {
    next_world();
    std::uint32_t have_begun = 0;
    std::uint32_t have_posted = 0;
    for (Verbs* client : clients_)
      spawn(*client, end_in_the_middle(*client, world(), have_begun, have_posted));
    ASSERT_EQ(world().run_until(Time{} + seconds(120)), RunEnd::stopped);
    EXPECT_GT(world().census().in_flight, static_cast<std::uint64_t>(kPosted));
    next_world();
    for (std::uint32_t i = 0; i < kKeptClients; ++i)
      spawn(*clients_[i], watch(*clients_[i], kOfEach * i));
    run();
    for (std::uint64_t at = 0; at < kWrittenBytes; at += 8)
      ASSERT_EQ(world().peek({kServer, at}), first_value(at)) << "at " << at;
    if (HasFailure()) FAIL() << "repeat " << repeat;
    // With DC, as many initiators as there were clients busy at the same time.
    EXPECT_LE(made(), first + 2 * repeat * of_each_world() + (tests_dc() ? kKeptClients : 0));
  }
}

}  // namespace
}  // namespace latchlab::ib
