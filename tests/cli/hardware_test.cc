// Runs on hardware, on a machine without an RDMA device.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class WithoutHardware : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::error_code none;
    for (const auto& device : std::filesystem::directory_iterator("/sys/class/infiniband", none))
      GTEST_SKIP() << "this machine has the RDMA device " << device.path().filename();
  }
};

TEST_F(WithoutHardware, a_missing_library_or_device_is_not_reported_as_a_user_error) {
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

TEST_F(WithoutHardware, the_guest_script_names_what_must_be_built_first) {
  namespace fs = std::filesystem;
  fs::create_directories(home() / "tools/guest");
  for (const char* part : {"tools/rxe-guest", "tools/lib.sh", "tools/guest/kernel.sh"})
    fs::copy_file(fs::path(LATCHLAB_SOURCE_DIR) / part, home() / part);
  const Finished finished = start_program({path("tools/rxe-guest"), "latchlab", "doctor"},
                                          {{"PATH", "/usr/bin:/bin"}, {"LATCHLAB_INSTALL", "no"}})
                                .wait();
  EXPECT_EQ(finished.code, 125);
  EXPECT_THAT(finished.err, HasSubstr("latchlab is not built: cmake --preset release"));
}

// Options that do not fit together are refused before the program does anything.
class HardwareOptions : public Command {
 protected:
  void expect_refused(const std::vector<std::string>& more, const std::string& why,
                      const Environment& extra = {{"LATCHLAB_TOKEN", "abcdefghijklmnop"}}) {
    std::vector<std::string> all = {"run", "quickstart"};
    all.insert(all.end(), more.begin(), more.end());
    const Finished finished = latchlab(all, extra);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr(why));
    EXPECT_FALSE(exists("results"));
  }
  void expect_refused_on_hardware(std::vector<std::string> more, const std::string& why,
                                  const Environment& extra = {
                                      {"LATCHLAB_TOKEN", "abcdefghijklmnop"}}) {
    more.insert(more.begin(), {"--backend", "ibverbs"});
    expect_refused(more, why, extra);
  }
};

TEST_F(HardwareOptions, are_refused_in_simulations) {
  expect_refused({"--device", "rxe0", "--address", "10.0.0.1", "--workers", "2", "--server-workers",
                  "2", "--agents", "--transport", "dc"},
                 "--device, --address, --workers, --server-workers, --agents, --transport: only "
                 "for runs on hardware; add "
                 "--backend ibverbs");
  expect_refused({"--rendezvous", "here:1"}, "--rendezvous: only for");
  expect_refused({"--pkey", "0x8001", "--sl", "3", "--traffic-class", "96"},
                 "--pkey, --sl, --traffic-class: only for runs on hardware");
}

TEST_F(HardwareOptions, of_the_fabric_have_ranges) {
  for (const char* pkey : {"0", "0x8000", "0x10000", "8001", "0x", "full"})
    expect_refused_on_hardware({"--pkey", pkey}, "is no partition key");
  expect_refused_on_hardware({"--sl", "16"}, "'16' is not a whole number from 0 to 15");
  expect_refused_on_hardware({"--traffic-class", "256"}, "from 0 to 255");
}

TEST_F(HardwareOptions, of_simulations_are_refused_on_hardware) {
  expect_refused_on_hardware({"--trace"}, "--backend simgrid");
  expect_refused_on_hardware({"--jobs", "2"}, "leave --jobs out");
  expect_refused_on_hardware({"--transport", "dc", "--agents"}, "leave one of them out");
  expect_refused_on_hardware({"--transport", "ud"}, "--transport");
  const Finished finished = latchlab({"reproduce", "--backend", "ibverbs", "--jobs", "2"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("leave --jobs out"));
}

TEST_F(HardwareOptions, existing_results_are_reported_before_the_program_waits_for_nodes) {
  std::filesystem::create_directories(path("mine/points"));
  expect_refused_on_hardware({"--rendezvous", "127.0.0.1:0", "--out", "mine"},
                             "mine exists already");
}

#if LATCHLAB_WITH_IBVERBS
TEST_F(HardwareOptions, a_rendezvous_needs_an_address_and_a_secret) {
  expect_refused_on_hardware({"--rendezvous", "somewhere"}, "'somewhere' is no address");
  expect_refused_on_hardware({"--rendezvous", "127.0.0.1:0"},
                             "set LATCHLAB_TOKEN to a secret that all nodes share",
                             {{"LATCHLAB_TOKEN", ""}});
}

TEST_F(HardwareOptions, a_rendezvous_is_refused_under_mpirun) {
  expect_refused_on_hardware(
      {"--rendezvous", "127.0.0.1:0"}, "leave --rendezvous out",
      {{"LATCHLAB_TOKEN", "abcdefghijklmnop"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
}

TEST_F(HardwareOptions, a_fault_that_kills_a_process_is_refused_under_mpirun) {
  const char* const crash = "faults: [{kind: process_crash, client: 1, at: 200us}]\n";
  write("small.yaml", small_scenario("{name: dslr, lease: 1s}", crash));
  const Finished finished =
      latchlab({"run", "small.yaml", "--backend", "ibverbs"}, {{"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_EQ(finished.code, 3);
  EXPECT_THAT(finished.err, HasSubstr("run it without mpirun, or with latchlab node"));
}

TEST_F(HardwareOptions, a_coordinator_that_waits_for_nodes_prints_its_address) {
  const std::string quiet = std::string(LATCHLAB_BINARY) +
                            " run quickstart --backend ibverbs --quiet --rendezvous 0.0.0.0:0";
  Started started = start_program({"/bin/sh", "-c", "exec " + quiet + " 2>said"},
                                  {{"LATCHLAB_TOKEN", "abcdefghijklmnop"}});
  const auto waits = [this] { return read("said").find(" --rendezvous ") != std::string::npos; };
  for (int tries = 0; tries < 6'000 && !waits(); ++tries) ::usleep(10'000);
  started.send(SIGTERM);
  started.wait();
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  EXPECT_THAT(read("said"),
              MatchesRegex("(latchlab: warning: [^\n]*\n)*Waiting for [0-9]+ nodes: latchlab node "
                           "--rendezvous " +
                           std::string(name) + ":[0-9]+\n"));
}
#endif

// A node without a coordinator or without a secret fails at once with a message.
class Node : public Command {};

TEST_F(Node, without_a_token_names_where_to_set_it) {
  const Finished finished =
      latchlab({"node", "--rendezvous", "127.0.0.1:1"}, {{"LATCHLAB_TOKEN", ""}});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("LATCHLAB_TOKEN"));
}

TEST_F(Node, an_address_without_a_port_is_refused) {
  const Finished finished =
      latchlab({"node", "--rendezvous", "somewhere"}, {{"LATCHLAB_TOKEN", "abcdefghijklmnop"}});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("somewhere"));
}

#if LATCHLAB_WITH_IBVERBS
TEST_F(Node, an_invalid_rank_is_refused) {
  for (const char* rank : {"abc", "4294967296", "-1", "1 "}) {
    const Finished finished =
        latchlab({"node", "--rendezvous", "127.0.0.1:1"},
                 {{"LATCHLAB_TOKEN", "abcdefghijklmnop"}, {"LATCHLAB_RANK", rank}});
    EXPECT_EQ(finished.code, 2) << rank;
    EXPECT_THAT(finished.err, HasSubstr("'" + std::string(rank) + "' is no rank"));
  }
}
#endif

}  // namespace
}  // namespace latchlab::cli_test
