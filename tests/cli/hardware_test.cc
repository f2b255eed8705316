// Runs on hardware, on a machine that has none.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;

class WithoutHardware : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::error_code none;
    for (const auto& device : std::filesystem::directory_iterator("/sys/class/infiniband", none))
      GTEST_SKIP() << "this machine has the RDMA device " << device.path().filename();
  }
};

TEST_F(WithoutHardware, what_a_build_or_machine_lacks_is_not_the_users_mistake) {
  const Finished finished = latchlab({"run", "quickstart", "--backend", "ibverbs"});
  EXPECT_EQ(finished.code, 3);
  EXPECT_EQ(finished.out, "");
#if LATCHLAB_WITH_IBVERBS
  EXPECT_THAT(finished.err, HasSubstr("tools/rxe-guest"));
#else
  EXPECT_THAT(finished.err, HasSubstr("this build has no backend ibverbs"));
#endif
  EXPECT_FALSE(exists("results"));
}

// A node that nobody waits for, or that has no secret, says so at once.
class Node : public Command {};

TEST_F(Node, without_a_token_says_where_it_comes_from) {
  const Finished finished =
      latchlab({"node", "--rendezvous", "127.0.0.1:1"}, {{"LATCHLAB_TOKEN", ""}});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("LATCHLAB_TOKEN"));
}

TEST_F(Node, an_address_without_a_port_is_refused) {
  const Finished finished =
      latchlab({"node", "--rendezvous", "somewhere"}, {{"LATCHLAB_TOKEN", "abc"}});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("somewhere"));
}

}  // namespace
}  // namespace latchlab::cli_test
