// The traditional lock manager with readers that pass, in the explorer and in the simulator: what
// it does not share with traditional (../traditional/manager_test.cc).

#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

TEST(traditional_ro, lets_readers_pass_writers_and_stops_them) {
  RunSetup setup = crowd("traditional_ro");
  setup.clients_per_node = 2;
  setup.shared_percent = 70;
  expect_reached(setup,
                 {"a reader passes waiting writers", "a writer has been passed often enough"});
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
