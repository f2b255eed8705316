// The dslr lock in the simulator, where leases expire.

#if LATCHLAB_WITH_SIMGRID

#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

TEST(timed, dslr_is_sound_as_ported) {
  expect_sound_run(timed("dslr", "shiftlock_port"));
}

TEST(timed, dslr_is_sound_and_repairs_nothing_without_faults) {
  const Outcome outcome = run(timed("dslr", "repaired"), 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.recoveries, 0U);
}

TEST(timed, dslr_survives_crashes) {
  RunSetup setup = timed("dslr", "repaired");
  setup.dies = {0, 5};
  expect_sound_run(setup);
}

// Eras have 16 tickets, and leases are no longer than an era: many eras, two crashes.
TEST(timed, dslr_survives_crashes_with_narrow_tickets) {
  RunSetup setup = timed("dslr", "repaired");
  setup.params = {{"ticket_bits", number(5)}, {"lease", microseconds(200)}};
  setup.dies = {0, 5};
  expect_sound_run(setup);
}

// Counter-example 2 of dslr.h: only writers, each well within its lease.
RunSetup long_queue_of_writers() {
  RunSetup setup = timed("dslr", "repaired");
  setup.shared_percent = 0;
  setup.operations = 4;
  setup.hold = microseconds(150);
  setup.params = {{"lease", microseconds(200)}};
  return setup;
}

TEST(timed, a_queue_of_writers_looks_dead_when_both_counters_must_move) {
  RunSetup setup = long_queue_of_writers();
  setup.params.emplace_back("progress", text("both"));
  EXPECT_GT(run(setup, 1).safety.violations, 0U);
}

TEST(timed, a_queue_of_writers_is_alive_when_either_counter_moves) {
  const Outcome outcome = run(long_queue_of_writers(), 1);
  EXPECT_TRUE(outcome.safe());
  EXPECT_EQ(outcome.recoveries, 0U);
  EXPECT_EQ(outcome.end, RunEnd::finished);
}

// The client loop cuts off a section that takes longer than its lease. The release comes too late
// and must not count.
TEST(timed, dslr_suppresses_a_release_after_the_lease) {
  RunSetup setup = timed("dslr", "repaired");
  setup.operations = 1;
  setup.hold = microseconds(300);
  setup.params = {{"lease", microseconds(200)}};
  const Outcome outcome = run(setup, 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_GT(outcome.suppressed, 0U);
  EXPECT_EQ(outcome.end, RunEnd::finished);
}

}  // namespace
}  // namespace latchlab::testing

#endif
