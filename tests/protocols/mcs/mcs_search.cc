// What searches show of the mcs lock.

#include "tests/explore/locks.h"

namespace latchlab::explore {
namespace {

TEST(mcs, bypasses_no_client) {
  expect_claim_kept(about("mcs", 2, 2));
  expect_claim_kept(about("mcs", 3, 1));
  expect_claim_kept(about("mcs", 3, 2));
}

TEST(mcs, bypasses_no_client_when_handovers_are_counted) {
  expect_claim_kept(with_sets(about("mcs", 2, 2), {"handover_counter=true"}));
}

}  // namespace
}  // namespace latchlab::explore
