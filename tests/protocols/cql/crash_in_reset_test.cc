#include "tests/protocols/cql/crash_in_reset.h"

#include "tests/protocols/cql/two_clients.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

using namespace testing;

TEST(timed, cql_does_not_stall_when_a_node_crashes_during_resets) {
  expect_all_others_done(after_death_in_resets("cql"));
  EXPECT_THAT(
      labels("cql", true),
      ::testing::IsSupersetOf({"a reset hears of a death", "a reset is taken over from the dead"}));
}

TEST(timed, cql_does_not_wait_until_a_crashed_waiter_acknowledges_its_notification) {
  expect_all_others_done(after_death_of_a_waiter("cql"));
}

// A server and a client node have lower numbers than the waiter's node.
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
TEST(timed, cql_lets_nodes_time_out_one_after_the_other) {
  TwoClients two({{"timeout", milliseconds(1)}, {"timeout_step", milliseconds(10)}});
  Duration waited;
  two.spawn(ClientId{0}, keep(two.world()));
  two.spawn(ClientId{1}, wait_for_the_dead(two.world(), waited));
  two.backend().at(Time{} + microseconds(100),
                   [&two] { two.backend().crash(ClientId{0}, CrashKind::node); });
  two.backend().run_until(Time{} + seconds(2));
  EXPECT_GT(waited, milliseconds(20));
  EXPECT_LT(waited, milliseconds(23));
}

// The path between the two client nodes is cut for longer than RC retries. Meanwhile client 2
// releases, posts its node's answer to the reset, which is lost, and crashes.
Task<void> leave_and_answer(World& world) {
  LockClient& client = world.client(ClientId{2});
  const AcquireResult result =
      co_await client.acquire(Want{world.lock(LockId{0}), LockMode::shared}, {});
  const Grant grant = std::get<Grant>(result);
  co_await world.verbs(ClientId{2}).sleep(microseconds(100));
  co_await client.release(grant);
  co_await world.verbs(ClientId{2}).sleep(seconds(1));
}
// Client 0 holds another lock beside it until versions run out, and has to reset that lock.
Task<void> read_until_a_reset(World& world, bool& done) {
  LockClient& client = world.client(ClientId{0});
  while (client.recoveries() == 0) {
    const AcquireResult result =
        co_await client.acquire(Want{world.lock(LockId{0}), LockMode::shared}, {});
    const Grant grant = std::get<Grant>(result);
    co_await client.release(grant);
  }
  done = true;
}
// Only the crash ends this reset: without a timeout it asks once.
TEST(timed, cql_asks_again_in_a_reset_if_the_answer_of_a_crashed_client_was_lost) {
  const ProtocolEntry& entry = *find_protocol("cql");
  ParamSet params = entry.info.resolve("repaired");
  params.set("version_bits", number(1));
  params.set("capacity", number(3));
  params.set("timeout", Duration{});
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.client_nodes = 2;
  shape.clients_per_node = 2;  // client 3 keeps the crashed client's node alive
  World world(*protocol, shape);
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  bool done = false;
  backend->spawn(world.verbs(ClientId{2}), leave_and_answer(world), Time{});
  backend->spawn(world.verbs(ClientId{0}), read_until_a_reset(world, done),
                 Time{} + microseconds(20));
  const auto set_path = [&](bool up) {
    backend->hardware_faults()->set_link(world.node_of(ClientId{0}), world.node_of(ClientId{2}),
                                         up);
  };
  backend->at(Time{} + microseconds(80), [&] { set_path(false); });
  backend->at(Time{} + microseconds(120), [&] { backend->crash(ClientId{2}, CrashKind::client); });
  backend->at(Time{} + milliseconds(2), [&] { set_path(true); });
  paths::forget();
  paths::record(true);
  backend->run_until(Time{} + milliseconds(50));
  paths::record(false);
  EXPECT_TRUE(done);
  EXPECT_THAT(labels("cql", true),
              ::testing::IsSupersetOf({"a reset waits for clients of a node",
                                       "a client answers a reset when it has left",
                                       "a reset hears of a death"}));
}

}  // namespace
}  // namespace latchlab::cql_tests

#endif
