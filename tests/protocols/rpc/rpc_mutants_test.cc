// What small faults in the rpc lock would change and no other test of it sees.

#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

RunSetup alone(std::uint32_t shared_percent) {
  RunSetup setup = crowd("rpc");
  setup.client_nodes = 1;
  setup.shared_percent = shared_percent;
  return setup;
}

TEST(rpc, names_readers_and_writers_apart) {
  Outcome outcome;
  EXPECT_THAT(reached_in(alone(100), 1, outcome),
              UnorderedElementsAre("a reader is let in", "a release frees the lock"));
  EXPECT_THAT(reached_in(alone(0), 1, outcome),
              UnorderedElementsAre("a writer is let in", "a release frees the lock"));
  RunSetup writers = crowd("rpc");
  writers.shared_percent = 0;
  EXPECT_THAT(reached_by_crowd(writers), Not(Contains("a reader is refused")));
}

TEST(rpc, counts_pauses_among_retries) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  EXPECT_THAT(phases_of(alone(50)), ElementsAre("acquire IA", "release IA"));
  RunSetup setup = crowd("rpc");
  setup.params = {{"retry_pause", microseconds(1)}};
  EXPECT_THAT(phases_of(setup), Each(MatchesRegex("acquire IA( RT RT)*|release IA")));
}

#if LATCHLAB_WITH_SIMGRID
// The pause ends with the deadline.
TEST(timed, rpc_does_not_ask_again_at_its_deadline) {
  Meeting meeting;
  meeting.leaves = false;
  meeting.patience = microseconds(100);
  meet("rpc", {{"retry_pause", milliseconds(1)}}, 1, meeting, plain_simulation);
  EXPECT_FALSE(meeting.entered);
  EXPECT_EQ(meeting.took, microseconds(100));
}
#endif

}  // namespace
}  // namespace latchlab::testing
