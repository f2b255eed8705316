// What small faults in the rma_rw lock would change and no other test of it sees.

#include "tests/protocols/marks.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(rma_rw, names_no_mode_of_writers_among_readers) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup readers = crowd("rma_rw");
  readers.shared_percent = 100;
  EXPECT_THAT(reached_by_crowd(readers), Not(Contains("a reader finds writers' mode")));
}

}  // namespace
}  // namespace latchlab::testing
