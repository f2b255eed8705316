#include "tests/protocols/cql/crash_in_reset.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

TEST(timed, declock_does_not_stall_when_a_node_crashes_during_resets) {
  expect_all_others_done(after_death_in_resets("declock"));
}

TEST(timed, declock_does_not_wait_until_a_crashed_waiter_acknowledges_its_notification) {
  expect_all_others_done(after_death_of_a_waiter("declock"));
}

}  // namespace
}  // namespace latchlab::cql_tests

#endif
