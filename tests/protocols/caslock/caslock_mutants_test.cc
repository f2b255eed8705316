// Tests that catch small faults in the caslock lock which no other test detects.

#include "tests/protocols/marks.h"
#include "tests/protocols/paces.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(caslock, reports_that_a_reader_waits_for_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  const std::set<std::string> seen = phases_of(crowd("caslock"));
  EXPECT_THAT(seen, Contains("acquire IA WW"));
  EXPECT_THAT(seen, Contains("acquire IA RT"));
  RunSetup writers = crowd("caslock");
  writers.shared_percent = 0;
  EXPECT_THAT(phases_of(writers), Not(Contains(HasSubstr("WW"))));
}

#if LATCHLAB_WITH_SIMGRID
// The writer tries at once and again at the deadline. The pause between them is longer than both
// tries.
TEST(timed, caslock_pauses_before_a_writer_s_second_try) {
  const Paced lock = {"caslock", "backoff", {{"backoff_initial", milliseconds(10)}}};
  EXPECT_EQ(tries_within(lock, LockMode::exclusive, microseconds(100)), 2U);
}
// The verbs are an FAA, one READ at the deadline, and the FAA that undoes the first one.
TEST(timed, caslock_pauses_before_a_reader_s_first_look) {
  const Paced lock = {"caslock", "backoff", {{"backoff_initial", milliseconds(10)}}};
  EXPECT_EQ(tries_within(lock, LockMode::shared, microseconds(100)), 3U);
}
#endif

}  // namespace
}  // namespace latchlab::testing
