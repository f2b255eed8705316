// What searches show of the rpc lock.

#include "tests/explore/locks.h"

namespace latchlab::explore {
namespace {

// ShiftLock's artifact: one guard for each lock and thread.
TEST(rpc, loses_readers_with_a_guard_per_thread) {
  expect_needed_and_enough({.protocol = "rpc",
                            .repair = "guards=per_thread",
                            .violation = Violation::mutual_exclusion,
                            .moves = 8,
                            .states = 20'000,
                            .modes = {"SX", "SX"}});
}

}  // namespace
}  // namespace latchlab::explore
