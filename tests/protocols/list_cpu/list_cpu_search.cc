// What searches show of list_cpu.

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(list_cpu, claims_no_bound_on_bypassing) {
  const auto protocol = lock("list_cpu");
  EXPECT_EQ(protocol->bypass_bound(kX, kX, 1), std::nullopt);
}

}  // namespace
}  // namespace latchlab::explore
