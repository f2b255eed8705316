// What searches show of the lock of Redis.

#include "tests/explore/locks.h"

namespace latchlab::explore {
namespace {

// Two clients on a node each. Keys live for 20 us.
Campaign redlock_campaign(std::vector<std::string> sets, std::vector<Duration> legs, Duration hold,
                          std::uint32_t operations = 1) {
  Campaign campaign = with_sets(about("redlock_model", 2, operations),
                                {"ttl=20us", "drift_least=0ns", "retry_delay=4us"});
  for (std::string& set : sets) campaign.base.sets.push_back(std::move(set));
  campaign.base.time = {std::move(legs), {}, hold, {}, microseconds(90)};
  campaign.base.modes = {std::string(operations, 'X'), std::string(operations, 'X')};
  campaign.placement = Placement::spread;
  campaign.budget = 200'000;
  return campaign;
}

void expect_timed(const Campaign& campaign, const std::set<Violation>& expected) {
  const Verdict verdict = run(campaign);
  EXPECT_EQ(kinds(verdict), expected);
  EXPECT_TRUE(!expected.empty() || verdict.exhausted) << verdict.cut;
  for (const Trace& trace : verdict.counterexamples) EXPECT_TRUE(replay(trace).fits);
  std::printf("%llu states\n", static_cast<unsigned long long>(verdict.states));
}

TEST(redlock_model, needs_clocks_that_differ_by_less_than_the_drift_allowance) {
  Campaign campaign =
      redlock_campaign({"drift_factor_ppm=10000"}, {nanoseconds(50)}, microseconds(30));
  campaign.base.time.drift_ppm = {-10'000, 0};
  expect_timed(campaign, {});
  campaign.base.time.drift_ppm = {-20'000, 0};
  expect_timed(campaign, {Violation::mutual_exclusion});
}

// Two clients want the lock twice, and one of them crashes: its key expires, and nothing else
// changes. (Its last call may have been served by then, with the answer in flight.)
TEST(redlock_model, survives_clients_that_crash) {
  const Duration leg = microseconds(1);
  Campaign campaign = with_crash(redlock_campaign({"ttl=40us"}, {leg, leg * 3}, leg * 2, 2));
  campaign.base.time.horizon = milliseconds(3);
  const Verdict verdict = run(campaign);
  EXPECT_EQ(kinds(verdict), std::set<Violation>{});
  EXPECT_GT(verdict.states, 10'000U);
  std::printf("%llu states\n", static_cast<unsigned long long>(verdict.states));
}

// redlock-rs, and clients that do not look at the clock.
TEST(redlock_model, needs_grants_that_end) {
  const Duration leg = microseconds(1);
  expect_timed(redlock_campaign({"validity=ignored"}, {leg}, microseconds(30)),
               {Violation::mutual_exclusion});
  expect_timed(redlock_campaign({"validity=ignored"}, {leg}, microseconds(10)), {});
  expect_timed(redlock_campaign({}, {leg}, microseconds(30)), {});
}

// A late deletion knows the value of the next try. Keys do not expire in this search.
TEST(redlock_model, needs_a_value_of_its_own_for_each_try_that_may_be_late) {
  Campaign campaign =
      redlock_campaign({"ttl=1ms", "call_timeout=3us", "retry_delay=0ns", "show=false"},
                       {microseconds(1), microseconds(9)}, microseconds(12));
  campaign.base.time.horizon = microseconds(45);
  campaign.base.sets.emplace_back("value=per_lock");
  campaign.budget = 1'000'000;
  expect_timed(campaign, {Violation::mutual_exclusion});
}

}  // namespace
}  // namespace latchlab::explore
