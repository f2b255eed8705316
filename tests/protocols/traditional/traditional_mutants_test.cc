// Tests that catch small faults in the traditional lock which no other test detects.

#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(traditional, reports_that_a_client_waited_at_the_server) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("traditional");
  EXPECT_THAT(phases_of(setup), Contains("acquire IA WP"));
  setup.client_nodes = 1;
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "release IA"));
}

TEST(traditional, reports_no_readers_among_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup writers = crowd("traditional");
  writers.shared_percent = 0;
  const Labels found = reached_by_crowd(writers);
  EXPECT_THAT(found, Contains("a release lets a writer in"));
  EXPECT_THAT(found, Each(Not(HasSubstr("reader"))));
}

TEST(traditional, needs_clocks_if_and_only_if_a_timeout_is_set) {
  expect_clocks_needed_for_a_timeout("traditional");
}

#if LATCHLAB_WITH_SIMGRID
// After the timeout the client withdraws, and backs off for at most 10 us.
TEST(timed, traditional_times_out_after_two_leases_of_dslr) {
  const ParamSet params = find_protocol("traditional")->info.resolve("dslr_paper");
  Meeting meeting;
  meeting.leaves = false;
  meet("traditional", {{"timeout", params.duration("timeout")}}, 1, meeting, plain_simulation);
  EXPECT_FALSE(meeting.entered);
  EXPECT_EQ(meeting.reason, AbortReason::recovered);
  EXPECT_EQ(meeting.verbs.calls, 2U);
  EXPECT_GE(meeting.took, milliseconds(20));
  EXPECT_LT(meeting.took, milliseconds(20) + microseconds(50));
}

// The backoff is up to 10 ms; with this seed it is longer than a call.
TEST(timed, traditional_backs_off_after_a_timeout) {
  Meeting meeting;
  meeting.leaves = false;
  meet("traditional",
       {{"timeout", microseconds(100)},
        {"backoff_first", milliseconds(10)},
        {"backoff_bound", milliseconds(10)}},
       1, meeting, plain_simulation);
  EXPECT_EQ(meeting.reason, AbortReason::recovered);
  EXPECT_GT(meeting.took, microseconds(200));
  EXPECT_LT(meeting.took, milliseconds(11));
}
#endif

}  // namespace
}  // namespace latchlab::testing
