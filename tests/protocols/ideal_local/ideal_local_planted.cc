// The ideal lock, broken on purpose.

#include "tests/protocols/planted.h"
#include "tests/protocols/promises.h"

namespace latchlab::testing {
namespace {

RunSetup broken() {
  RunSetup setup;
  setup.protocol = "ideal_local";
  setup.client_nodes = 1;
  setup.clients_per_node = 4;
  setup.shared_percent = 50;
  setup.operations = 6;
  setup.max_steps = 5'000;
  return setup;
}

TEST(ideal_local_planted, a_writer_beside_readers) {
  expect_breaks_exclusion(Bug{"ideal_local_admits_beside_readers"}, 20, broken());
}

// No check fails, but a path is never taken.
void expect_never(Bug bug, const RunSetup& setup, const std::string& label) {
  EXPECT_THAT(reached(setup), ::testing::Contains(label));
  const Active active(bug);
  EXPECT_THAT(reached(setup), ::testing::Not(::testing::Contains(label)));
}

TEST(ideal_local_planted, readers_granted_one_by_one) {
  LATCHLAB_NEEDS_EXPLORER("reaches rare paths by many orders");
  expect_never(Bug{"ideal_local_grants_one_reader"}, broken(),
               "a release grants to several readers");
}

RunSetup impatient_ideal_local() {
  RunSetup setup = broken();
  setup.impatient = true;
  return setup;
}

// Readers behind the writer wait until the current readers release.
TEST(ideal_local_planted, a_writer_that_withdraws_without_granting_the_readers_behind_it) {
  LATCHLAB_NEEDS_EXPLORER("reaches rare paths by many orders");
  expect_never(Bug{"ideal_local_withdraws_alone"}, impatient_ideal_local(),
               "readers wait behind a writer that gave up");
}

TEST(ideal_local_planted, a_release_that_wakes_no_waiter) {
  expect_blocks(Bug{"ideal_local_forgets_its_queue"}, 20, broken());
}

}  // namespace
}  // namespace latchlab::testing
