// What searches show of the ALock.

#include "tests/explore/locks.h"
#include "tests/explore/verdicts.h"

namespace latchlab::explore {
namespace {

using ::testing::Contains;
using ::testing::Not;

Campaign beside(Campaign campaign, std::uint32_t nodes = 0) {
  campaign.base.colocated = true;
  campaign.nodes = nodes;
  return campaign;
}
Campaign swapping(Campaign campaign) {
  return with_sets(std::move(campaign), {"enqueue=exchange", "remote_budget=1"});
}

// ---- what it claims ----

TEST(alock, claims_nothing_of_bypassing_where_a_cas_may_fail_for_ever) {
  EXPECT_EQ(lock("alock")->bypass_bound(kX, kX, 100), std::nullopt);
}

// Budgets of 1: with `ahead` before it in its queue a request is passed 1 + ahead times at most,
// and by those who are neither ahead nor itself.
TEST(alock, claims_as_many_passes_as_turns_of_the_other_cohort) {
  const auto one = lock("alock", {"enqueue=exchange", "remote_budget=1", "local_budget=1"});
  EXPECT_EQ(one->bypass_bound(kX, kX, 1), 0U);
  EXPECT_EQ(one->bypass_bound(kX, kX, 2), 1U);
  EXPECT_EQ(one->bypass_bound(kX, kX, 6), 3U) << "two ahead, one to be passed, three that pass";
  EXPECT_EQ(one->bypass_bound(kX, kX, 9), 4U);
  const auto paper = lock("alock", {"enqueue=exchange", "remote_budget=20", "local_budget=5"});
  EXPECT_EQ(paper->bypass_bound(kX, kX, 40), 39U) << "two turns of 20 might be 40 at once";
  EXPECT_EQ(paper->bypass_bound(kX, kX, 41), 39U);
  EXPECT_EQ(paper->bypass_bound(kX, kX, 100), 84U) << "15 ahead in 3 turns, and all others";
  const auto queue = lock("alock", {"enqueue=exchange", "cohorts=one"});
  EXPECT_EQ(queue->bypass_bound(kX, kX, 100), 0U);
  EXPECT_LT(*paper->bypass_bound(kX, kX, ~0ULL), 1U << 31);
}

TEST(alock, keeps_its_claim_in_every_order) {
  expect_claim_kept(beside(swapping(about("alock", 3, 1))));
  expect_claim_kept(beside(with_sets(about("alock", 3, 1), {"enqueue=exchange", "cohorts=one"})));
}

// ---- as printed ----

// One rCAS: who does not find the tail empty is never in it.
TEST(alock, needs_to_try_its_cas_again) {
  expect_needed_and_enough({.protocol = "alock",
                            .repair = "enqueue=single_cas",
                            .moves = 9,
                            .states = 2'000,
                            .modes = {"X", "X"}});
}

// "or" between the reasons to wait: one client alone waits for ever, whichever cohort it is of.
TEST(alock, waits_for_itself_where_one_reason_is_enough) {
  for (const bool at_home : {false, true}) {
    Campaign campaign = with_sets(about("alock", 1, 1), {"wait_while=either"});
    if (at_home) campaign = beside(campaign);
    const Verdict verdict = run(campaign);
    EXPECT_TRUE(verdict.exhausted) << verdict.cut;
    EXPECT_EQ(kinds(verdict), std::set<Wrong>{Wrong::deadlock});
    expect_sound(run(with_sets(campaign, {"wait_while=both"})));
  }
}

// Two leaders wait for each other's tails, too: nobody gets in at all.
TEST(alock, lets_nobody_in_where_one_reason_is_enough) {
  const Verdict verdict = run(beside(with_sets(about("alock", 2, 1), {"wait_while=either"})));
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_EQ(kinds(verdict), std::set<Wrong>{Wrong::deadlock});
}

// ---- what the verdicts of its small model say something of ----

TEST(alock, takes_every_ordinary_path_in_its_small_model) {
  const std::vector<std::string> unreached = run(beside(about("alock", 4, 1), 2)).unreached;
  for (const char* const path :
       {"a leader competes", "a cohort keeps the lock", "a cohort leaves its queue empty",
        "a cohort has spent its budget", "the local leader waits for the remote cohort",
        "the remote leader waits for the local cohort", "a CAS finds something else"})
    EXPECT_THAT(unreached, Not(Contains(path)));
}

}  // namespace
}  // namespace latchlab::explore
