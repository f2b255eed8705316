// Traces and figures made on the command line.

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const char* const kLocks = "sweep: {grid: {protocol.name: [cas, mcs, dslr, shiftlock]}}\n";

class Traces : public Command {
 protected:
  Finished run(const std::string& out, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "small.yaml", "--out", out});
    return latchlab(more);
  }
  std::map<std::string, int> names(const std::string& file, const std::string& phase) const {
    std::map<std::string, int> counts;
    const Json trace = json(file);
    for (const Json& event : trace["traceEvents"])
      if (event["ph"] == phase) ++counts[event["name"].get<std::string>()];
    return counts;
  }
};

TEST_F(Traces, change_no_result_and_are_byte_identical_each_time) {
  write("small.yaml",
        small_scenario(
            "{name: cas}",
            "faults: [{kind: pause, client: 1, at: 150us, length: 20us}]\n" + std::string(kLocks)));
  const std::vector<std::string> shared = {"--set", "platform.cores=1"};  // sleepers then queue up
  ASSERT_EQ(run("without", shared).code, 0);
  const Finished with = run("with", {"--trace", shared[0], shared[1]});
  ASSERT_EQ(with.code, 0) << with.err;
  ASSERT_EQ(run("again", {"--trace", "--jobs", "1", shared[0], shared[1]}).code, 0);
  EXPECT_EQ(read("with/results.json"), read("without/results.json"));
  EXPECT_EQ(read("with/results.csv"), read("without/results.csv"));
  EXPECT_FALSE(exists("without/traces"));
  EXPECT_THAT(with.out, HasSubstr("Trace: with/traces/0003.json: 100us to 200us, "));
  for (const char* file : {"0000", "0001", "0002", "0003"}) {
    const std::string name = "/traces/" + std::string(file) + ".json";
    EXPECT_EQ(read("with" + name), read("again" + name));
    EXPECT_EQ(names("with" + name, "i").count("pause"), 1U) << name;
  }
}

TEST_F(Traces, contain_every_verb_that_was_posted) {
  write("small.yaml", small_scenario("{name: mcs}"));
  ASSERT_EQ(run("r", {"--trace", "--trace-window", "0us+1ms", "--quiet"}).code, 0);
  auto begun = names("r/traces/0000.json", "B");
  for (const auto& [name, count] : names("r/traces/0000.json", "i")) begun[name] += count;
  double verbs = 0;
  for (const char* name :
       {"read", "write", "cas", "faa", "masked_cas", "masked_faa", "send", "call", "post faa"})
    verbs += begun[name];
  const Json metrics = json("r/results.json")["points"][0]["repeats"][0]["metrics"];
  EXPECT_EQ(verbs, number_at(metrics, "engine.verbs"));
  EXPECT_GT(begun["wait"], 0);
}

TEST_F(Traces, cover_the_points_and_the_window_that_were_chosen) {
  write("small.yaml", small_scenario("{name: cas}", kLocks));
  const Finished done = run(
      "r", {"--trace", "--trace-points", "3,1", "--trace-window", "450us+1s", "--repeats", "2"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_FALSE(exists("r/traces/0000.json"));
  EXPECT_TRUE(exists("r/traces/0001.json"));
  const Json head = json("r/traces/0003.json")["otherData"];
  EXPECT_EQ(head["label"], "shiftlock");
  EXPECT_EQ(head["from"], "450us");
  EXPECT_EQ(head["to"], "500us");
}

TEST_F(Traces, of_points_that_do_not_exist_are_refused_before_anything_runs) {
  write("small.yaml", small_scenario("{name: cas}", kLocks));
  const auto refused = [&](std::vector<std::string> words, const char* says) {
    words.insert(words.begin(), "--trace");
    const Finished done = run("r", words);
    EXPECT_EQ(done.code, 2) << done.out;
    EXPECT_THAT(done.err, HasSubstr(says));
  };
  refused({"--trace-points", "4"}, "expected points from 0 to 3");
  refused({"--trace-points", "0;1"}, "expected points from 0 to 3");
  refused({"--trace-window", "20ms"}, "expected FROM+LENGTH");
  refused({"--trace-window", "20+1us"}, "unit");
  refused({"--trace-window", "1us+0us"}, "the window is empty");
  refused({"--trace-window", "1ms+1us"}, "the run of point 0 is over at 500us");
  refused({"--resume"}, "--resume");
  EXPECT_EQ(run("r", {"--trace-points", "1"}).code, 2);  // without --trace
  EXPECT_FALSE(exists("r"));
}

class Figures : public Command {
 protected:
  // Runs gnuplot in its directory; its output.
  std::string draw(const std::string& script, const std::string& format) {
    const Finished drawn =
        start_program({"/bin/sh", "-c",
                       "cd r/gnuplot && gnuplot -e \"format='" + format + "'\" " + script + ".gp"})
            .wait();
    EXPECT_EQ(drawn.code, 0) << drawn.err;
    const std::string file = "r/gnuplot/" + script + "." + format;
    EXPECT_TRUE(exists(file) && std::filesystem::file_size(path(file)) > 1'000) << file;
    return drawn.out + drawn.err;
  }
};

TEST_F(Figures, are_drawn_by_gnuplot_without_a_warning_for_any_label) {
  if (::access("/usr/bin/gnuplot", X_OK) != 0) GTEST_SKIP() << "there is no gnuplot here";
  write(
      "small.yaml",
      small_scenario("{name: cas}",
                     "sweep: {grid: {protocol: [{name: cas, label: \"it's_^{b} @&\\\\ %d \\\"q\"}, "
                     "{name: mcs, label: '$`#; x'}, {name: dslr, label: \"'all' ''quoted''\"}], "
                     "workload.read_ratio: [0%, 50%]}}\n"
                     "report: {figures: [{x: workload.read_ratio, y: acquire_ns.p99}, "
                     "{x: label, y: retry_share, series: workload.read_ratio}]}\n"));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--out", "r", "--quiet", "--repeats", "3"}).code, 0);
  const Finished done = latchlab({"export", "r", "--gnuplot"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("cd r/gnuplot && gnuplot *.gp\n"));
  EXPECT_THAT(done.out, Not(HasSubstr("race")));
  for (const char* script : {"fig1", "fig2", "latency"})
    for (const char* format : {"pdf", "svg"}) EXPECT_THAT(draw(script, format), IsEmpty());
  const std::string drawn = read("r/gnuplot/fig1.svg");
  EXPECT_THAT(drawn, HasSubstr("it's_^{b} @&amp;\\ %d \"q"));
  EXPECT_THAT(drawn, HasSubstr("<text>'all' ''quoted''</text>"));
  EXPECT_THAT(drawn, HasSubstr("Acquire latency p99"));
}

TEST_F(Figures, points_with_a_verdict_are_drawn_apart_and_named) {
  if (::access("/usr/bin/gnuplot", X_OK) != 0) GTEST_SKIP() << "there is no gnuplot here";
  write("stuck.yaml",
        small_scenario("{name: mcs}",
                       "faults: [{kind: skip_release, probability: 0%}]\n"
                       "sweep: {grid: {protocol.name: [cas, mcs], faults.0.probability: [0%, "
                       "50%]}}\n"));
  ASSERT_EQ(latchlab({"run", "stuck.yaml", "--out", "r", "--quiet"}).code, 1);
  const Finished done = latchlab({"export", "r", "--gnuplot"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("warning: point 3 is DEADLOCK: no line goes through it\n"));
  EXPECT_THAT(draw("fig1", "svg"), IsEmpty());
  EXPECT_THAT(read("r/gnuplot/fig1.svg"), HasSubstr("DEADLOCK"));
}

TEST_F(Figures, need_the_directory_of_a_run) {
  std::filesystem::create_directory(path("empty"));
  const Finished empty = latchlab({"export", "empty", "--gnuplot"});
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("empty"));
  const Finished nothing = latchlab({"export", "empty"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("--gnuplot"));
}

}  // namespace
}  // namespace latchlab::cli_test
