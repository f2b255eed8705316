// Runs that a signal, a crash or a full disk ends early.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;

class Interrupted : public Command {
 protected:
  // One point that ends at once, and one that would take very long.
  void write_scenario(const std::string& durations) {
    write("long.yaml", small_scenario("{name: cas, backoff: none}",
                                      "sweep: {grid: {run.duration: " + durations + "}}\n"));
  }
  // Waits for a child process; its process id.
  static pid_t first_child(const Started& started) {
    for (int tries = 0; tries < 6'000; ++tries, ::usleep(10'000))
      if (const auto children = started.children(); !children.empty()) return children.front();
    return -1;
  }
  static bool all_gone(const Started& started) {
    for (int tries = 0; tries < 6'000 && started.any_left(); ++tries) ::usleep(10'000);
    return !started.any_left();
  }
};

TEST_F(Interrupted, finished_points_are_stored_and_no_process_is_left) {
  write_scenario("[400us, 1000s]");
  Started started = start({"run", "long.yaml", "--jobs", "1", "--out", "r"});
  ASSERT_TRUE(appears("r/points/0000-0.json"));
  started.send(SIGINT);
  const Finished finished = started.wait();
  EXPECT_EQ(finished.code, 130);
  EXPECT_TRUE(all_gone(started));
  EXPECT_THAT(finished.err,
              ::testing::MatchesRegex(
                  "small: 2 points, 2 runs, 1 at once: about [0-9]+ min and [0-9]+ MiB\n"
                  "1 of 2 points: cas, run.duration=400us: ok, [0-9.]+ [kM]/s\n"
                  "latchlab: interrupted; what was finished is in r, and --resume goes "
                  "on with it:\n  latchlab run long.yaml --resume --out r\n"));
  const Json results = json("r/results.json");
  EXPECT_EQ(results["manifest"]["complete"], false);
  ASSERT_EQ(results["points"].size(), 2u);
  EXPECT_EQ(results["points"][0]["status"], "ok");
  EXPECT_GT(number_at(results["points"][0]["metrics"], "goodput_ops_s"), 0);
  EXPECT_EQ(results["points"][1]["status"], "interrupted");
  EXPECT_TRUE(results["points"][1]["repeats"].empty());
  EXPECT_TRUE(results["points"][1]["metrics"].is_null());
}

TEST_F(Interrupted, a_run_from_stdin_is_resumed_from_its_directory) {
  write_scenario("[400us, 1000s]");
  Started started = start_program(
      {"/bin/sh", "-c",
       "exec " + std::string(LATCHLAB_BINARY) + " run - --jobs 1 --out r --seed 7 < long.yaml"});
  ASSERT_TRUE(appears("r/points/0000-0.json"));
  started.send(SIGINT);
  EXPECT_THAT(started.wait().err,
              HasSubstr(":\n  latchlab run r/scenario.yaml --resume --out r\n"));
  EXPECT_THAT(latchlab({"run", "r/scenario.yaml", "--resume", "--out", "r", "--set",
                        "run.duration=[400us]"})
                  .err,
              HasSubstr("small: 1 of 1 run are there already"));
}

// Apostrophes and blanks: the printed command is quoted for a shell.
TEST_F(Interrupted, the_printed_command_resumes_the_run_for_any_characters_in_it) {
  write("it's long.yaml",
        small_scenario("{name: cas}", "sweep: {grid: {run.duration: [400us, 1000s]}}\n"));
  std::filesystem::create_directory(home() / "my data");
  Started started =
      start({"run", "it's long.yaml", "--jobs", "1", "--set",
             "protocol={name: cas, label: \"it's\"}", "--data", "my data", "--out", "r'r r"});
  ASSERT_TRUE(appears("r'r r/points/0000-0.json"));
  started.send(SIGINT);
  const std::string printed = started.wait().err;
  const std::size_t at = printed.find("\n  latchlab run ");
  ASSERT_NE(at, std::string::npos) << printed;
  EXPECT_THAT(printed, HasSubstr(" --data 'my data' "));
  std::string command = printed.substr(at + 3);
  command.replace(0, std::string("latchlab").size(), LATCHLAB_BINARY);
  command.erase(command.find('\n'));
  const Finished finished =
      start_program({"/bin/sh", "-c", command + " --set 'run.duration=[400us]'"}).wait();
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("small: 1 of 1 run are there already"));
  EXPECT_EQ(json("r'r r/results.json")["points"][0]["label"], "it's");
}

TEST_F(Interrupted, sigterm_is_handled_like_sigint) {
  write_scenario("[1000s]");
  Started started = start({"run", "long.yaml", "--json", "--out", "r"});
  ASSERT_TRUE(appears("r/scenario.yaml"));  // written before the first repeat ends
  ASSERT_GT(first_child(started), 0);
  started.send(SIGTERM);
  const Finished finished = started.wait();
  EXPECT_EQ(finished.code, 130);
  EXPECT_EQ(finished.out, read("r/results.json"));
  EXPECT_EQ(json("r/results.json")["points"][0]["status"], "interrupted");
  EXPECT_TRUE(all_gone(started));
}

TEST_F(Interrupted, child_processes_do_not_outlive_a_killed_command) {
  write_scenario("[1000s]");
  Started started = start({"run", "long.yaml", "--out", "r"});
  ASSERT_TRUE(appears("r/scenario.yaml"));
  ASSERT_GT(first_child(started), 0);
  ::kill(started.pid(), SIGKILL);
  EXPECT_EQ(started.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(all_gone(started));
}

TEST_F(Interrupted, a_point_whose_process_dies_is_reported_and_the_other_points_run) {
  write_scenario("[1000s, 400us]");
  Started started = start({"run", "long.yaml", "--jobs", "1", "--out", "r"});
  ASSERT_TRUE(appears("r/scenario.yaml"));  // written before the first repeat ends
  const pid_t child = first_child(started);
  ASSERT_GT(child, 0);
  ::kill(child, SIGKILL);
  const Finished finished = started.wait();
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("point 0 (cas, run.duration=1000s): failed: its process was "
                                      "ended by signal 9 (Killed)"));
  EXPECT_THAT(finished.out, HasSubstr(" FAILED\n"));
  const Json points = json("r/results.json")["points"];
  EXPECT_EQ(points[0]["status"], "failed");
  EXPECT_TRUE(points[0]["metrics"].is_null());
  EXPECT_TRUE(points[0]["repeats"][0]["metrics"].is_null());
  EXPECT_EQ(points[0]["repeats"][0]["seed"], points[1]["repeats"][0]["seed"]);
  EXPECT_EQ(points[1]["status"], "ok");
}

TEST_F(Interrupted, a_full_disk_is_reported_and_leaves_no_partial_file) {
  write("small.yaml", small_scenario("{name: cas}"));
  const std::string limited =
      std::string("ulimit -f 4; exec ") + LATCHLAB_BINARY + " run small.yaml --quiet --out r";
  const Finished finished = start_program({"/bin/sh", "-c", limited}).wait();
  EXPECT_EQ(finished.code, 3);
  EXPECT_THAT(finished.err, HasSubstr("latchlab: cannot write r/scenario.yaml: File too large"));
  EXPECT_FALSE(exists("r/scenario.yaml"));
  EXPECT_FALSE(exists("r/scenario.yaml.part"));
}

}  // namespace
}  // namespace latchlab::cli_test
