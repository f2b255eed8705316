// The drtm lock in the simulator, where leases expire.

#if LATCHLAB_WITH_SIMGRID

#include "tests/protocols/timed.h"

#include "tests/modes.h"

namespace latchlab::testing {
namespace {

// Leases are short, so that many of them expire. The clocks of the plain simulation are accurate to
// 1 us, and a round trip takes 2 us.
RunSetup drtm(const char* profile) {
  RunSetup setup = timed("drtm", profile);
  setup.params = {
      {"lease", microseconds(100)}, {"delta", microseconds(5)}, {"reserve", microseconds(20)}};
  return setup;
}

TEST(timed, drtm_is_sound) {
  expect_sound_run(drtm("reconstructed"));
}
TEST(timed, drtm_is_sound_when_readers_wait_for_the_end_of_short_leases) {
  RunSetup setup = drtm("reconstructed");
  setup.params.emplace_back("short_lease", text("wait"));
  expect_sound_run(setup);
}
TEST(timed, drtm_is_sound_with_its_defaults) {
  RunSetup setup = timed("drtm", "reconstructed");
  setup.operations = 10;
  expect_sound_run(setup);
}
TEST(timed, drtm_is_sound_with_timeouts) {
  RunSetup setup = timed("drtm", "dslr_paper");
  setup.operations = 10;
  const Outcome outcome = run(setup, 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
  EXPECT_EQ(outcome.acquired, 80U);
  EXPECT_GT(outcome.aborted, 0U);
}

// Lease ends lie in the past.
TEST(timed, drtm_grants_writers_beside_readers_as_ported) {
  RunSetup setup = timed("drtm", "shiftlock_artifact");
  setup.hold = microseconds(20);
  EXPECT_GT(run(setup, 1).safety.violations, 0U);
}

TEST(timed, drtm_survives_crashed_readers) {
  RunSetup setup = drtm("reconstructed");
  setup.dies = {0, 5};
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    section.wants.resize(1);
    section.wants[0].lock = world.lock(LockId{0});
    const bool reads = client.value % 5 == 0 || count % 2 == 0;
    section.wants[0].mode = reads ? LockMode::shared : LockMode::exclusive;
    section.work.hold = microseconds(1);
    return count < 10;
  };
  expect_sound_run(setup);
}

// One client, with pauses in which its leases expire: the expired lease costs a second verb.
Outcome one_client(std::vector<LockMode> modes, Duration pause) {
  RunSetup setup = drtm("reconstructed");
  setup.client_nodes = setup.clients_per_node = 1;
  setup.section = [modes, pause](ClientId, std::uint64_t count, const World& world,
                                 Section& section) {
    if (count >= modes.size()) return false;
    section.wants.resize(1);
    section.wants[0].lock = world.lock(LockId{0});
    section.wants[0].mode = modes[count];
    section.think = pause;
    return true;
  };
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, modes.size());
  return outcome;
}

TEST(timed, drtm_takes_two_verbs_to_replace_an_expired_lease) {
  const Outcome outcome = one_client({kS, kS, kX, kS}, microseconds(150));
  EXPECT_EQ(outcome.tally.one_sided(), 1U + 2 + (2 + 1) + 1);
}
TEST(timed, drtm_takes_two_verbs_to_replace_a_lease_with_too_little_left) {
  EXPECT_EQ(one_client({kS, kS}, microseconds(85)).tally.one_sided(), 1U + 2);
}
TEST(timed, drtm_takes_one_verb_to_share_what_is_left) {
  EXPECT_EQ(one_client({kS, kS}, microseconds(30)).tally.one_sided(), 1U + 1);
}
// One verb per round trip.
TEST(timed, drtm_writers_retry_until_a_lease_ends) {
  EXPECT_GT(one_client({kS, kX}, Duration{}).tally.one_sided(), 20U);
}

// The client loop cuts off a section that takes longer than its lease.
TEST(timed, drtm_readers_that_release_late_do_no_harm) {
  RunSetup setup = drtm("reconstructed");
  setup.operations = 5;
  setup.hold = microseconds(300);
  const Outcome outcome = run(setup, 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_GT(outcome.suppressed, 0U);
  EXPECT_EQ(outcome.end, RunEnd::finished);
}

}  // namespace
}  // namespace latchlab::testing

#endif
