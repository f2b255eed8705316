// The traditional lock manager with readers that bypass writers, in the explorer and in the
// simulator: the tests that it does not share with traditional (../traditional).

#include "tests/protocols/marks.h"
#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

Labels taken_by_a_crowd(ParamValues params) {
  RunSetup setup = crowd("traditional_ro");
  setup.clients_per_node = 2;
  setup.shared_percent = 70;
  setup.params = std::move(params);
  return reached_by_crowd(setup);
}

TEST(traditional_ro, lets_readers_pass_writers_and_stops_them) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  const Labels taken = taken_by_a_crowd({});
  EXPECT_THAT(taken, Contains("a reader passes waiting writers"));
  EXPECT_THAT(taken, Contains("a writer has been passed often enough"));
}

TEST(traditional_ro, stops_no_reader_before_its_turn) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  const Labels taken = taken_by_a_crowd({{"max_passes", number(1'000)}});
  EXPECT_THAT(taken, Contains("a reader passes waiting writers"));
  EXPECT_THAT(taken, Not(Contains("a writer has been passed often enough")));
}

TEST(traditional_ro, lets_no_reader_pass_where_none_may) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  const Labels taken = taken_by_a_crowd({{"max_passes", number(0)}});
  EXPECT_THAT(taken, Not(Contains("a reader passes waiting writers")));
  EXPECT_THAT(taken, Contains("a writer has been passed often enough"));
}

TEST(traditional_ro, lets_readers_pass_ten_times_by_default) {
  const ProtocolInfo& info = find_protocol("traditional_ro")->info;
  EXPECT_EQ(info.resolve("reconstructed").integer("max_passes"), 10);
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, traditional_ro_is_sound_with_timeouts) {
  expect_sound_run(timed("traditional_ro", "dslr_paper"));
}
#endif

}  // namespace
}  // namespace latchlab::testing
