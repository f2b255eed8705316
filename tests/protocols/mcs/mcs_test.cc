// The mcs lock in the explorer.

#include "tests/protocols/marks.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/recvs.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

RunSetup mcs() {
  RunSetup setup;
  setup.protocol = "mcs";
  return setup;
}

TEST(mcs, admits_one_client_at_a_time_and_all_clients_finish) {
  expect_sound(mcs(), 500);
}

TEST(mcs, is_sound_with_the_artifacts_switches) {
  RunSetup setup = mcs();
  setup.profile = "artifact";
  expect_sound(setup, 300);
}

TEST(mcs, is_sound_with_many_clients_of_one_node) {
  RunSetup setup = mcs();
  setup.client_nodes = 1;
  setup.clients_per_node = 5;
  setup.params = {{"intra_node_when", text("receive")}, {"intra_node_delay", microseconds(1)}};
  expect_sound(setup, 200);
}

TEST(mcs, takes_two_verbs_and_no_message_for_a_free_pair) {
  RunSetup setup = mcs();
  setup.client_nodes = setup.clients_per_node = 1;
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
  EXPECT_EQ(outcome.tally.atomics(), outcome.tally.one_sided());
  EXPECT_EQ(outcome.tally.sends + outcome.tally.calls, 0U);
}

TEST(mcs, leaves_the_entry_free_after_all_clients_have_released) {
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed)
    EXPECT_EQ(run(mcs(), seed).entry, "free");
}

TEST(mcs, sends_two_messages_for_each_handover_and_none_otherwise) {
  RunSetup setup = mcs();
  setup.profile = "artifact";
  std::uint64_t handovers = 0;
  std::uint64_t shown = 0;  // the last ones may be in flight when a run ends
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(setup, seed);
    const std::uint64_t counted = outcome.tally.of(VerbKind::faa);
    EXPECT_EQ(outcome.tally.sends, 2 * counted) << "RelCnt counts the handovers";
    EXPECT_LE(outcome.words[1], counted);
    handovers += counted;
    shown += outcome.words[1];
  }
  EXPECT_GT(shown, 0U);
  EXPECT_GT(handovers, 0U);
}

// Two clients that hold or await two locks at once, in the same order.
Task<void> both_locks(World& world, ClientId me, int rounds, std::uint64_t* inside) {
  LockClient& client = world.client(me);
  for (int i = 0; i < rounds; ++i) {
    std::vector<Grant> grants;
    for (const std::uint64_t id : {0, 1}) {
      const AcquireResult result = co_await client.acquire(Want{world.lock(LockId{id})}, {});
      grants.push_back(*std::get_if<Grant>(&result));
      EXPECT_EQ(inside[id]++, 0U);
    }
    co_await world.verbs(me).sleep(nanoseconds(5));
    for (const Grant& grant : grants) {
      --inside[grant.lock.id.value];
      co_await client.release(grant);
    }
  }
}

TEST(mcs, keeps_messages_of_locks_held_together_apart) {
  const ProtocolEntry& entry = *find_protocol("mcs");
  const auto protocol = entry.make(entry.info.resolve("paper"));
  WorldShape shape;
  shape.client_nodes = 3;
  shape.locks.count = 2;
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    shape.seed = seed;
    World world(*protocol, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = 20'000;
    const auto backend = make_world(world.plan(), *protocol, options);
    world.attach(*backend);
    std::uint64_t inside[2] = {};
    for (std::uint32_t i = 0; i < 3; ++i)
      backend->spawn(world.verbs(ClientId{i}), both_locks(world, ClientId{i}, 3, inside), Time{});
    ASSERT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished) << "seed " << seed;
  }
}

TEST(mcs, leaves_clients_behind_a_crashed_holder_waiting) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = mcs();
  setup.dies = {0};
  const std::uint64_t seed =
      first_seed(setup, 50, [](const Outcome& o) { return o.end == RunEnd::stuck; });
  EXPECT_GT(seed, 0U);
}

TEST(mcs, decodes_the_tail_of_its_queue) {
  const ProtocolEntry& entry = *find_protocol("mcs");
  const auto protocol = entry.make(entry.info.resolve("artifact"));
  const std::vector<std::uint64_t> words = {EndpointAddr{NodeId{3}, 5}.packed(), 7};
  EXPECT_EQ(protocol->decode(words), "tail=node 3 endpoint 5 RelCnt=7");
}

// ---- what every lock is tested for ----

TEST(mcs, looks_free_when_its_handovers_were_counted) {
  expect_free_when_all_have_gone(crowd("mcs", "artifact"));
}

TEST(mcs, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead("mcs");
  EXPECT_TRUE(is_free("mcs", {0, 7}));
  EXPECT_FALSE(is_free("mcs", {EndpointAddr{NodeId{3}, 5}.packed(), 7}));
}

TEST(mcs, takes_ordinary_paths_under_contention) {
  expect_paths(
      crowd("mcs"),
      {"the queue is empty", "a client queues up behind another", "a Handover arrives",
       "a release knows its successor", "a release waits for a late Successor",
       "a release leaves the queue empty"},
      {"a Successor cannot be delivered", "a Handover cannot be delivered",
       "the server fails an acquire", "the server fails a release", "a handover is counted"});
}

// Client i is alone on node 2 + i, so that the node in the tail tells which client came last.
TEST(fifo, mcs_serves_in_order_of_arrival) {
  expect_order_of_arrival("mcs", [](const Words& entry, std::uint32_t count) {
    return count == 0 || EndpointAddr::unpack(entry.lo).node.value == count + 1;
  });
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, mcs_is_sound) {
  expect_sound_run(timed("mcs", "paper"));
}
TEST(timed, mcs_is_sound_as_in_the_artifact) {
  expect_sound_run(timed("mcs", "artifact"));
}
#endif

TEST(mcs, reports_the_wait_for_a_late_successor_as_notifying_it) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("mcs");
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "acquire IA NP WP", "release IA",
                                            "release IA NS NS", "release NS"));
  setup.client_nodes = 1;
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "release IA"));
}

TEST(mcs, posts_two_recvs_for_each_lock) {
  expect_two_recvs_for_each_lock("mcs");
}

#if LATCHLAB_WITH_SIMGRID
constexpr const char* kHeldBack = "a message within a node is delayed";

struct Handover {
  Duration held = microseconds(200);
  Time released;
  Time entered;
  bool over = false;
};

Task<void> hand_on(World& world, Handover& handover) {
  Verbs& verbs = world.verbs(ClientId{0});
  const Want want{world.lock(LockId{0})};
  const AcquireResult result = co_await world.client(ClientId{0}).acquire(want, {});
  co_await verbs.sleep(handover.held);
  handover.released = verbs.now();
  const Grant held = std::get<Grant>(result);
  co_await world.client(ClientId{0}).release(held);
  handover.over = true;
}

Task<void> take_over(World& world, Handover& handover) {
  Verbs& verbs = world.verbs(ClientId{1});
  co_await verbs.sleep(microseconds(20));
  const Want want{world.lock(LockId{0})};
  const AcquireResult result = co_await world.client(ClientId{1}).acquire(want, {});
  handover.entered = verbs.now();
  const Grant held = std::get<Grant>(result);
  co_await world.client(ClientId{1}).release(held);
}

struct Talk {
  const char* profile = "paper";
  std::uint32_t nodes = 1;
  Duration held = microseconds(200);  // the second client asks after 20 us
  bool by_default = false;            // otherwise messages within a node take 100 us
};

Duration handover_takes(const Talk& talk) {
  const ProtocolEntry& entry = *find_protocol("mcs");
  ParamSet params = entry.info.resolve(talk.profile);
  if (!talk.by_default) params.set("intra_node_delay", microseconds(100));
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.client_nodes = talk.nodes;
  shape.clients_per_node = 2 / talk.nodes;
  World world(*protocol, shape);
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  Handover handover;
  handover.held = talk.held;
  backend->spawn(world.verbs(ClientId{0}), hand_on(world, handover), Time{});
  backend->spawn(world.verbs(ClientId{1}), take_over(world, handover), Time{});
  paths::forget();
  paths::record(true);
  EXPECT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished);
  paths::record(false);
  return handover.entered - handover.released;
}

TEST(timed, mcs_delays_a_message_within_a_node) {
  EXPECT_GE(handover_takes({}), microseconds(100));
  EXPECT_THAT(labels("mcs", true), Contains(kHeldBack));
}
TEST(timed, mcs_delays_no_message_by_default) {
  EXPECT_LT(handover_takes({.by_default = true}), microseconds(100));
  EXPECT_THAT(labels("mcs", true), Not(Contains(kHeldBack)));
}
TEST(timed, mcs_does_not_delay_messages_between_nodes) {
  EXPECT_LT(handover_takes({.nodes = 2}), microseconds(100));
  EXPECT_THAT(labels("mcs", true), Not(Contains(kHeldBack)));
}
// A Successor message that arrived just before the release, and then the Handover.
TEST(timed, mcs_delays_both_messages_within_a_node) {
  const Duration takes = handover_takes({.held = microseconds(30)});
  EXPECT_GE(takes, microseconds(150));
  EXPECT_LT(takes, microseconds(250));
}
TEST(timed, mcs_delays_a_successor_as_in_the_artifact) {
  EXPECT_GE(handover_takes({.profile = "artifact", .held = microseconds(30)}), microseconds(50));
}
TEST(timed, mcs_delays_no_handover_as_in_the_artifact) {
  EXPECT_LT(handover_takes({.profile = "artifact"}), microseconds(50));
}

TEST(timed, mcs_ends_a_release_when_the_server_is_dead) {
  const ProtocolEntry& entry = *find_protocol("mcs");
  const auto protocol = entry.make(entry.info.resolve("paper"));
  WorldShape shape;
  shape.client_nodes = 1;
  World world(*protocol, shape);
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  const NodeId server = world.lock(LockId{0}).entry.node;
  backend->at(Time{} + microseconds(100), [&] { backend->hardware_faults()->crash_node(server); });
  Handover handover;
  backend->spawn(world.verbs(ClientId{0}), hand_on(world, handover), Time{});
  (void)backend->run_until(end_of_run(Time{} + seconds(1)));
  EXPECT_TRUE(handover.over);
}
#endif

}  // namespace
}  // namespace latchlab::testing
