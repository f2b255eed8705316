// What DecLock's clients make of a server that fails, at whatever they are then.

#include "tests/protocols/promises.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::declock_tests {
namespace {

using namespace testing;

// Two neighbours on each of two nodes want each lock, whose versions run out all the time, so that
TEST(timed, declock_tells_that_the_server_fails_at_every_step) {
  constexpr std::uint32_t kLocks = 60;
  std::vector<AbortReason> reasons;
  RunSetup setup;
  setup.protocol = "declock";
  setup.params = {{"version_bits", number(1)}};
  setup.client_nodes = kLocks;
  setup.clients_per_node = 4;
  setup.locks = kLocks;
  setup.make = plain_simulation;
  setup.wrap = [&reasons](LockClient& inner) { return std::make_unique<Resigned>(inner, reasons); };
  bool dead = false;
  setup.section = [&dead](ClientId client, std::uint64_t, const World& world, Section& section) {
    section.wants.push_back(Want{world.lock(LockId{client.value / 2 % kLocks})});
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
  EXPECT_THAT(labels("declock", true), ::testing::Contains("a leader is refused"));
}

}  // namespace
}  // namespace latchlab::declock_tests

#endif
