// What searches show of the cas lock.

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(cas, claims_no_bound_on_bypassing) {
  EXPECT_EQ(lock("cas")->bypass_bound(kX, kX, 1), std::nullopt);
}

}  // namespace
}  // namespace latchlab::explore
