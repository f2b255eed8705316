// Runs that end early and are resumed.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

const char* const kSweep = "sweep: {grid: {platform.clients_per_node: [1, 2, 3, 4, 5, 6]}}\n";

class Resume : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    write("small.yaml", small_scenario("{name: cas}", kSweep));
    ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "whole"}).code, 0);
  }
  void expect_as_whole(const std::string& directory) const {
    for (const char* file : {"/scenario.yaml", "/results.json", "/results.csv"})
      EXPECT_EQ(read(directory + file), read(std::string("whole") + file)) << file;
    EXPECT_EQ(names_in(directory + "/points"), names_in("whole/points"));
  }
  std::set<std::string> names_in(const std::string& directory) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(directory)))
      names.insert(entry.path().filename().string());
    return names;
  }
  Finished resume(const std::string& out, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "small.yaml", "--resume", "--out", out});
    return latchlab(more);
  }
  int resumed(const std::string& directory) const {
    return json(directory + "/timing.json")["resumed"].get<int>();
  }
};

TEST_F(Resume, a_run_killed_at_any_instant_resumes_to_the_same_results) {
  int killed = 0;
  for (int delay_us = 0; delay_us < 120'000; delay_us += 20'000) {
    const std::string out = "killed-" + std::to_string(delay_us);
    Started started = start({"run", "small.yaml", "--jobs", "1", "--quiet", "--out", out});
    ::usleep(static_cast<useconds_t>(delay_us));
    ::kill(started.pid(), SIGKILL);
    killed += started.wait().code == 128 + SIGKILL ? 1 : 0;
    if (!exists(out) || fs::is_empty(path(out))) {
      EXPECT_EQ(resume(out).code, 2) << "there is nothing to go on with";
      continue;
    }
    const bool begun = exists(out + "/scenario.yaml");
    const std::size_t kept = begun ? names_in(out + "/points").size() : 0;
    const Finished finished = resume(out);
    EXPECT_EQ(finished.code, 0) << finished.err;
    expect_as_whole(out);
    EXPECT_GE(resumed(out) + 1, static_cast<int>(kept));  // one may have been half written
  }
  EXPECT_GT(killed, 0);
}

TEST_F(Resume, a_directory_without_a_run_cannot_be_resumed) {
  fs::create_directory(path("empty"));
  fs::create_directory(path("other"));
  write("other/notes.txt", "mine");
  for (const auto& [out, says] :
       std::map<std::string, std::string>{{"TYPO", "TYPO does not exist, so there is no run"},
                                          {"empty", "empty is empty, so there is no run"},
                                          {"other", "other holds no run"}}) {
    const Finished finished = resume(out);
    EXPECT_EQ(finished.code, 2) << out;
    EXPECT_THAT(finished.err, HasSubstr(says));
  }
  EXPECT_FALSE(exists("TYPO"));
  EXPECT_EQ(latchlab({"reproduce", "shiftlock/one-lock", "--resume", "--out", "TYPO"}).code, 2);
}

TEST_F(Resume, without_out_the_newest_run_is_resumed) {
  for (const char* name : {"small-2", "small-10"}) {
    fs::create_directories(path("results"));
    fs::copy(path("whole"), path(std::string("results/") + name), fs::copy_options::recursive);
  }
  fs::remove(path("results/small-10/points/0001-0.json"));
  const Finished finished = latchlab({"run", "small.yaml", "--resume"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("Results: results/small-10\n"));
  EXPECT_THAT(finished.err, HasSubstr("small: 5 of 6 runs are there already\n"));
  expect_as_whole("results/small-10");
}

TEST_F(Resume, more_points_and_repeats_are_added_to_the_stored_ones) {
  write("small.yaml",
        small_scenario("{name: cas}", "sweep: {grid: {platform.clients_per_node: [7, 3, 1]}}\n"));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "other", "--repeats", "2"}).code, 0);
  fs::copy(path("whole"), path("grown"), fs::copy_options::recursive);
  const Finished finished = resume("grown", {"--repeats", "2"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(resumed("grown"), 2);
  EXPECT_EQ(read("grown/results.json"), read("other/results.json"));
  // A repeat that the new scenario does not have is still stored, and found when a later scenario
  // has it again; repeats of the new scenario are the only ones in their place.
  EXPECT_EQ(names_in("grown/points/superseded").size(), 4u);
  write("small.yaml", small_scenario("{name: cas}", kSweep));
  EXPECT_EQ(resume("grown").code, 0);
  EXPECT_EQ(resumed("grown"), 6);
  EXPECT_EQ(read("grown/results.json"), read("whole/results.json"));
}

TEST_F(Resume, results_of_another_scenario_are_refused_and_not_changed) {
  const std::string before = read("whole/results.json");
  const Finished finished = resume("whole", {"--set", "run.duration=300us"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("whole holds results of another scenario or another build"));
  EXPECT_EQ(read("whole/results.json"), before);
  EXPECT_EQ(names_in("whole/points").size(), 6u);
}

TEST_F(Resume, results_of_another_trace_file_are_refused) {
  const std::string order = "transaction,lock,mode\n1,0,x\n";
  write("orders.csv", order);
  write("traced.yaml",
        "schema: 1\nname: traced\nprotocol: {name: cas}\nlocks: {count: 4}\n"
        "workload: {kind: trace, trace: {file: orders.csv}}\n"
        "run: {warmup: 100us, duration: 400us}\n");
  ASSERT_EQ(latchlab({"run", "traced.yaml", "--quiet", "--out", "t"}).code, 0);
  EXPECT_EQ(latchlab({"run", "traced.yaml", "--resume", "--out", "t"}).code, 0);
  EXPECT_EQ(resumed("t"), 1);
  write("orders.csv", order + "2,1,x\n");
  const Finished other = latchlab({"run", "traced.yaml", "--resume", "--out", "t"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("another scenario or another build"));
}

TEST_F(Resume, a_damaged_file_is_reported_and_its_repeat_runs_again) {
  fs::copy(path("whole"), path("hurt"), fs::copy_options::recursive);
  write("hurt/points/0002-0.json", "{\"key\": 3");
  const Finished finished = resume("hurt");
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("hurt/points/0002-0.json: not a repeat of a run"));
  EXPECT_EQ(resumed("hurt"), 5);
  expect_as_whole("hurt");
}

// In each file another digit of a number changes; all files stay valid JSON.
TEST_F(Resume, a_changed_digit_is_reported_and_its_repeat_runs_again) {
  fs::copy(path("whole"), path("hurt"), fs::copy_options::recursive);
  const std::set<std::string> files = names_in("hurt/points");
  ASSERT_EQ(files.size(), 6u);
  std::size_t share = 0;
  for (const std::string& file : files) {
    std::string text = read("hurt/points/" + file);
    const std::size_t from = text.find("\"outcome\"") + ++share * text.size() / 10;
    const std::size_t digit = text.find_first_of("12345678", from);
    ASSERT_NE(digit, std::string::npos) << file;
    ++text[digit];
    ASSERT_FALSE(parse_json(text).is_discarded()) << file;
    write("hurt/points/" + file, text);
  }
  for (const std::vector<std::string>& reader : std::vector<std::vector<std::string>>{
           {"report", "hurt"}, {"export", "hurt", "--gnuplot"}, {"compare", "whole", "hurt"}}) {
    const Finished refused = latchlab(reader);
    EXPECT_EQ(refused.code, 2) << reader.front();
    EXPECT_THAT(refused.err,
                HasSubstr("hurt/points/0000-0.json: not a repeat of a run, or damaged"));
  }
  const Finished finished = resume("hurt");
  EXPECT_EQ(finished.code, 0) << finished.err;
  for (const std::string& file : files)
    EXPECT_THAT(finished.err, HasSubstr("warning: hurt/points/" + file + ": not a repeat")) << file;
  EXPECT_EQ(resumed("hurt"), 0);
  expect_as_whole("hurt");
}

// Files as written by versions without checksums.
TEST_F(Resume, files_without_a_checksum_can_be_read_but_are_run_again) {
  fs::copy(path("whole"), path("old"), fs::copy_options::recursive);
  const std::string text = read("old/points/0002-0.json");
  const std::size_t key = text.find("\"key\":");
  ASSERT_NE(key, std::string::npos);
  write("old/points/0002-0.json", "{" + text.substr(key));
  EXPECT_EQ(latchlab({"report", "old"}).code, 0);
  const Finished finished = resume("old");
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("warning: old/points/0002-0.json: has no checksum"));
  EXPECT_EQ(resumed("old"), 5);
  expect_as_whole("old");
  EXPECT_EQ(read("old/points/0002-0.json").substr(0, 13), "{\"checksum\":\"");
}

TEST_F(Resume, a_pipe_among_the_stored_points_is_reported_and_its_repeat_runs_again) {
  fs::copy(path("whole"), path("pipe"), fs::copy_options::recursive);
  fs::remove(path("pipe/points/0001-0.json"));
  ASSERT_EQ(::mkfifo(path("pipe/points/0001-0.json").c_str(), 0600), 0);
  const Finished refused = latchlab({"report", "pipe"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("pipe/points/0001-0.json: not a file"));
  const Finished finished = resume("pipe");
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("pipe/points/0001-0.json: not a file"));
  expect_as_whole("pipe");
}

TEST_F(Resume, a_damaged_file_is_replaced_by_an_intact_older_copy) {
  fs::copy(path("whole"), path("both"), fs::copy_options::recursive);
  fs::create_directory(path("both/points/superseded"));
  fs::copy(path("whole/points/0003-0.json"), path("both/points/superseded/0003-0.0.json"));
  write("both/points/0003-0.json", "{");
  const Finished finished = resume("both");
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(resumed("both"), 6);
  EXPECT_EQ(read("both/points/0003-0.json"), read("whole/points/0003-0.json"));
}

TEST_F(Resume, a_repeat_whose_process_died_runs_again) {
  write("long.yaml",
        small_scenario("{name: cas}", "sweep: {grid: {run.duration: [400us, 300ms]}}\n"));
  Started started = start({"run", "long.yaml", "--jobs", "1", "--quiet", "--out", "r"});
  ASSERT_TRUE(appears("r/points/0000-0.json"));
  for (int tries = 0; tries < 1'000 && started.children().empty(); ++tries) ::usleep(1'000);
  for (const pid_t child : started.children()) ::kill(child, SIGKILL);
  EXPECT_EQ(started.wait().code, 1);
  const Finished again = latchlab({"run", "long.yaml", "--quiet", "--resume", "--out", "r"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(resumed("r"), 1);
  EXPECT_EQ(json("r/results.json")["points"][1]["status"], "ok");
}

TEST_F(Resume, two_programs_never_write_into_one_directory) {
  write("long.yaml",
        small_scenario("{name: cas}", "sweep: {grid: {run.duration: [400us, 1000s]}}\n"));
  Started first = start({"run", "long.yaml", "--jobs", "1", "--quiet", "--out", "r"});
  ASSERT_TRUE(appears("r/points/0000-0.json"));
  const Finished second = latchlab({"run", "long.yaml", "--resume", "--out", "r"});
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("another latchlab writes into r"));
  first.send(SIGINT);
  EXPECT_EQ(first.wait().code, 130);
}

// A removed folder stands for a disk that is full or gone.
TEST_F(Resume, points_that_cannot_be_written_end_the_run_with_the_finished_ones) {
  write("long.yaml",
        small_scenario("{name: cas}", "sweep: {grid: {run.duration: [400us, 300ms, 500us]}}\n"));
  Started started = start({"run", "long.yaml", "--jobs", "1", "--out", "r"});
  ASSERT_TRUE(appears("r/points/0000-0.json"));
  fs::rename(path("r/points"), path("r/lost"));
  const Finished finished = started.wait();
  EXPECT_EQ(finished.code, 3) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("cannot write r/points/0001-0.json: No such file"));
  EXPECT_THAT(finished.err, HasSubstr("--resume --out r\n"));
  EXPECT_THAT(finished.out, HasSubstr("Results: r\n"));
  EXPECT_EQ(json("r/results.json")["manifest"]["complete"], false);
  fs::rename(path("r/lost"), path("r/points"));
  const Finished again = latchlab({"run", "long.yaml", "--quiet", "--resume", "--out", "r"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(resumed("r"), 1);
  EXPECT_EQ(json("r/results.json")["manifest"]["complete"], true);
}

TEST_F(Resume, a_directory_with_other_contents_is_refused) {
  fs::create_directory(path("mine"));
  write("mine/notes.txt", "precious");
  const Finished finished = resume("mine");
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("mine holds no run: there is no scenario.yaml"));
  EXPECT_EQ(names_in("mine"), std::set<std::string>{"notes.txt"});
}

TEST_F(Resume, a_directory_that_cannot_be_written_is_reported_before_anything_runs) {
  const Finished finished = latchlab({"run", "small.yaml", "--out", "small.yaml/r"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("cannot create small.yaml/r: Not a directory"));
  EXPECT_THAT(finished.out, IsEmpty());
}

}  // namespace
}  // namespace latchlab::cli_test
