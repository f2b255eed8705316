// DecLock, where a server or a client node cannot be reached for a while.

#include "tests/protocols/cql/outage.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::declock_tests {
namespace {

using cql_tests::after_outage;
using ::testing::Contains;

// A client that has begun a reset may wait behind a client of its own node by then.
TEST(timed, declock_continues_when_the_server_is_reachable_again) {
  EXPECT_THAT(after_outage("declock", true), Contains("a reset that was cut short is begun anew"));
}
TEST(timed, declock_continues_when_a_client_node_is_reachable_again) {
  EXPECT_THAT(after_outage("declock", false), Contains("a reset asks again"));
}

}  // namespace
}  // namespace latchlab::declock_tests

#endif
