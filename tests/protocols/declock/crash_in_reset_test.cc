#include "tests/protocols/cql/crash_in_reset.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

TEST(timed, declock_is_not_held_up_by_a_node_that_dies_in_resets) {
  expect_all_others_done(after_death_in_resets("declock"));
}

TEST(timed, declock_holds_no_lock_up_until_a_dead_waiter_has_acknowledged_its_notification) {
  expect_all_others_done(after_death_of_a_waiter("declock"));
}

}  // namespace
}  // namespace latchlab::cql_tests

#endif
