// The message of a broken invariant.

#include "core/base/check.h"

#include <gtest/gtest.h>

namespace latchlab {
namespace {

TEST(CheckDeathTest, prints_what_is_known_of_the_run_and_nothing_else) {
  const auto fail = [] { LATCHLAB_CHECK(1 + 1 == 3, "sums are off"); };
  check_context() = {};
  EXPECT_DEATH(fail(), "check_test.cc:[0-9]+: 1 \\+ 1 == 3\n  sums are off\n  seed 0\n$");
  check_context().client = 4;
  check_context().time_ps = 17;
  check_context().seed = 3;
  check_context().replay_command = "latchlab replay x";
  EXPECT_DEATH(fail(), "  seed 3\n  client 4\n  time 17 ps\n  see it again: latchlab replay x\n$");
}

}  // namespace
}  // namespace latchlab
