// Crashes of dslr clients, and the counter-examples of dslr.h: each is shown with the printed
// switch, and does not occur with the repair.

#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

RunSetup with_clients(std::uint32_t clients) {
  RunSetup setup;
  setup.protocol = "dslr";
  setup.profile = "repaired";
  setup.client_nodes = clients;
  setup.clients_per_node = 1;
  setup.shared_percent = 50;
  setup.operations = 4;
  return setup;
}

TEST(dslr_recovery, survives_a_crashed_writer) {
  RunSetup setup = with_clients(4);
  setup.shared_percent = 0;
  setup.dies = {0};
  expect_sound(setup, 300);
  // On hardware the crashed client may have been the last one to be granted the lock, so that no
  // client waits behind it. Then the run is repeated.
  std::uint64_t recoveries = 0;
  for (std::uint64_t seed = 1; recoveries == 0 && seed <= (on_hardware() ? 20U : 1U); ++seed) {
    recoveries = run(setup, seed).recoveries;
  }
  EXPECT_GT(recoveries, 0U);
}

TEST(dslr_recovery, survives_a_crashed_reader) {
  RunSetup setup = with_clients(4);
  setup.shared_percent = 60;
  setup.dies = {1};
  expect_sound(setup, 300);
}

TEST(dslr_recovery, survives_several_crashes) {
  RunSetup setup = with_clients(6);
  setup.dies = {0, 2, 5};
  expect_sound(setup, 300);
}

// Few operations, because the explorer may let a client sleep through a whole era of narrow
// tickets, which takes longer than a lease at full width (dslr.h).
TEST(dslr_recovery, survives_a_crash_at_the_end_of_an_era) {
  RunSetup setup = with_clients(6);
  setup.params = {{"ticket_bits", number(4)}};
  setup.operations = 3;
  setup.dies = {0};
  expect_sound(setup, 2000);
}

TEST(dslr_recovery, survives_crashes_of_all_clients_but_one_in_short_eras) {
  RunSetup setup = with_clients(3);
  setup.params = {{"ticket_bits", number(3)}};
  setup.operations = 6;
  setup.dies = {0, 1};
  expect_sound(setup, 1000);
}

// The explorer ends a lease only when no other event can happen, so that a holder never exceeds its
// lease by waiting. It does if its section is longer than the lease.
TEST(dslr_recovery, suppresses_the_release_of_an_expired_grant) {
  LATCHLAB_NEEDS_EXPLORER("a lease shorter than a verb on a busy machine may take");
  RunSetup setup = with_clients(1);
  setup.operations = 1;
  setup.hold = nanoseconds(50);
  setup.params = {{"lease", nanoseconds(10)}};
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.suppressed, 1U);
  EXPECT_EQ(outcome.tally.one_sided(), 1U);
}

// ---- counter-examples ----

TEST(dslr_counter_example, an_overtaken_reader_loses_its_ticket_as_printed) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = with_clients(4);
  setup.profile = "sigmod18";
  const auto repairs = [](const Outcome& o) { return o.recoveries > 0; };
  EXPECT_GT(first_seed(setup, 200, repairs), 0U);
  setup.params = {{"overtaken", text("after_turn")}};
  EXPECT_EQ(first_seed(setup, 200, repairs), 0U);
}

TEST(dslr_counter_example, a_reader_saved_by_a_repair_breaks_exclusion) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = with_clients(5);
  setup.shared_percent = 70;
  setup.operations = 6;
  setup.dies = {0};
  setup.params = {{"repair", text("own_ticket")}};
  const auto unsafe = [](const Outcome& o) { return !o.safe(); };
  EXPECT_GT(first_seed(setup, 2000, unsafe), 0U);
  setup.profile = "shiftlock_port";
  setup.params = {};
  EXPECT_GT(first_seed(setup, 2000, unsafe), 0U);
  setup.profile = "repaired";
  EXPECT_EQ(first_seed(setup, 2000, unsafe), 0U);
}

TEST(dslr_counter_example, a_reset_while_clients_wait_breaks_the_lock_as_printed) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = with_clients(6);
  setup.profile = "sigmod18";
  setup.params = {{"ticket_bits", number(4)}};
  setup.operations = 3;
  setup.dies = {0};
  const auto wrong = [](const Outcome& o) { return !o.safe() || o.end != RunEnd::finished; };
  EXPECT_GT(first_seed(setup, 500, wrong), 0U);
  setup.profile = "repaired";
  EXPECT_EQ(first_seed(setup, 500, wrong), 0U);
}

}  // namespace
}  // namespace latchlab::testing
