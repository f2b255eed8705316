// What small faults in the n_cosed lock would change and no other test of it sees.

#include "tests/protocols/marks.h"

namespace latchlab::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(n_cosed, begins_each_acquisition_with_its_first_atomic) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  EXPECT_THAT(phases_of(crowd("n_cosed")),
              Each(AnyOf(StartsWith("acquire IA"), StartsWith("release"))));
}

TEST(n_cosed, waits_for_no_writers_of_readers_and_no_readers_at_home_among_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup writers = crowd("n_cosed");
  writers.shared_percent = 0;
  EXPECT_THAT(phases_of(writers), Each(Not(HasSubstr("WW"))));
  EXPECT_THAT(reached_by_crowd(writers), Not(Contains("a writer waits at home")));
}

}  // namespace
}  // namespace latchlab::testing
