// The mutex of an object: tests that range locks do not share (tests/protocols/range_server).

#include "tests/protocols/range_server/range_server.h"

namespace latchlab::range_server_tests {
namespace {

TEST(inode_mutex, grants_the_whole_object_for_any_range) {
  struct Seen final : LoopObserver {
    void acquired(ClientId, const Grant& grant) override { all_whole &= grant.extent.whole(); }
    bool all_whole = true;
  } seen;
  RunSetup setup = stretches("inode_mutex", 1, 10);
  setup.also = &seen;
  EXPECT_EQ(most_inside(setup), 1U) << "ranges far from each other";
  EXPECT_TRUE(seen.all_whole);
  EXPECT_FALSE(find_protocol("inode_mutex")->info.ranges);
}

}  // namespace
}  // namespace latchlab::range_server_tests
