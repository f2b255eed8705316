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

}  // namespace
}  // namespace latchlab::cql_tests

#endif
