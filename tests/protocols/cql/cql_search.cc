// What searches show of the CQL lock.

#include "tests/explore/locks.h"
#include "tests/explore/verdicts.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

// Two clients that acquire twice use at most four places, of versions 0 and 1, and cause no reset.
const std::vector<std::string> kFewVersions = {"version_bits=1"};

TEST(cql, claims_the_order_of_its_source_until_versions_may_run_out) {
  EXPECT_EQ(explore::lock("cql")->bypass_bound(kX, kX, 6), 0U);
  EXPECT_EQ(explore::lock("cql")->bypass_bound(kX, kX, 7), std::nullopt);
  EXPECT_EQ(explore::lock("cql", {"capacity=3"})->bypass_bound(kX, kX, 1), std::nullopt);
  EXPECT_EQ(explore::lock("cql", {"messages=ud"})->bypass_bound(kX, kX, 1), std::nullopt);
}

TEST(cql, never_exceeds_its_bypass_bound_with_two_clients_twice) {
  expect_claim_kept(about("cql", 2, 2));
}

TEST(cql, is_sound_in_every_order_of_two_clients_that_may_crash) {
  for (const CrashUnit unit : {CrashUnit::client, CrashUnit::node}) {
    Campaign campaign = with_crash(about("cql", 2, 1));
    campaign.base.crash_unit = unit;
    expect_sound(run(campaign));
  }
}

// Versions run out with three places in use of two: a client resets the lock, and may crash
// meanwhile.
TEST(cql, is_sound_when_clients_that_reset_the_lock_crash) {
  for (const CrashUnit unit : {CrashUnit::client, CrashUnit::node}) {
    Campaign campaign = with_crash(
        with_sets(about("cql", 3, 2), {"version_bits=1", "capacity=2", "overflow=version"}));
    campaign.base.crash_unit = unit;
    campaign.readers = 1;
    campaign.placement = Placement::spread;
    campaign.method = Method::random;
    campaign.budget = 10'000;
    const Verdict verdict = run(campaign);
    EXPECT_TRUE(verdict.counterexamples.empty())
        << verdict.counterexamples.front().counterexample.text;
    for (const char* path : {"a reset is taken over from the dead", "a reset hears of a death",
                             "a reset cuts off the dead"})
      EXPECT_THAT(verdict.unreached, ::testing::Not(::testing::Contains(path)));
  }
}

// A client is paused between its release and the notification that follows, while the lock is
// reset. Its node has heard of the reset when the client continues.
Campaign standing_still(std::vector<std::string> sets) {
  Campaign campaign = with_sets(about("cql", 2, 2), std::move(sets));
  campaign.base.modes = {"XX", "XX"};
  campaign.base.pauses = 1;
  campaign.placement = Placement::spread;
  campaign.method = Method::random;
  campaign.budget = 5'000;
  return campaign;
}

TEST(cql, breaks_if_a_notification_carries_the_reset_count_of_its_sending) {
  const Verdict verdict = run(standing_still({"version_bits=4", "notification_count=sending"}));
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::mutual_exclusion});
  expect_replayable(verdict, "holds it (exclusive)");
}

TEST(cql, is_sound_if_a_notification_carries_the_reset_count_of_its_acquisition) {
  Campaign campaign = standing_still({"version_bits=4"});
  campaign.budget = 30'000;
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
}

// A client waits for the end of another client's reset, and its timeout expires when that reset
// ends: there is nothing left to take over. One client is paused, one crashes, and one SEND is
// late.
TEST(cql, is_sound_if_a_timeout_ends_with_the_reset_it_waits_for) {
  Campaign campaign = with_crash(with_sets(about("cql", 3, 2), kFewVersions));
  campaign.base.modes = {"XX", "XX", "XX"};
  campaign.base.pauses = 1;
  campaign.base.delays = 1;
  campaign.placement = Placement::spread;
  campaign.method = Method::random;
  campaign.budget = 1'000;
  campaign.seed = 2;
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
}

// Two readers take two locks, twice.
Campaign of_two_locks(bool sorted) {
  Campaign campaign = with_sets(about("cql", 2, 2), kFewVersions);
  campaign.base.modes = {"SS", "SS"};
  campaign.base.locks = 2;
  campaign.base.held = 2;
  campaign.base.sorted = sorted;
  campaign.placement = Placement::spread;
  campaign.method = Method::random;
  campaign.budget = 10'000;
  return campaign;
}

TEST(cql, deadlocks_readers_that_take_two_locks_in_opposite_orders) {
  EXPECT_EQ(kinds(run(of_two_locks(false))), std::set<Violation>{Violation::deadlock});
}

TEST(cql, does_not_deadlock_readers_that_take_two_locks_in_one_order) {
  const Verdict verdict = run(of_two_locks(true));
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
}

}  // namespace
}  // namespace latchlab::explore
