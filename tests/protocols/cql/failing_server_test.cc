// What CQL's clients do when a server fails at any of their steps.

#include "tests/protocols/cql/outage.h"
#include "tests/protocols/cql/return.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using namespace testing;

// Versions run out all the time, so that at each lock some client is at every step of a reset too.
TEST(timed, cql_reports_a_failed_server_at_every_step) {
  constexpr std::uint32_t kLocks = 60;
  RunSetup setup;
  setup.protocol = "cql";
  setup.params = {{"version_bits", number(1)}, {"capacity", number(4)}};
  setup.client_nodes = kLocks;
  setup.clients_per_node = 4;
  setup.locks = kLocks;
  setup.make = plain_simulation;
  const auto wanted = [](ClientId client, std::uint64_t, const World& world) {
    return Want{world.lock(LockId{client.value % kLocks})};
  };
  EXPECT_THAT(
      expect_end_when_the_server_dies(setup, microseconds(200), wanted),
      ::testing::IsSupersetOf({"the server fails an acquisition", "the server fails a waiter",
                               "the server fails a release", "the server fails a reset",
                               "the server fails a client that waits for a reset"}));
}

// ---- servers and nodes that cannot be reached for a while ----

TEST(timed, cql_continues_when_the_server_is_reachable_again) {
  EXPECT_THAT(after_outage("cql", true), Contains("a reset that was cut short is begun anew"));
}
TEST(timed, cql_continues_when_a_client_node_is_reachable_again) {
  EXPECT_THAT(after_outage("cql", false), Contains("a reset asks again"));
}

// Questions follow each other faster than answers arrive, so that some answers arrive after the
// reset.
TEST(timed, cql_removes_late_answers_from_the_inbox) {
  RunSetup setup = timed("cql", "repaired");
  setup.params = {
      {"messages", text("ud")}, {"version_bits", number(1)}, {"resend", nanoseconds(100)}};
  paths::forget();
  paths::record(true);
  expect_sound_run(setup);
  paths::record(false);
  EXPECT_THAT(labels("cql", true), Contains("a late answer to a reset is ignored"));
}

// ---- servers that come back without their memory ----

// Sections from before the failure last longer than the outage, and new clients wait for them.
TEST(timed, cql_survives_a_server_restart) {
  const Outcome outcome = expect_return_survived({});
  EXPECT_GT(outcome.suppressed, 0U);
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_GT(outcome.recoveries, 0U);
  EXPECT_THAT(labels("cql", true),
              IsSupersetOf({"a waiter hears that the server has failed",
                            "an acquisition is paused until the server is back",
                            "a release comes after the server has failed",
                            "a node waits for clients that have locks of a server's earlier life",
                            "the last client that had locks of a server's earlier life leaves",
                            "all nodes have left what they had before the server failed"}));
}

// No client hears of the failure before the server has restarted.
TEST(timed, cql_survives_a_restart_that_no_client_notices_before_it_is_over) {
  const Outcome outcome = expect_return_survived({.outage = microseconds(300)});
  EXPECT_GT(outcome.suppressed, 0U);
}

TEST(timed, cql_survives_a_server_restart_during_resets) {
  expect_survived(after_return_in_resets("cql"), 240 * kResetSections);
  EXPECT_THAT(labels("cql", true), ::testing::Contains("the server fails a reset"));
}

TEST(timed, cql_survives_a_server_restart_in_a_reset_that_waits_for_a_holder) {
  expect_survived(after_return_in_a_reset("cql"), 24 * 20ULL);
}

TEST(timed, cql_survives_a_server_restart_with_several_locks_held) {
  const Outcome outcome = after_return_with_several_held("cql");
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_GE(outcome.acquired, 3 * 16 * kSeveralSections);
  EXPECT_GT(outcome.suppressed, 0U);
}

// The server fails and restarts while a client announces its request on its node, which takes long
// here. Client 0 has held the lock since before.
TEST(timed, cql_checks_for_a_server_restart_right_before_it_posts) {
  RunSetup setup;
  setup.protocol = "cql";
  setup.profile = "repaired";
  setup.clients_per_node = 1;
  setup.locks = 2;
  setup.make = [](const WorldPlan& plan) {
    SimgridOptions options = plain_options();
    options.nic.on_node = microseconds(500);
    return make_simgrid(plan, options);
  };
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    const std::uint64_t lock = client.value == 1 && count == 0 ? 1 : 0;
    section.wants.push_back(Want{world.lock(LockId{lock})});
    if (client.value == 0) section.work.hold = milliseconds(5);
    return count < (client.value == 0 ? 1U : 2U);
  };
  expect_survived(after_return_in(setup, microseconds(1100), microseconds(200)), 3);
  EXPECT_THAT(labels("cql", true),
              ::testing::Contains("the server fails before an acquisition has begun"));
}

TEST(timed, cql_needs_no_timeout_for_a_server_restart) {
  expect_return_survived(without_timeout("cql"));
}

TEST(timed, cql_survives_a_server_restart_over_datagrams) {
  expect_return_survived({.params = {{"messages", text("ud")}}});
}

// A client that still holds a lock from before the restart is waited for until `timeout` at most,
// and then again.
TEST(timed, cql_stops_waiting_for_holders_of_locks_from_before_a_restart) {
  expect_return_survived({.outage = milliseconds(1), .params = {{"timeout", milliseconds(3)}}});
  EXPECT_THAT(labels("cql", true),
              ::testing::Contains("a client keeps locks of a server's earlier life for too long"));
}

}  // namespace
}  // namespace latchlab::cql_tests

#endif
