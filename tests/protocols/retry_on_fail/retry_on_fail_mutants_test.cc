// Tests that catch small faults in the retry_on_fail lock which no other test detects.

#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

TEST(retry_on_fail, tries_ten_times_as_in_a_script_of_its_authors) {
  const ProtocolInfo& info = find_protocol("retry_on_fail")->info;
  for (const char* profile : {"dslr_paper", "dslr_code"})
    EXPECT_EQ(info.resolve(profile).values().at("timeout_tries"), number(10)) << profile;
}

#if LATCHLAB_WITH_SIMGRID
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
#endif

}  // namespace
}  // namespace latchlab::testing
