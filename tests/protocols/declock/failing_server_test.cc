// What DecLock's clients do when a server fails at any of their steps.

#include "tests/protocols/promises.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::declock_tests {
namespace {

using namespace testing;

// Two clients on each of two nodes want each lock, whose versions run out all the time, so that
// some client is at every step when the server fails.
TEST(timed, declock_reports_a_failed_server_at_every_step) {
  constexpr std::uint32_t kLocks = 60;
  RunSetup setup;
  setup.protocol = "declock";
  setup.params = {{"version_bits", number(1)}};
  setup.client_nodes = kLocks;
  setup.clients_per_node = 4;
  setup.locks = kLocks;
  setup.make = plain_simulation;
  const auto wanted = [](ClientId client, std::uint64_t, const World& world) {
    return Want{world.lock(LockId{client.value / 2 % kLocks})};
  };
  EXPECT_THAT(expect_end_when_the_server_dies(setup, microseconds(200), wanted),
              ::testing::Contains("a leader is refused"));
}

}  // namespace
}  // namespace latchlab::declock_tests

#endif
