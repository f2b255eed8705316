// Two processes that write to the same place at the same time.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kTrials = 4;

class Concurrent : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    write("small.yaml", small_scenario("{name: cas}"));
  }
  std::vector<Finished> at_once(const std::vector<std::vector<std::string>>& commands) {
    std::vector<Started> started;
    for (const auto& command : commands) started.push_back(start(command));
    std::vector<Finished> all;
    for (Started& each : started) all.push_back(each.wait());
    return all;
  }
  // The number of the process that succeeded.
  static std::size_t winner_of(const std::vector<Finished>& all) {
    std::size_t winner = all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].code == 0) {
        EXPECT_EQ(winner, all.size()) << "two have won";
        winner = i;
        continue;
      }
      EXPECT_EQ(all[i].code, 2) << all[i].err;
      EXPECT_THAT(all[i].err, AnyOf(HasSubstr("exists already and results are never overwritten"),
                                    HasSubstr("another latchlab writes into")));
    }
    EXPECT_LT(winner, all.size()) << "none has won: " << all.front().err;
    return winner;
  }
  std::set<std::string> files_in(const std::string& directory) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(directory)))
      names.insert(entry.path().filename().string());
    return names;
  }
};

TEST_F(Concurrent, of_two_runs_into_one_new_directory_one_succeeds_completely) {
  std::vector<std::string> whole;
  for (const char* seed : {"1", "2", "3"}) {
    const std::string out = std::string("alone-") + seed;
    ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--seed", seed, "--out", out}).code, 0);
    whole.push_back(read(out + "/scenario.yaml") + read(out + "/results.json"));
  }
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::string out = "out-" + std::to_string(trial);
    // An existing empty directory is allowed, too.
    if (trial % 2 == 1) fs::create_directory(path(out));
    std::vector<std::vector<std::string>> commands;
    for (const char* seed : {"1", "2", "3"})
      commands.push_back({"run", "small.yaml", "--quiet", "--seed", seed, "--out", out});
    const std::size_t winner = winner_of(at_once(commands));
    ASSERT_LT(winner, whole.size());
    EXPECT_EQ(read(out + "/scenario.yaml") + read(out + "/results.json"), whole[winner]);
    EXPECT_EQ(files_in(out), files_in("alone-1"));
  }
}

TEST_F(Concurrent, of_two_searches_along_an_axis_into_one_new_directory_one_succeeds) {
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::string out = "out-" + std::to_string(trial);
    const std::vector<std::string> command = {
        "find",    "small.yaml",       "--passes", "1ns",   "--metric", "cycle_ns.p99",
        "--along", "locks.count=1..2", "--quiet",  "--out", out};
    winner_of(at_once({command, command}));
    EXPECT_TRUE(exists(out + "/find.json"));
  }
}

TEST_F(Concurrent, of_two_reproductions_into_one_new_directory_one_succeeds) {
  fs::create_directories(path("data/scenarios/papers/toy"));
  fs::copy(path("small.yaml"), path("data/scenarios/papers/toy/one.yaml"));
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::string out = "out-" + std::to_string(trial);
    const std::vector<std::string> command = {"reproduce", "toy",  "--quick", "--quiet",
                                              "--data",    "data", "--out",   out};
    winner_of(at_once({command, command}));
    EXPECT_TRUE(exists(out + "/summary.json"));
    EXPECT_TRUE(exists(out + "/toy/one/results.json"));
  }
}

TEST_F(Concurrent, traces_of_two_searches_do_not_replace_each_other) {
  constexpr int kSearches = 3;
  const std::vector<std::string> command = {"explore", "--protocol", "mcs",   "--crashes",
                                            "1",       "--quiet",    "--out", "found"};
  const std::vector<std::vector<std::string>> commands(kSearches, command);
  for (int trial = 1; trial <= kTrials; ++trial) {
    std::set<std::string> said;
    for (const Finished& each : at_once(commands)) {
      EXPECT_EQ(each.code, 1) << each.err;
      const std::size_t at = each.out.find("latchlab replay found/");
      ASSERT_NE(at, std::string::npos) << each.out;
      said.insert(each.out.substr(at, each.out.find('\n', at) - at));
    }
    EXPECT_EQ(said.size(), static_cast<std::size_t>(kSearches));
    EXPECT_EQ(files_in("found").size(), static_cast<std::size_t>(kSearches * trial));
  }
}

TEST_F(Concurrent, pages_and_exports_of_one_run_are_complete) {
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "r"}).code, 0);
  ASSERT_EQ(latchlab({"report", "r"}).code, 0);
  ASSERT_EQ(latchlab({"export", "r", "--gnuplot"}).code, 0);
  const std::string page = read("r/report.html");
  const std::set<std::string> drawn = files_in("r/gnuplot");
  const std::vector<std::string> report = {"report", "r"};
  const std::vector<std::string> exported = {"export", "r", "--gnuplot"};
  for (int trial = 0; trial < kTrials; ++trial)
    for (const Finished& each : at_once({report, exported, report, exported}))
      EXPECT_EQ(each.code, 0) << each.err;
  EXPECT_EQ(read("r/report.html"), page);
  EXPECT_EQ(files_in("r/gnuplot"), drawn);
}

TEST_F(Concurrent, a_directory_that_another_process_writes_to_is_refused) {
  fs::create_directories(path("data/scenarios/papers/toy"));
  fs::copy(path("small.yaml"), path("data/scenarios/papers/toy/one.yaml"));
  fs::create_directory(path("held"));
  const int held = ::open(path("held").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"run", "small.yaml", "--quiet", "--out", "held"},
           {"find", "small.yaml", "--passes", "1ns", "--metric", "cycle_ns.p99", "--along",
            "locks.count=1..2", "--quiet", "--out", "held"},
           {"reproduce", "toy", "--quick", "--quiet", "--data", "data", "--out", "held"},
           {"classroom", "1", "--out", "held"}}) {
    const Finished refused = latchlab(command);
    EXPECT_EQ(refused.code, 2) << command.front();
    EXPECT_THAT(refused.err, HasSubstr("another latchlab writes into held")) << command.front();
    EXPECT_TRUE(files_in("held").empty()) << command.front();
  }
  ::close(held);
}

TEST_F(Concurrent, a_second_classroom_in_one_directory_waits_or_is_refused) {
  const std::vector<std::string> command = {"classroom", "1", "--out", "pages"};
  for (const Finished& each : at_once({command, command})) {
    if (each.code == 0) continue;
    EXPECT_EQ(each.code, 2) << each.err;
    EXPECT_THAT(each.err, HasSubstr("another latchlab writes into pages"));
  }
  EXPECT_EQ(latchlab({"report", "pages/runs/01-round-trip"}).code, 0);
}

}  // namespace
}  // namespace latchlab::cli_test
