// CQL, where a server or a client node cannot be reached for a while.

#include "tests/protocols/cql/outage.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

using namespace testing;
using ::testing::Contains;

TEST(timed, cql_goes_on_when_the_server_is_back) {
  EXPECT_THAT(after_outage("cql", true), Contains("a reset that was cut short is begun anew"));
}
TEST(timed, cql_goes_on_when_a_client_node_is_back) {
  EXPECT_THAT(after_outage("cql", false), Contains("a reset asks again"));
}

// Resets ask much too often, so that answers come late, and fill the inbox of who waits. Nobody has
// a timeout by which a notification that finds no room would be made up for.
TEST(timed, cql_makes_room_for_notifications_among_late_answers) {
  RunSetup setup = timed("cql", "repaired");
  setup.operations = 200;
  setup.shared_percent = 0;
  setup.params = {{"messages", text("ud")},
                  {"version_bits", number(1)},
                  {"resend", nanoseconds(100)},
                  {"timeout", Duration{}}};
  expect_sound_run(setup);
}

}  // namespace
}  // namespace latchlab::cql_tests

#endif
