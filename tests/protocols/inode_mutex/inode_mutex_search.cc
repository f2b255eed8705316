// What searches show of inode_mutex.

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(inode_mutex, claims_that_no_client_is_bypassed) {
  const auto protocol = lock("inode_mutex");
  EXPECT_EQ(protocol->bypass_bound(kX, kX, ~0ULL), 0U);
}

TEST(inode_mutex, bypasses_no_client) {
  expect_claim_kept(about("inode_mutex", 2, 2));
  expect_claim_kept(with_sets(about("inode_mutex", 3, 1), {"show=false"}));
}

}  // namespace
}  // namespace latchlab::explore
