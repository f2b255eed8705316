// What CQL's clients make of a server that fails, at whatever they are then.

#include "tests/protocols/promises.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {
namespace {

using namespace testing;

// Versions run out all the time, so that at each lock somebody is at every step of a reset too.
TEST(timed, cql_tells_that_the_server_fails_at_every_step) {
  constexpr std::uint32_t kLocks = 60;
  std::vector<AbortReason> reasons;
  RunSetup setup;
  setup.protocol = "cql";
  setup.params = {{"version_bits", number(1)}, {"capacity", number(4)}};
  setup.client_nodes = kLocks;
  setup.clients_per_node = 4;
  setup.locks = kLocks;
  setup.make = plain_simulation;
  setup.wrap = [&reasons](LockClient& inner) { return std::make_unique<Resigned>(inner, reasons); };
  bool dead = false;
  setup.section = [&dead](ClientId client, std::uint64_t, const World& world, Section& section) {
    section.wants.push_back(Want{world.lock(LockId{client.value % kLocks})});
    section.options.deadline = Time{};  // who resigns does not try again
    return !dead;
  };
  CaseRun run(setup, 1);
  const NodeId server = run.world().lock(LockId{0}).entry.node;
  run.backend().at(Time{} + microseconds(200), [&] {
    run.backend().hardware_faults()->crash_node(server);
    dead = true;
  });
  paths::forget();
  paths::record(true);
  const Outcome outcome = run.go();
  paths::record(false);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_THAT(reasons, ::testing::Contains(AbortReason::server_failed));
  EXPECT_THAT(
      labels("cql", true),
      ::testing::IsSupersetOf({"the server fails an acquisition", "the server fails a waiter",
                               "the server fails a release", "the server fails a reset",
                               "the server fails a client that waits for a reset"}));
}

}  // namespace
}  // namespace latchlab::cql_tests

#endif
