// Tests that catch small faults in the mcs lock which no other test detects.

#include "tests/protocols/marks.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/recvs.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

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
constexpr const char* kHeldBack = "a message within a node is held back";

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
