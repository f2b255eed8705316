// What searches show of interval_tree.

#include "tests/explore/locks.h"

namespace latchlab::explore {
namespace {

TEST(interval_tree, bypasses_no_client) {
  expect_claim_kept(about("interval_tree", 2, 2));
  expect_claim_kept(with_sets(about("interval_tree", 3, 1), {"show=false"}));
}

}  // namespace
}  // namespace latchlab::explore
