// What DecLock's clients do when a server fails at any of their steps.

#include "tests/protocols/cql/crash_in_reset.h"
#include "tests/protocols/cql/outage.h"
#include "tests/protocols/cql/return.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::declock_tests {
namespace {

using cql_tests::after_outage;
using cql_tests::expect_return_survived;
using ::testing::Contains;
using namespace testing;

// Two clients on each of two nodes want each lock, whose versions run out all the time, so that
// some client is at every step when the server fails.
TEST(timed, declock_reports_a_failed_server_at_every_step) {
  constexpr std::uint32_t kLocks = 60;
  RunSetup setup;
  setup.protocol = "declock";
  setup.params = {{"version_bits", number(1)}};
  setup.client_nodes = kLocks;
  setup.clients_per_node = 4;
  setup.locks = kLocks;
  setup.make = plain_simulation;
  const auto wanted = [](ClientId client, std::uint64_t, const World& world) {
    return Want{world.lock(LockId{client.value / 2 % kLocks})};
  };
  EXPECT_THAT(expect_end_when_the_server_dies(setup, microseconds(200), wanted),
              ::testing::Contains("a leader is refused"));
}

// ---- servers and nodes that cannot be reached for a while ----

// A client that has begun a reset may wait behind a client of its own node by then.
TEST(timed, declock_continues_when_the_server_is_reachable_again) {
  EXPECT_THAT(after_outage("declock", true), Contains("a reset that was cut short is begun anew"));
}
TEST(timed, declock_continues_when_a_client_node_is_reachable_again) {
  EXPECT_THAT(after_outage("declock", false), Contains("a reset asks again"));
}

// ---- servers that come back without their memory ----

TEST(timed, declock_survives_a_server_restart) {
  const Outcome outcome = expect_return_survived({.protocol = "declock"});
  EXPECT_GT(outcome.suppressed, 0U);
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_GT(outcome.recoveries, 0U);
  EXPECT_THAT(labels("declock", true),
              ::testing::IsSupersetOf({"the failure of a server ends hand-overs within a node"}));
}

TEST(timed, declock_survives_a_restart_that_no_client_notices_before_it_is_over) {
  expect_return_survived({.protocol = "declock", .outage = microseconds(300)});
}

TEST(timed, declock_survives_a_server_restart_during_resets) {
  cql_tests::expect_survived(cql_tests::after_return_in_resets("declock"),
                             240 * cql_tests::kResetSections);
  EXPECT_THAT(labels("cql", true), ::testing::Contains("the server fails a reset"));
}

TEST(timed, declock_survives_a_server_restart_in_a_reset_that_waits_for_a_holder) {
  cql_tests::expect_survived(cql_tests::after_return_in_a_reset("declock"), 24 * 20ULL);
}

TEST(timed, declock_survives_a_server_restart_with_several_locks_held) {
  const Outcome outcome = cql_tests::after_return_with_several_held("declock");
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_GE(outcome.acquired, 3 * 16 * cql_tests::kSeveralSections);
  EXPECT_GT(outcome.suppressed, 0U);
}

TEST(timed, declock_needs_no_timeout_for_a_server_restart) {
  expect_return_survived(cql_tests::without_timeout("declock"));
}

// Clients of a node hand the lock over among themselves; yet other nodes do not wait for them.
TEST(timed, declock_survives_a_server_restart_while_locks_stay_at_nodes) {
  expect_return_survived({.protocol = "declock", .params = {{"transfer", text("local_prefer")}}});
}

TEST(timed, declock_synchronises_clocks_again_after_the_counters_are_lost) {
  expect_return_survived({.protocol = "declock", .params = {{"clock_sync", microseconds(500)}}});
  EXPECT_THAT(labels("declock", true),
              ::testing::Contains("clocks are synchronised anew, as the server has failed"));
}

// ---- nodes that crash during resets ----

TEST(timed, declock_does_not_stall_when_a_node_crashes_during_resets) {
  cql_tests::expect_all_others_done(cql_tests::after_death_in_resets("declock"));
}

TEST(timed, declock_does_not_wait_until_a_crashed_waiter_acknowledges_its_notification) {
  cql_tests::expect_all_others_done(cql_tests::after_death_of_a_waiter("declock"));
}

}  // namespace
}  // namespace latchlab::declock_tests

#endif
