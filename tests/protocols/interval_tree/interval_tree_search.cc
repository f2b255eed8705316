// What searches show of interval_tree.

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(interval_tree, claims_that_no_client_is_bypassed) {
  const auto protocol = lock("interval_tree");
  EXPECT_EQ(protocol->bypass_bound(kX, kX, ~0ULL), 0U);
}

TEST(interval_tree, bypasses_no_client) {
  expect_claim_kept(about("interval_tree", 2, 2));
  expect_claim_kept(with_sets(about("interval_tree", 3, 1), {"show=false"}));
}

}  // namespace
}  // namespace latchlab::explore
