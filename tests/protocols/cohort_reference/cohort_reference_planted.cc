// The cohort lock, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

RunSetup broken() {
  RunSetup setup;
  setup.protocol = "cohort_reference";
  setup.operations = 6;
  setup.max_steps = 5'000;
  return setup;
}

// Told to lead, a client enters without taking the lock.
TEST(cohort_reference_planted, a_neighbour_that_enters_without_the_lock) {
  expect_breaks_exclusion(Bug{"cohort_reference_enters_without_leading"}, 20, broken());
}

TEST(cohort_reference_planted, a_lock_given_back_and_handed_on_at_home) {
  expect_breaks_exclusion(Bug{"cohort_reference_frees_and_passes"}, 20, broken());
}

// Whoever is next on the node is never told.
TEST(cohort_reference_planted, a_neighbour_that_is_forgotten) {
  expect_blocks(Bug{"cohort_reference_forgets_its_neighbour"}, 20, broken());
}

}  // namespace
}  // namespace latchlab::testing
