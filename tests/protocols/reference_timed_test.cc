// The reference lock in the simulator: modes, units, upgrades and leases under contention.

#if LATCHLAB_WITH_SIMGRID

#include "tests/conformance/simulation.h"
#include "tests/protocols/sections.h"

namespace latchlab::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The n-th section of client c is that of turn c + n.
RunSetup in_turns(std::uint64_t times,
                  std::function<void(std::uint64_t turn, const World&, Section&)> fill) {
  RunSetup setup = repeated(kReferenceLock, times, {});
  setup.section = [=](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= times) return false;
    fill(client.value + count, world, section);
    return true;
  };
  setup.client_nodes = 4;
  setup.clients_per_node = 2;
  setup.make = plain_simulation;
  return setup;
}
RunSetup faulty(RunSetup setup, const char* fault) {
  setup.params = {{"fault", text(fault)}};
  return setup;
}

// Exclusive, shared, update, and update followed by an upgrade.
RunSetup all_modes() {
  RunSetup setup = in_turns(40, [](std::uint64_t turn, const World& world, Section& section) {
    const LockMode modes[] = {LockMode::exclusive, LockMode::shared, LockMode::update};
    want(world, section, 0, modes[std::min<std::uint64_t>(turn % 4, 2)]);
    section.upgrades = turn % 4 == 3 ? 1 : 0;
    section.work.hold = microseconds(2);
  });
  setup.guard = GuardMode::on;
  return setup;
}

TEST(timed, reference_modes_and_upgrades_exclude_each_other) {
  const Outcome outcome = run(all_modes(), 1);
  ASSERT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.acquired, 8U * 40);
  EXPECT_EQ(outcome.upgraded, 8U * 10);
  EXPECT_EQ(outcome.guard.checks, outcome.acquired + outcome.upgraded);
  EXPECT_THAT(outcome.guard.conflicts, IsEmpty());
  EXPECT_GE(outcome.most_inside, 2U) << "readers, and an updater beside them";
}

// The run ends when the monitor detects it, which in some runs is before the guard words can.
TEST(timed, reference_upgrades_that_wait_for_no_reader_are_caught) {
  const Outcome outcome = run(faulty(all_modes(), "upgrades_at_once"), 3);
  EXPECT_GT(outcome.safety.violations, 0U);
  EXPECT_GT(judge(outcome.guard).violations, 0U);
}

// ---- units ----

RunSetup stretches(std::uint64_t units) {
  return in_turns(20, [=](std::uint64_t turn, const World& world, Section& section) {
    const bool reads = turn % 3 == 0;
    want(world, section, 0, reads ? LockMode::shared : LockMode::exclusive, {turn % 8 * 4, units});
    section.work.hold = microseconds(20);
  });
}

// The first sections of eight clients, all at the same time.
TEST(timed, reference_units_that_are_disjoint_are_held_together) {
  const Outcome outcome = run(stretches(4), 1);
  ASSERT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.most_inside, 8U);
}

TEST(timed, reference_units_that_overlap_are_held_in_turn) {
  const Outcome outcome = run(stretches(5), 1);
  ASSERT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_GE(outcome.most_inside, 2U);
  EXPECT_LT(outcome.most_inside, 8U);
}

TEST(timed, reference_units_whose_overlap_is_ignored_are_caught) {
  const Outcome outcome = run(faulty(stretches(5), "shares_extents"), 1);
  EXPECT_GT(outcome.safety.violations, 0U);
  EXPECT_THAT(outcome.violation, HasSubstr("5 units from"));
}

// ---- which clients wait for which ----

RunSetup three_clients(std::function<void(ClientId, const World&, Section&)> fill) {
  RunSetup setup = repeated(kReferenceLock, 1, std::move(fill));
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.make = plain_simulation;
  return setup;
}
// The time of the event; the test fails if it did not happen.
Time date_of(const Outcome& outcome, const std::string& event) {
  for (std::size_t i = 0; i < outcome.log.size(); ++i)
    if (outcome.log[i] == event) return outcome.when[i];
  ADD_FAILURE() << event << " did not happen";
  return {};
}
void arrives(Duration after, ClientId client, const World& world, Section& section) {
  section.arrived = world.verbs(client).now() + after;
}

// Client 0 updates units 0 to 3 and upgrades; client 1 reads from its own unit on, for 100 us;
// client 2 wants to read in the middle of that.
Outcome upgrade_beside_a_reader(std::uint64_t first) {
  const Outcome outcome = run(
      three_clients([=](ClientId client, const World& world, Section& section) {
        const Extent units[] = {{0, 4}, {first, 4}, {0, 1}};
        want(world, section, 0, client.value == 0 ? LockMode::update : LockMode::shared,
             units[client.value]);
        section.upgrades = client.value == 0 ? 1 : 0;
        section.work.hold = microseconds(client.value == 1 ? 100 : 10);
        arrives(microseconds(client.value == 0 ? 30 : 20 * client.value), client, world, section);
      }),
      1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.upgraded, 1U);
  return outcome;
}

TEST(timed, reference_upgrade_waits_for_the_readers_of_its_units) {
  const Outcome outcome = upgrade_beside_a_reader(3);
  EXPECT_LT(date_of(outcome, "0 takes 0"), date_of(outcome, "1 leaves 0"));
  EXPECT_GT(date_of(outcome, "0 upgrades 0"), date_of(outcome, "1 leaves 0"));
}

TEST(timed, reference_upgrade_does_not_wait_for_readers_of_other_units) {
  const Outcome outcome = upgrade_beside_a_reader(4);
  EXPECT_LT(date_of(outcome, "0 upgrades 0"), date_of(outcome, "1 leaves 0"));
}

// Client 0 holds lock 0 and waits for lock 1, which client 1 holds for 70 us. Client 0's work ends
// after its first lease, for which client 2 waits.
TEST(timed, reference_lease_that_is_extended_excludes_other_clients_for_longer) {
  RunSetup setup = three_clients([](ClientId client, const World& world, Section& section) {
    if (client.value != 1) want(world, section, 0);
    if (client.value != 2) want(world, section, 1);
    section.extend = client.value == 0;
    section.work.hold = microseconds(client.value == 0 ? 60 : client.value == 1 ? 70 : 1);
    arrives(microseconds(5 * client.value * (client.value - 1)), client, world, section);
  });
  setup.params = {{"lease", microseconds(100)}};
  const Outcome outcome = run(setup, 1);
  ASSERT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_GE(outcome.extended, 1U);
  EXPECT_EQ(outcome.suppressed, 0U);
  EXPECT_EQ(outcome.safety.expired_holds, 0U);
  EXPECT_GT(date_of(outcome, "0 leaves 0") - date_of(outcome, "0 takes 0"), microseconds(125))
      << "the lease, as the server counts it";
  EXPECT_GT(date_of(outcome, "2 takes 0"), date_of(outcome, "0 leaves 0"));
}

// Client 1 holds lock 1 for long, and no client may wait. Client 0 holds lock 0 by then, which
// client 2 wants in the middle of client 0's first pause.
TEST(timed, sections_that_release_before_a_retry_pause_with_no_lock_held) {
  RunSetup setup = three_clients([](ClientId client, const World& world, Section& section) {
    if (client.value != 1) want(world, section, 0);
    if (client.value != 2) want(world, section, 1);
    section.on_abort = OnAbort::give_back;
    section.pause = microseconds(50);
    section.work.hold = microseconds(client.value == 1 ? 200 : 1);
    arrives(microseconds(15 * client.value * (client.value - 1)), client, world, section);
  });
  setup.params = {{"max_waiting", number(0)}};
  const Outcome outcome = run(setup, 1);
  ASSERT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  std::vector<std::string> log;
  std::vector<Time> when;
  for (std::size_t i = 0; i < outcome.log.size(); ++i) {
    if (outcome.log[i][0] != '0') continue;
    log.push_back(outcome.log[i]);
    when.push_back(outcome.when[i]);
  }
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i + 2 < log.size(); ++i) {
    if (log[i] != "0 is refused 1") continue;
    ++refused;
    EXPECT_EQ(log[i + 1], "0 leaves 0");
    EXPECT_EQ(when[i + 1], when[i]);
    EXPECT_EQ(log[i + 2], "0 asks for 0");
    EXPECT_GE(when[i + 2] - when[i + 1], microseconds(50));
  }
  EXPECT_EQ(refused, outcome.aborted);
  EXPECT_GE(refused, 3U);
  EXPECT_LT(date_of(outcome, "2 takes 0"), Time{} + microseconds(50));
}

}  // namespace
}  // namespace latchlab::testing

#endif
