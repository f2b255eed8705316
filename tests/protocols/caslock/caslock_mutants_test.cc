// What small faults in the caslock lock would change and no other test of it sees.

#include "tests/protocols/marks.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(caslock, counts_the_wait_of_a_reader_as_for_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  const std::set<std::string> seen = phases_of(crowd("caslock"));
  EXPECT_THAT(seen, Contains("acquire IA WW"));
  EXPECT_THAT(seen, Contains("acquire IA RT"));
  RunSetup writers = crowd("caslock");
  writers.shared_percent = 0;
  EXPECT_THAT(phases_of(writers), Not(Contains(HasSubstr("WW"))));
}

}  // namespace
}  // namespace latchlab::testing
