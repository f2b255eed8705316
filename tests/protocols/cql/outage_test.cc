// CQL, where a server or a client node cannot be reached for a while.

#include "tests/protocols/cql/outage.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

using namespace testing;
using ::testing::Contains;

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

}  // namespace
}  // namespace latchlab::cql_tests

#endif
