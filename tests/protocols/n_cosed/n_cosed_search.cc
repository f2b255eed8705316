// What searches show of the N-CoSED lock.

#include "tests/explore/locks.h"
#include "tests/explore/verdicts.h"

namespace latchlab::explore {
namespace {

TEST(n_cosed, is_sound_in_every_order_of_two_clients_twice_and_three_once) {
  expect_sound(run(about("n_cosed", 2, 2)));
  expect_sound(run(about("n_cosed", 3, 1)));
}

TEST(n_cosed, is_sound_in_every_order_if_the_home_node_does_not_reset_the_count) {
  expect_sound(run(with_sets(about("n_cosed", 2, 2), {"home_reset=false"})));
  expect_sound(run(with_sets(about("n_cosed", 3, 1), {"home_reset=false"})));
}

// The verdicts of its small model cover this case, too.
TEST(n_cosed, has_readers_beyond_the_limit_in_its_small_model) {
  const std::vector<std::string> unreached = run(about("n_cosed", 3, 1)).unreached;
  EXPECT_THAT(unreached,
              ::testing::Not(::testing::Contains("a reader beyond the limit asks as a writer")));
}

}  // namespace
}  // namespace latchlab::explore
