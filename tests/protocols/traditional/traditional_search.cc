// What searches show of the traditional lock manager.

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(traditional, claims_that_only_readers_bypass_readers) {
  const auto protocol = lock("traditional");
  EXPECT_EQ(protocol->bypass_bound(kX, kX, ~0ULL), 0U);
  EXPECT_EQ(protocol->bypass_bound(kX, kS, ~0ULL), 0U);
  EXPECT_EQ(protocol->bypass_bound(kS, kX, ~0ULL), 0U);
  EXPECT_EQ(protocol->bypass_bound(kS, kS, ~0ULL), std::nullopt);
}

TEST(traditional, bypasses_no_client) {
  expect_claim_kept(about("traditional", 2, 2));
  expect_claim_kept(with_sets(about("traditional", 3, 1), {"show=false"}));
  expect_claim_kept(with_sets(about("traditional", 3, 2), {"show=false"}));
}

}  // namespace
}  // namespace latchlab::explore
