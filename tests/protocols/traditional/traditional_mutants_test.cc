// What small faults in the traditional lock would change and no other test of it sees.

#include "tests/protocols/marks.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(traditional, tells_who_has_waited_at_the_server) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("traditional");
  EXPECT_THAT(phases_of(setup), Contains("acquire IA WP"));
  setup.client_nodes = 1;
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "release IA"));
}

}  // namespace
}  // namespace latchlab::testing
