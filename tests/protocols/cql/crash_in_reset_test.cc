#include "tests/protocols/cql/crash_in_reset.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

using namespace testing;

TEST(timed, cql_is_not_held_up_by_a_node_that_dies_in_resets) {
  expect_all_others_done(after_death_in_resets("cql"));
  EXPECT_THAT(
      labels("cql", true),
      ::testing::IsSupersetOf({"a reset hears of a death", "a reset is taken over from the dead"}));
}

TEST(timed, cql_holds_no_lock_up_until_a_dead_waiter_has_acknowledged_its_notification) {
  expect_all_others_done(after_death_of_a_waiter("cql"));
}

// A server and a client node come before the waiter's.
Task<void> keep(World& world) {
  co_await world.client(ClientId{0}).acquire(Want{world.lock(LockId{0})}, {});
  co_await world.verbs(ClientId{0}).sleep(seconds(1));
}
Task<void> wait_for_the_dead(World& world, Duration& waited) {
  Verbs& verbs = world.verbs(ClientId{1});
  co_await verbs.sleep(microseconds(20));
  const Time begin = verbs.now();
  const AcquireResult result =
      co_await world.client(ClientId{1}).acquire(Want{world.lock(LockId{0})}, {});
  EXPECT_TRUE(std::holds_alternative<Aborted>(result));
  waited = verbs.now() - begin;
}
TEST(timed, cql_lets_nodes_lose_their_patience_one_after_the_other) {
  const ProtocolEntry& entry = *find_protocol("cql");
  ParamSet params = entry.info.resolve("repaired");
  params.set("timeout", milliseconds(1));
  params.set("timeout_step", milliseconds(10));
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.client_nodes = 2;
  World world(*protocol, shape);
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  Duration waited;
  backend->spawn(world.verbs(ClientId{0}), keep(world), Time{});
  backend->spawn(world.verbs(ClientId{1}), wait_for_the_dead(world, waited), Time{});
  backend->at(Time{} + microseconds(100),
              [&backend] { backend->crash(ClientId{0}, CrashKind::node); });
  backend->run_until(Time{} + seconds(2));
  EXPECT_GT(waited, milliseconds(20));
  EXPECT_LT(waited, milliseconds(23));
}

}  // namespace
}  // namespace latchlab::cql_tests

#endif
