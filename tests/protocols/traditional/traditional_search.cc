// What searches show of the traditional lock manager.

#include "tests/explore/locks.h"

namespace latchlab::explore {
namespace {

TEST(traditional, bypasses_no_client) {
  expect_claim_kept(about("traditional", 2, 2));
  expect_claim_kept(with_sets(about("traditional", 3, 1), {"show=false"}));
  expect_claim_kept(with_sets(about("traditional", 3, 2), {"show=false"}));
}

}  // namespace
}  // namespace latchlab::explore
