// Tests of ALock's CohortFairness and GlobalFairness: order within a cohort, and alternating turns.
// As stated in the paper's TLA+ module, both hold for any lock (alock.h).

#include "tests/protocols/alock/cohorts.h"

namespace latchlab::testing {
namespace {

using alock_tests::cohorts;
using alock_tests::run_watched;
using alock_tests::Turns;

constexpr std::size_t kLocal = 0;
constexpr std::size_t kRemote = 1;

RunSetup busy_cohorts(const char* enqueue, std::int64_t remote_budget, std::int64_t local_budget) {
  RunSetup setup = cohorts(2, 3, "paper");
  setup.operations = 12;
  setup.params = {{"enqueue", text(enqueue)},
                  {"remote_budget", number(remote_budget)},
                  {"local_budget", number(local_budget)}};
  return setup;
}

TEST(alock, serves_each_cohort_in_order_if_both_join_by_one_swap) {
  for (std::uint64_t seed = 1; seed <= seeds(150); ++seed) {
    Turns turns;
    ASSERT_EQ(run_watched(busy_cohorts("exchange", 3, 2), seed, turns).end, RunEnd::finished);
    EXPECT_EQ(turns.out_of_order(kLocal), 0U) << "seed " << seed;
    EXPECT_EQ(turns.out_of_order(kRemote), 0U) << "seed " << seed;
  }
}

// A client whose CAS fails has no position in any queue.
TEST(alock, serves_only_the_local_cohort_in_order_if_the_remote_one_joins_by_cas) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  std::uint64_t remote = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Turns turns;
    ASSERT_EQ(run_watched(busy_cohorts("cas_loop", 3, 2), seed, turns).end, RunEnd::finished);
    EXPECT_EQ(turns.out_of_order(kLocal), 0U) << "seed " << seed;
    remote += turns.out_of_order(kRemote);
  }
  EXPECT_GT(remote, 0U);
}

// The longest runs of grants to one cohort while the other one waits, over many orders.
std::array<std::uint64_t, 2> longest_runs(std::int64_t remote_budget, std::int64_t local_budget) {
  std::array<std::uint64_t, 2> longest = {};
  for (std::uint64_t seed = 1; seed <= seeds(150); ++seed) {
    Turns turns;
    const RunSetup setup = busy_cohorts("exchange", remote_budget, local_budget);
    EXPECT_EQ(run_watched(setup, seed, turns).end, RunEnd::finished);
    for (const std::size_t cohort : {kLocal, kRemote})
      longest[cohort] = std::max(longest[cohort], turns.longest(cohort));
  }
  return longest;
}

// When a client of the other cohort arrives, a turn may be under way, and the next turn may begin
// before that client names itself the victim.
TEST(alock, gives_a_cohort_at_most_two_turns_while_the_other_waits) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  const std::array<std::uint64_t, 2> few = longest_runs(1, 1);
  EXPECT_LE(few[kLocal], 2U);
  EXPECT_LE(few[kRemote], 2U);
  const std::array<std::uint64_t, 2> uneven = longest_runs(6, 2);
  EXPECT_LE(uneven[kLocal], 4U);
  EXPECT_LE(uneven[kRemote], 12U);
  EXPECT_GT(uneven[kRemote], 4U) << "its budget is the larger one";
  const std::array<std::uint64_t, 2> endless = longest_runs(1'000, 1'000);
  EXPECT_GT(endless[kLocal], 12U);
  EXPECT_GT(endless[kRemote], 12U);
}

}  // namespace
}  // namespace latchlab::testing
