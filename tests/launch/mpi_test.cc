// Runs started by MPI's launcher, and programs with an environment that only resembles such a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/launch/fixture.h"
#include "tests/paths.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string words_of(const std::string& command) {
  LocalMemberOptions options;
  options.argv = {"sh", "-c", command};
  auto process = LocalMembers::start(options);
  EXPECT_TRUE(process.ok());
  const Deadline deadline = within(kLong);
  while (process.value().running() > 0 && Clock::now() < deadline) usleep(1000);
  return process.value().last_words(0);
}

const std::string& program() {
  static const std::string command = std::string("'") + LATCHLAB_LAUNCH_MEMBER + "' --mpi";
  return command;
}

TEST(Mpi, is_not_used_unless_a_launcher_started_several_ranks) {
  EXPECT_THAT(words_of(program()), HasSubstr("alone"));
  EXPECT_THAT(words_of("OMPI_COMM_WORLD_SIZE=1 " + program()), HasSubstr("alone"));
  EXPECT_THAT(words_of("SLURM_NTASKS=4 SLURM_PROCID=0 " + program()), HasSubstr("alone"));
}

TEST(Mpi, of_another_kind_than_the_builds_is_an_error) {
  EXPECT_THAT(words_of("SLURM_STEP_NUM_TASKS=3 " + program()),
              AllOf(HasSubstr("exit code 1"), HasSubstr("started as one of 3 processes, but")));
}

TEST(Mpi, starts_a_run) {
#ifdef LATCHLAB_MPIRUN
  const std::string mpirun = std::string(
                                 "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                                 "OMPI_MCA_rmaps_base_oversubscribe=1 '") +
                             LATCHLAB_MPIRUN + "' -n 3 ";
  const std::string all = "r0,r1,r2,\n";
  EXPECT_THAT(words_of(mpirun + program()), AllOf(HasSubstr("exit code 0"), HasSubstr("0: " + all),
                                                  HasSubstr("1: " + all), HasSubstr("2: " + all)));
#else
  GTEST_SKIP() << "this build has no MPI";
#endif
}

}  // namespace
}  // namespace latchlab::launch
