// What searches show of readers that bypass writers.

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(traditional_ro, claims_that_readers_pass_a_writer_max_passes_times) {
  EXPECT_EQ(lock("traditional_ro", {"max_passes=10"})->bypass_bound(kX, kS, ~0ULL), 10U);
}

TEST(traditional_ro, never_exceeds_its_bypass_bound) {
  expect_claim_kept(about("traditional_ro", 2, 2));
  expect_claim_kept(with_sets(about("traditional_ro", 3, 2), {"show=false", "max_passes=1"}));
}

// The small model that the verdicts search contains both.
TEST(traditional_ro, has_readers_that_pass_and_readers_that_are_stopped_in_its_small_model) {
  Campaign campaign = with_sets(about("traditional_ro", 3, 2), {"show=false"});
  campaign.base.modes = {"SS", "XX", "SS"};
  campaign.placement = Placement::spread;
  const std::vector<std::string> unreached = run(campaign).unreached;
  for (const char* path :
       {"a reader passes waiting writers", "a writer has been passed often enough"})
    EXPECT_EQ(std::count(unreached.begin(), unreached.end(), path), 0) << path;
}

}  // namespace
}  // namespace latchlab::explore
