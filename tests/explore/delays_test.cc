// SENDs that RC retries while leases expire.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/explore/fixture.h"
#include "tests/explore/verdicts.h"

namespace latchlab::explore {
namespace {

// A writer hands the lock over to the next. A third writer waits behind that one.
Campaign three_writers(std::uint32_t delays) {
  Campaign campaign = about("shiftlock", 3, 1);
  campaign.placement = Placement::spread;
  campaign.base.modes = {"X", "X", "X"};
  campaign.base.sets = {"max_consecutive_writers=8"};
  campaign.base.delays = delays;
  campaign.base.timeouts = 8;
  return campaign;
}

// As printed: the client accepts a Handover although the lock has been recovered.
TEST(Delays, outlast_leases_and_break_the_printed_shiftlock) {
  Campaign printed = three_writers(1);
  printed.base.sets.emplace_back("late_turn=trust");
  const Verdict verdict = run(printed);
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::mutual_exclusion});
  expect_replayable(verdict, "after a timeout");
}

TEST(Delays, do_not_occur_without_a_budget) {
  Campaign printed = three_writers(0);
  printed.base.sets.emplace_back("late_turn=trust");
  expect_sound(run(printed));
}

TEST(Delays, break_no_lock_that_counts_its_recoveries_and_renews_a_late_turn) {
  expect_sound(run(three_writers(1)));
}

// A SEND takes long only until a lease expires, and mcs has no leases. A message that is lost for
// good would leave its clients waiting (core/protocols/mcs/mcs.h).
TEST(Delays, change_nothing_if_no_lease_expires) {
  const auto states = [](std::uint32_t delays) {
    Campaign campaign = about("mcs", 3, 1);
    campaign.base.delays = delays;
    const Verdict verdict = run(campaign);
    expect_sound(verdict);
    return verdict.states;
  };
  EXPECT_EQ(states(1), states(0));
}

TEST(Delays, are_refused_in_timed_searches) {
  Case setup = three_writers(1).base;
  EXPECT_TRUE(check_case(setup).ok());
  setup.time.latencies = {microseconds(1)};
  setup.time.horizon = microseconds(100);
  const Status refused = check_case(setup);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("give a long latency instead"));
}

}  // namespace
}  // namespace latchlab::explore
