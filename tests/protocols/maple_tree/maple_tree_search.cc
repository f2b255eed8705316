// What searches show of maple_tree.

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(maple_tree, claims_no_bound_on_bypassing) {
  const auto protocol = lock("maple_tree");
  EXPECT_EQ(protocol->bypass_bound(kX, kX, 1), std::nullopt);
}

}  // namespace
}  // namespace latchlab::explore
