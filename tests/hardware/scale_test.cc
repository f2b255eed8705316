// Worlds of many nodes, all in this process: what it costs to create them, and how threads affect
// each other.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <vector>

#include "core/verbs/batch.h"
#include "tests/conformance/hardware.h"

namespace latchlab::ib {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::SizeIs;

class Scale : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
    rlimit files = {};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    options_.frame_rnr_retries = 0;  // a message that finds no RECV is lost
  }
  // Each node is a server and has clients.
  void make(std::uint16_t nodes, std::uint32_t clients) {
    WorldPlan plan;
    for (std::uint16_t id = 1; id <= nodes; ++id)
      plan.nodes.push_back({NodeId{id}, 4096, true, true});
    plan.clients = clients;
    nodes_ = nodes;
    world_.reset();
    world_ = hardware_world(plan, options_);
  }
  std::vector<SetUpCost> costs() const {
    std::vector<SetUpCost> all;
    for (std::uint16_t id = 1; id <= nodes_; ++id) all.push_back(world_->set_up_cost(NodeId{id}));
    return all;
  }
  Verbs& add_client(std::uint16_t node, std::uint32_t client) {
    return world_->add_actor(ActorKind::client, NodeId{node}, ClientId{client});
  }
  void run() { EXPECT_EQ(world_->run_until(Time{} + seconds(120)), RunEnd::finished); }

  IbverbsOptions options_;
  std::unique_ptr<IbverbsBackend> world_;
  std::uint16_t nodes_ = 0;
};

// A QP to each other node, and a descriptor from and to each.
TEST_F(Scale, the_cost_of_a_node_grows_only_with_the_number_of_nodes) {
  std::uint64_t descriptor_bytes = 0;
  for (const std::uint32_t workers : {1U, 8U}) {
    for (const std::uint16_t nodes : {25, 50, 100}) {
      const auto began = std::chrono::steady_clock::now();
      options_.workers = workers;
      make(nodes, 0);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      const std::vector<SetUpCost> each = costs();
      fmt::print(
          "{} nodes of {} workers: {} QPs and {} bytes of descriptors a node, made in {:.2f} s\n",
          nodes, workers, each.front().qps, each.front().descriptor_bytes, took.count());
      if (descriptor_bytes == 0) descriptor_bytes = each.front().descriptor_bytes / (2 * nodes);
      EXPECT_THAT(each, SizeIs(nodes));
      EXPECT_THAT(each,
                  Each(AllOf(Field(&SetUpCost::qps, nodes - 1U),
                             Field(&SetUpCost::descriptor_bytes, 2 * nodes * descriptor_bytes))));
    }
  }
}

// Of 100 nodes, two use each other's memory and two write to each other.
TEST_F(Scale, nodes_without_traffic_have_no_more_qps) {
  make(100, 4);
  for (std::uint32_t i = 0; i < 2; ++i) {
    Verbs& client = add_client(static_cast<std::uint16_t>(1 + i), i);
    world_->spawn(
        client,
        [](Verbs& verbs, NodeId peer) -> Task<void> {
          const Completion done = co_await verbs.fetch_add({peer, 0}, 1);
          EXPECT_TRUE(done.ok());
        }(client, NodeId{static_cast<std::uint16_t>(2 - i)}),
        Time{});
  }
  Verbs& sender = add_client(3, 2);
  Verbs& receiver = add_client(4, 3);
  const EndpointAddr inbox = receiver.open_endpoint(1);
  world_->spawn(
      sender,
      [](Verbs& verbs, EndpointAddr to) -> Task<void> {
        const Message message;
        const VerbStatus sent = co_await verbs.send(to, message);
        EXPECT_EQ(sent, VerbStatus::ok);
      }(sender, inbox),
      Time{});
  world_->spawn(
      receiver,
      [](Verbs& verbs, EndpointAddr own) -> Task<void> { co_await verbs.receive(own, {}); }(
                                             receiver, inbox),
      Time{});
  run();
  const std::vector<SetUpCost> each = costs();
  for (std::size_t i = 0; i < each.size(); ++i)
    EXPECT_EQ(each[i].qps, 99U + (i < 2 ? 2 : i < 4 ? 1 : 0)) << "node " << i + 1;
}

constexpr std::uint16_t kSenders = 40;
// Messages per sender at once: three times what a channel QP takes.
constexpr std::uint32_t kEach = 24;
constexpr RemoteAddr kGo{NodeId{kSenders + 1}, 0};

// Greets the first of the endpoints, and, once it may, writes to all at once.
Task<void> write_to_all(Verbs& verbs, std::vector<EndpointAddr> endpoints) {
  const Message message;
  const VerbStatus greeted = co_await verbs.send(endpoints.front(), message);
  EXPECT_EQ(greeted, VerbStatus::ok);
  RemoteWait go;
  go.add(read_verb(kGo));
  go.classify = [](const ProbeValues& seen) {
    return seen[0].lo != 0 ? Verdict::done : Verdict::pending;
  };
  co_await verbs.await_remote(go);
  Batch batch(verbs);
  for (const EndpointAddr to : endpoints) batch.add(to, message);
  co_await batch.run();
  EXPECT_EQ(batch.status(), VerbStatus::ok);
}

// The thread is busy until more messages are on their way than it has RECVs.
TEST_F(Scale, messages_of_all_nodes_wait_for_a_slow_receiver_and_all_find_a_recv) {
  options_.workers = 2;
  make(kSenders + 1, 2 * kSenders + 2);
  Verbs& receiver = add_client(kSenders + 1, 1);  // on the second worker
  std::vector<EndpointAddr> endpoints;
  for (std::uint32_t i = 0; i < kEach; ++i)
    endpoints.push_back(receiver.open_endpoint(2 * kSenders));
  world_->spawn(
      receiver,
      [](Verbs& verbs, std::vector<EndpointAddr> own) -> Task<void> {
        for (std::uint32_t i = 0; i < kSenders; ++i) co_await verbs.receive(own.front(), {});
        co_await verbs.store(kGo, 1);
        co_await verbs.compute(seconds(1));
        for (const EndpointAddr inbox : own)
          for (std::uint32_t i = 0; i < kSenders; ++i) {
            const WaitOutcome got = co_await verbs.receive(inbox, {}, verbs.now() + seconds(20));
            EXPECT_EQ(got.by, Woke::message);
          }
      }(receiver, endpoints),
      Time{});
  for (std::uint32_t i = 0; i < kSenders; ++i) {
    Verbs& sender = add_client(static_cast<std::uint16_t>(1 + i), 2 * i + 2);
    world_->spawn(sender, write_to_all(sender, endpoints), Time{});
  }
  run();
}

// A load like that of `mcs` on soft-RoCE, which could refuse many verbs (RNR).
TEST_F(Scale, verbs_of_hundreds_of_clients_wait_for_an_agent_and_all_find_a_recv) {
  constexpr std::uint32_t kClients = 264;
  constexpr int kRounds = 20;
  options_.software_atomics = true;
  make(12, kClients);
  for (std::uint32_t i = 0; i < kClients; ++i) {
    Verbs& client = add_client(static_cast<std::uint16_t>(1 + i % 12), i);
    world_->spawn(
        client,
        [](Verbs& verbs) -> Task<void> {
          for (int round = 0; round < kRounds; ++round) {
            const Completion done = co_await verbs.fetch_add({NodeId{1}, 0}, 1);
            EXPECT_TRUE(done.ok());
          }
        }(client),
        Time{});
  }
  run();
  EXPECT_EQ(world_->peek({NodeId{1}, 0}), kClients * kRounds);
}

}  // namespace
}  // namespace latchlab::ib
