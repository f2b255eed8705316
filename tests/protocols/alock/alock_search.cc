// What searches show of the ALock.

#include "tests/modes.h"
#include "tests/protocols/caslock/claims.h"

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

// ---- what it claims (numbers: bypass_test.cc) ----

TEST(alock, never_exceeds_its_bypass_bound_in_any_order) {
  expect_claim_kept(beside(swapping(about("alock", 3, 1))));
  expect_claim_kept(beside(with_sets(about("alock", 3, 1), {"enqueue=exchange", "cohorts=one"})));
}

// One of three requests may be bypassed once, so that a bound of 0 would be wrong.
TEST(alock, bypasses_a_client_in_some_order) {
  EXPECT_EQ(lock("alock", {"enqueue=exchange", "remote_budget=1"})->bypass_bound(kX, kX, 3), 1U);
  const Verdict verdict = run(beside(swapping(about(Claim{"alock", kX, kX}, 3, 1))));
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::bypassed});
}

// ---- as printed ----

// With a single rCAS, a client that does not find the tail empty never joins the queue.
TEST(alock, needs_to_retry_its_cas) {
  expect_needed_and_enough({.protocol = "alock",
                            .repair = "enqueue=single_cas",
                            .moves = 9,
                            .states = 2'000,
                            .modes = {"X", "X"}});
}

// With "or" between the two conditions to wait, a lone client of either cohort waits forever.
TEST(alock, a_lone_client_waits_forever_if_one_of_two_conditions_blocks_it) {
  for (const bool at_home : {false, true}) {
    Campaign campaign = with_sets(about("alock", 1, 1), {"wait_while=either"});
    if (at_home) campaign = beside(campaign);
    const Verdict verdict = run(campaign);
    EXPECT_TRUE(verdict.exhausted) << verdict.cut;
    EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::deadlock});
    expect_sound(run(with_sets(campaign, {"wait_while=both"})));
  }
}

// Two leaders also wait for each other's tails, so that no client acquires the lock.
TEST(alock, grants_no_request_if_one_of_two_conditions_blocks_it) {
  const Verdict verdict = run(beside(with_sets(about("alock", 2, 1), {"wait_while=either"})));
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::deadlock});
}

// ---- coverage of the small model that the verdicts search ----

TEST(alock, takes_every_ordinary_path_in_its_small_model) {
  const std::vector<std::string> unreached = run(beside(about("alock", 4, 1), 2)).unreached;
  for (const char* const path :
       {"a leader competes", "a cohort keeps the lock", "a cohort leaves its queue empty",
        "a cohort has spent its budget", "the local leader waits for the remote cohort",
        "the remote leader waits for the local cohort", "a CAS finds something else"})
    EXPECT_THAT(unreached, Not(Contains(path)));
}

// The node of a lock crashes, or the node of a client that is next to another one in a queue. Each
// cohort has too few clients to use up a budget. No client of a search forgets a release: a
// scenario under regressions does.
TEST(alock, takes_every_other_path_when_a_node_dies) {
  Campaign campaign = beside(about("alock", 3, 1));
  campaign.placement = Placement::spread;
  campaign.base.crashes = 1;
  campaign.base.crash_unit = CrashUnit::node;
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::deadlock});
  EXPECT_THAT(verdict.unreached,
              ::testing::ElementsAre("a cohort has spent its budget",
                                     "the requests of forgotten grants are all in use"));
}

}  // namespace
}  // namespace latchlab::explore
