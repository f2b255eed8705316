// What small faults in the mcs lock would change and no other test of it sees.

#include "tests/protocols/marks.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::ElementsAre;

TEST(mcs, counts_the_wait_for_a_late_successor_as_notifying_it) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("mcs");
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "acquire IA NP WP", "release IA",
                                            "release IA NS NS", "release NS"));
  setup.client_nodes = 1;
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "release IA"));
}

#if LATCHLAB_WITH_SIMGRID
struct Handover {
  Time released;
  Time entered;
  bool over = false;
};

Task<void> hand_on(World& world, Handover& handover) {
  Verbs& verbs = world.verbs(ClientId{0});
  const Want want{world.lock(LockId{0})};
  const AcquireResult result = co_await world.client(ClientId{0}).acquire(want, {});
  co_await verbs.sleep(microseconds(200));
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

// Messages within a node take 100 us.
Duration handover_takes(std::uint32_t nodes) {
  const ProtocolEntry& entry = *find_protocol("mcs");
  ParamSet params = entry.info.resolve("paper");
  params.set("intra_node_delay", microseconds(100));
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.client_nodes = nodes;
  shape.clients_per_node = 2 / nodes;
  World world(*protocol, shape);
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  Handover handover;
  backend->spawn(world.verbs(ClientId{0}), hand_on(world, handover), Time{});
  backend->spawn(world.verbs(ClientId{1}), take_over(world, handover), Time{});
  EXPECT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished);
  return handover.entered - handover.released;
}

TEST(timed, mcs_holds_a_message_within_a_node_back) {
  EXPECT_GE(handover_takes(1), microseconds(100));
}
TEST(timed, mcs_does_not_hold_messages_between_nodes_back) {
  EXPECT_LT(handover_takes(2), microseconds(100));
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
