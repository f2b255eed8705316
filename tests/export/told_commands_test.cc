// Messages to the user during and after a run: how long it will take, and the command that resumes
// it.
#include <gtest/gtest.h>

#include "tools/latchlab/command_line.h"
#include "tools/latchlab/plugins.h"
#include "tools/latchlab/progress.h"

namespace latchlab::tool {

std::string plugin_options() {  // these tests have no plug-ins
  return {};
}

namespace {

TEST(CommandLine, contains_the_chosen_hardware_options_and_no_others) {
  RunArguments arguments;
  EXPECT_EQ(backend_options(arguments), "");
  arguments.backend = "ibverbs";
  EXPECT_EQ(backend_options(arguments), " --backend ibverbs");
  arguments.hardware.workers = 4;
  EXPECT_EQ(backend_options(arguments), " --backend ibverbs --workers 4");
  arguments.hardware.device = "mlx5_1";
  arguments.hardware.port = 2;
  arguments.hardware.pkey = 0x8001;
  arguments.hardware.server_workers = 2;
  arguments.hardware.agents = true;
  arguments.hardware.transport = "dc";
  EXPECT_EQ(backend_options(arguments),
            " --backend ibverbs --device mlx5_1 --port 2 --pkey 0x8001 --workers 4 "
            "--server-workers 2 --agents --transport dc");
}

TEST(Progress, uses_the_estimate_until_the_measured_speed_is_reliable) {
  EXPECT_EQ(seconds_left(0, 3, 10), 7);
  EXPECT_EQ(seconds_left(0, 30, 10), 1);
  EXPECT_EQ(seconds_left(0.25, 5, 100), 15);
  EXPECT_EQ(seconds_left(1, 5, 100), 0);
  EXPECT_GT(seconds_left(0.01, 1, 10), 9);  // by the estimate: 9; by the measured speed: 99
  EXPECT_LT(seconds_left(0.01, 1, 10), 99);
}

}  // namespace
}  // namespace latchlab::tool
