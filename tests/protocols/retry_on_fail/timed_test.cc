// The retry_on_fail lock in the simulator.

#include "tests/protocols/timed.h"

#include "tests/protocols/meeting.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::testing {
namespace {

TEST(timed, retry_on_fail_is_sound) {
  expect_sound_run(timed("retry_on_fail", "repaired"));
}
TEST(timed, retry_on_fail_is_sound_with_the_timeout) {
  expect_sound_run(timed("retry_on_fail", "dslr_paper"));
}
TEST(timed, retry_on_fail_is_sound_as_coded) {
  expect_sound_run(timed("retry_on_fail", "dslr_code"));
}
// Nine pauses, of up to 20, 40, 80 and more microseconds.
TEST(timed, retry_on_fail_pauses_longer_with_each_try) {
  Meeting meeting;
  meeting.leaves = false;
  const ParamValues pauses = {{"backoff", text("random")},
                              {"backoff_first", microseconds(10)},
                              {"backoff_bound", milliseconds(1)},
                              {"timeout_tries", number(10)}};
  meet("retry_on_fail", pauses, 1, meeting, plain_simulation);
  EXPECT_EQ(meeting.reason, AbortReason::too_many);
  EXPECT_GT(meeting.took, microseconds(400));
}

}  // namespace
}  // namespace latchlab::testing

#endif
