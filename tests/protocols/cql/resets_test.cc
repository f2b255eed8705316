// What a reset costs, when a release calls for it, and which phases the lock passes through.

#include "core/protocols/cql/format.h"
#include "tests/protocols/cql/two_clients.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::cql_tests {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;

// One client without contention; the second version is that of unwritten entries, so that the third
// release finds no versions left. Two CAS begin the reset, because the first one only reads the
// header, and one ends it.
TEST(cql, takes_three_cas_for_a_reset_without_contention) {
  RunSetup setup;
  setup.protocol = "cql";
  setup.client_nodes = setup.clients_per_node = 1;
  setup.operations = 12;
  setup.shared_percent = 0;
  setup.params = {{"version_bits", number(1)}, {"capacity", number(3)}};
  Outcome outcome;
  EXPECT_THAT(reached_in(setup, 1, outcome), Contains("a release finds no versions left"));
  EXPECT_EQ(outcome.acquired, 12U);
  EXPECT_GT(outcome.recoveries, 0U);
  EXPECT_EQ(outcome.tally.of(VerbKind::cas), 3 * outcome.recoveries);
}

// No client times out here, so that without the reset the clients behind the entry would wait
// forever.
TEST(cql, resets_a_queue_in_which_a_release_finds_an_entry_overwritten) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup;
  setup.protocol = "cql";
  setup.profile = "repaired";
  setup.client_nodes = 3;
  setup.operations = 4;
  setup.shared_percent = 50;
  setup.params = {{"capacity", number(3)}, {"timeout", Duration{}}, {"overflow", text("version")}};
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 2'000 && !found; ++seed) {
    Outcome outcome;
    const Labels seen = reached_in(setup, seed, outcome);
    found = outcome.end == RunEnd::finished &&
            std::count(seen.begin(), seen.end(), "a release finds an entry overwritten") > 0;
  }
  EXPECT_TRUE(found);
}

TEST(cql, counts_notifications_apart_from_its_own_verbs) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup;
  setup.protocol = "cql";
  setup.profile = "repaired";
  setup.client_nodes = 2;
  setup.shared_percent = 0;
  EXPECT_THAT(phases_of(setup),
              ElementsAre("acquire IA", "acquire IA WP", "release IA", "release IA NS"));
}

#if LATCHLAB_WITH_SIMGRID
// Two clients ask at once, and the second one crashes before it writes its entry. No other client
// waits, so that only the first one's release can reset the lock.
TEST(timed, cql_resets_the_lock_if_an_expected_entry_is_never_written) {
  RunSetup setup;
  setup.protocol = "cql";
  setup.profile = "repaired";
  setup.clients_per_node = 1;
  setup.operations = 1;
  setup.hold = microseconds(20);
  setup.make = plain_simulation;
  CaseRun run(setup, 1);
  run.backend().at(Time{} + nanoseconds(1500),
                   [&] { run.backend().crash(ClientId{1}, CrashKind::client); });
  paths::forget();
  paths::record(true);
  const Outcome outcome = run.go();
  paths::record(false);
  EXPECT_THAT(labels("cql", true), Contains("a release looks for an entry in vain"));
  EXPECT_EQ(outcome.recoveries, 1U);
  EXPECT_TRUE(outcome.free) << outcome.entry;
}

Task<void> hold_for_a_while(World& world) {
  LockClient& client = world.client(ClientId{0});
  const AcquireResult result = co_await client.acquire(Want{world.lock(LockId{0})}, {});
  const Grant grant = std::get<Grant>(result);
  co_await world.verbs(ClientId{0}).sleep(microseconds(100));
  co_await client.release(grant);
}

// Client 1 tells both nodes of a reset that no client has begun, and then asks. Its node then knows
// of one reset more than client 0's node did when client 0 asked.
Task<void> wait_after_a_reset_is_known(World& world, bool& granted) {
  const ClientId me{1};
  Verbs& verbs = world.verbs(me);
  co_await verbs.sleep(microseconds(20));
  const Message later = {cql::kReset, 1, LockId{0}, {world.endpoint_of(me).packed(), me.value}};
  for (const ClientId each : {ClientId{0}, me}) {
    const EndpointAddr node = world.node_endpoint(world.node_of(each));
    co_await verbs.send(node, later);
  }
  co_await verbs.sleep(microseconds(10));
  const AcquireResult result = co_await world.client(me).acquire(Want{world.lock(LockId{0})}, {});
  granted = std::holds_alternative<Grant>(result);
}

// Without a timeout, a waiter that ignores its notification waits forever.
bool wakes_after_a_reset_is_known(const char* notification_count) {
  TwoClients two({{"timeout", Duration{}}, {"notification_count", text(notification_count)}});
  bool granted = false;
  two.spawn(ClientId{0}, hold_for_a_while(two.world()));
  two.spawn(ClientId{1}, wait_after_a_reset_is_known(two.world(), granted));
  paths::forget();
  paths::record(true);
  two.backend().run_until(Time{} + milliseconds(1));
  paths::record(false);
  return granted;
}

TEST(timed, cql_notifies_with_the_reset_count_of_the_release_as_in_the_authors_code) {
  EXPECT_TRUE(wakes_after_a_reset_is_known("release"));
}

TEST(timed, cql_notifies_with_the_reset_count_of_the_acquisition) {
  EXPECT_FALSE(wakes_after_a_reset_is_known("acquisition"));
  EXPECT_THAT(labels("cql", true), Contains("an expired notification is ignored"));
}

// Client 1 tells its own node of five resets.
Task<void> tell_of_five_resets(World& world) {
  const ClientId me{1};
  const Message later = {cql::kReset, 5, LockId{0}, {world.endpoint_of(me).packed(), me.value}};
  co_await world.verbs(me).send(world.node_endpoint(world.node_of(me)), later);
}

// Runs until the versions have run out.
Task<void> take_four_turns(World& world) {
  const Want want{world.lock(LockId{0})};
  LockClient& client = world.client(ClientId{0});
  for (int i = 0; i < 4; ++i) {
    const AcquireResult result = co_await client.acquire(want, {});
    const Grant grant = std::get<Grant>(result);
    co_await client.release(grant);
  }
}

// For example, the clients that announced the reset here and not there have crashed.
TEST(timed, cql_asks_again_with_the_latest_reset_count_known_to_its_node) {
  TwoClients two({{"version_bits", number(1)}, {"capacity", number(3)}});
  two.spawn(ClientId{1}, tell_of_five_resets(two.world()));
  two.spawn(ClientId{0}, take_four_turns(two.world()), Time{} + microseconds(20));
  paths::forget();
  paths::record(true);
  EXPECT_EQ(two.backend().run_until(Time{} + milliseconds(1)), RunEnd::finished);
  paths::record(false);
  EXPECT_EQ(two.world().client(ClientId{0}).recoveries(), 1U);
  EXPECT_THAT(labels("cql", true), Contains("a reset learns of a later one"));
}
#endif

}  // namespace
}  // namespace latchlab::cql_tests
