// What CQL's clients do when a server fails at any of their steps.

#include "tests/protocols/promises.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

using namespace testing;

// Versions run out all the time, so that at each lock some client is at every step of a reset too.
TEST(timed, cql_reports_a_failed_server_at_every_step) {
  constexpr std::uint32_t kLocks = 60;
  RunSetup setup;
  setup.protocol = "cql";
  setup.params = {{"version_bits", number(1)}, {"capacity", number(4)}};
  setup.client_nodes = kLocks;
  setup.clients_per_node = 4;
  setup.locks = kLocks;
  setup.make = plain_simulation;
  const auto wanted = [](ClientId client, std::uint64_t, const World& world) {
    return Want{world.lock(LockId{client.value % kLocks})};
  };
  EXPECT_THAT(
      expect_end_when_the_server_dies(setup, microseconds(200), wanted),
      ::testing::IsSupersetOf({"the server fails an acquisition", "the server fails a waiter",
                               "the server fails a release", "the server fails a reset",
                               "the server fails a client that waits for a reset"}));
}

}  // namespace
}  // namespace latchlab::cql_tests

#endif
