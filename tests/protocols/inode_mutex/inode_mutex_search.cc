// What searches show of inode_mutex.

#include "tests/explore/locks.h"

namespace latchlab::explore {
namespace {

TEST(inode_mutex, bypasses_no_client) {
  expect_claim_kept(about("inode_mutex", 2, 2));
  expect_claim_kept(with_sets(about("inode_mutex", 3, 1), {"show=false"}));
}

}  // namespace
}  // namespace latchlab::explore
