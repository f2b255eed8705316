// What DecLock does when a server fails and restarts without its memory.

#include "tests/protocols/cql/return.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::declock_tests {
namespace {

using namespace testing;
using cql_tests::expect_return_survived;

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

}  // namespace
}  // namespace latchlab::declock_tests

#endif
