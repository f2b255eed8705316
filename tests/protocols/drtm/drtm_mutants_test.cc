// What small faults in the drtm lock would change and no other test of it sees.

#include "tests/protocols/marks.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(drtm, names_no_takeover_among_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup writers = crowd("drtm");
  writers.shared_percent = 0;
  const Labels found = reached_by_crowd(writers);
  EXPECT_THAT(found, Contains("a writer takes a free word"));
  EXPECT_THAT(found, Not(Contains("a writer takes over a lease")));
}

}  // namespace
}  // namespace latchlab::testing
