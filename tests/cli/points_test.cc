// Points of a sweep: which run, which cannot run, and what is printed as they end.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Points : public Command {
 protected:
  static std::vector<std::string> statuses(const Json& results) {
    std::vector<std::string> all;
    for (const Json& point : results["points"]) all.push_back(point["status"]);
    return all;
  }
  static long lines_with(const std::string& text, const std::string& part) {
    long count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }
};

// cas has no lease: one of its points runs, and all its points have the results.
TEST_F(Points, a_lock_without_the_swept_parameter_runs_once) {
  const std::string swept =
      "sweep: {grid: {protocol: [{name: dslr}, {name: cas}], protocol.lease: [1ms, 2ms, 3ms]}}\n";
  write("p.yaml", small_scenario("{name: cas}", swept));
  const Finished finished = latchlab({"run", "p.yaml", "--repeats", "2", "--out", "r"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("warning: protocol.lease is swept, and cas has no such"));
  EXPECT_EQ(lines_with(finished.err, " of 6 points: cas, "), 3);
  EXPECT_EQ(json("r/timing.json")["repeats"].size(), 12u);
  const Json points = json("r/results.json")["points"];
  ASSERT_EQ(points.size(), 6u);
  for (std::size_t i = 3; i < 6; ++i) {
    EXPECT_EQ(points[i]["label"], "cas");
    EXPECT_EQ(points[i]["metrics"], points[3]["metrics"]);
    EXPECT_EQ(points[i]["axes"]["protocol.lease"], points[i - 3]["axes"]["protocol.lease"]);
    EXPECT_EQ(points[i]["repeats"].size(), 2u);
  }
  const std::string before = read("r/results.json");
  // Resuming finds the stored result at each point; it is what each point alone would have given.
  const Finished again = latchlab({"run", "p.yaml", "--repeats", "2", "--resume", "--out", "r"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json("r/timing.json")["resumed"], 8);
  EXPECT_EQ(read("r/results.json"), before);
  ASSERT_EQ(latchlab({"report", "r"}).code, 0);
  ASSERT_EQ(latchlab({"run", "p.yaml", "--quiet", "--repeats", "2", "--set", "protocol=cas",
                      "--set", "sweep.grid.protocol.lease=null", "--out", "alone"})
                .code,
            2);
  write("alone.yaml", small_scenario("{name: cas}"));
  ASSERT_EQ(latchlab({"run", "alone.yaml", "--quiet", "--repeats", "2", "--out", "alone"}).code, 0);
  EXPECT_EQ(points[3]["metrics"], json("alone/results.json")["points"][0]["metrics"]);
}

TEST_F(Points, a_lock_without_the_swept_parameter_appears_once_in_conclusions_and_figures) {
  write("p.yaml", small_scenario("{name: cas}",
                                 "sweep: {grid: {protocol: [{name: dslr}, {name: cas}], "
                                 "protocol.lease: [1ms, 2ms]}}\n"));
  const Finished finished = latchlab({"run", "p.yaml", "--repeats", "3", "--out", "r"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("undecided between cas, dslr lease=1ms and dslr lease=2ms: "),
                    Not(HasSubstr("cas and cas")), Not(HasSubstr("cas lease"))));
  ASSERT_EQ(latchlab({"export", "r", "--gnuplot"}).code, 0);
  EXPECT_THAT(read("r/gnuplot/latency.dat"), AllOf(HasSubstr("cas"), Not(HasSubstr("cas lease"))));
}

// A reset waits until membership reports the dead clients.
TEST_F(Points, wait_for_a_dead_client_until_its_failure_is_detected) {
  const auto longest = [this](const std::string& detection) {
    write("f.yaml",
          "schema: 1\nname: f\nplatform: {client_nodes: 4, clients_per_node: 1, "
          "failure_detection: " +
              detection +
              "}\nlocks: {count: 1}\n"
              "protocol: {name: cql, timeout: 1ms}\n"
              "workload: {read_ratio: 0%, critical_section: 20us}\n"
              "faults: [{kind: node_crash, node: 2, at: 5ms}]\n"
              "run: {warmup: 1ms, duration: 100ms}\n");
    const Json points =
        parse_json(latchlab({"run", "f.yaml", "--json", "--out", "f" + detection}).out)["points"];
    return number_at(points[0]["metrics"], "acquire_ns.max");
  };
  EXPECT_LT(longest("100us"), 5e6);
  EXPECT_GT(longest("40ms"), 40e6);
}

TEST_F(Points, of_a_lock_without_the_swept_parameter_repeats_are_added_until_precise) {
  write("p.yaml", small_scenario("{name: cas}",
                                 "sweep: {grid: {protocol: [{name: dslr}, {name: cas}], "
                                 "protocol.lease: [1ms, 2ms]}}\n"));
  const Finished finished = latchlab(
      {"run", "p.yaml", "--quiet", "--set",
       "run={warmup: 100us, duration: 400us, precision: 0.1%, most_repeats: 5}", "--out", "r"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Json points = json("r/results.json")["points"];
  EXPECT_GT(points[2]["repeats"].size(), 2u);
  EXPECT_EQ(points[2]["repeats"], points[3]["repeats"]);
  EXPECT_EQ(json("r/results.json")["manifest"]["complete"], true);
  const std::string before = read("r/results.json");
  ASSERT_EQ(latchlab({"run", "p.yaml", "--quiet", "--set",
                      "run={warmup: 100us, duration: 400us, precision: 0.1%, most_repeats: 5}",
                      "--resume", "--out", "r"})
                .code,
            0);
  EXPECT_EQ(read("r/results.json"), before);
}

TEST_F(Points, a_limit_of_one_lock_fails_only_its_points) {
  write("p.yaml",
        small_scenario("{name: cas}",
                       "sweep: {grid: {protocol: [{name: shiftlock, rdrcnt_bits: 2}, {name: cas}], "
                       "platform.clients_per_node: [1, 2]}}\n"));
  const Finished finished = latchlab({"run", "p.yaml", "--out", "r"});
  EXPECT_EQ(finished.code, 3);
  EXPECT_THAT(finished.err, HasSubstr("point 1 (shiftlock, platform.clients_per_node=2): "
                                      "unavailable: shiftlock takes at most 3 clients, and the "
                                      "scenario has 4"));
  EXPECT_THAT(finished.out, HasSubstr("UNAVAILABLE"));
  EXPECT_EQ(statuses(json("r/results.json")),
            (std::vector<std::string>{"ok", "unavailable", "ok", "ok"}));
  const Finished checked = latchlab({"check", "p.yaml"});
  EXPECT_EQ(checked.code, 3);
  EXPECT_THAT(checked.err, HasSubstr("shiftlock cannot run: shiftlock takes at most 3 clients"));
}

// Only the trace says how many locks a transaction holds.
TEST_F(Points, a_trace_that_holds_more_locks_than_one_lock_allows_fails_only_its_points) {
  write("t.csv", "transaction,lock,mode\n1,0,x\n1,1,x\n1,2,x\n");
  write("p.yaml",
        "schema: 1\nname: t\nlocks: {count: 4}\nplatform: {client_nodes: 2}\n"
        "workload: {kind: trace, trace: {file: t.csv}}\nrun: {warmup: 100us, duration: 400us}\n"
        "sweep: {grid: {protocol: [{name: cas}, {name: mcs, max_held: 2}]}}\n");
  const Finished checked = latchlab({"check", "p.yaml"});
  const Finished finished = latchlab({"run", "p.yaml", "--out", "r"});
  EXPECT_EQ(checked.code, finished.code) << checked.err << finished.err;
  EXPECT_EQ(finished.code, 3) << finished.err;
  EXPECT_EQ(statuses(json("r/results.json")), (std::vector<std::string>{"ok", "unavailable"}));
  EXPECT_THAT(finished.err, HasSubstr("at once, and a section needs 3"));
  EXPECT_THAT(checked.err, HasSubstr("at once, and a section needs 3"));
}

TEST_F(Points, each_is_printed_as_it_ends_without_a_terminal) {
  write("p.yaml", small_scenario("{name: cas}", "sweep: {grid: {locks.count: [1, 2, 3]}}\n"));
  const Finished finished =
      latchlab({"run", "p.yaml", "--jobs", "1", "--repeats", "2", "--out", "r"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("1 of 3 points: cas, locks.count=1: ok, "),
                                  HasSubstr("2 of 3 points: cas, locks.count=2: ok, "),
                                  HasSubstr("3 of 3 points: cas, locks.count=3: ok, ")));
  EXPECT_EQ(lines_with(finished.err, " points: "), 3);
  for (const char* option : {"--quiet", "--json"}) {
    const Finished silent = latchlab({"run", "p.yaml", option, "--out", std::string("s") + option});
    EXPECT_EQ(silent.code, 0);
    EXPECT_EQ(silent.err, "") << option;
  }
  const Finished none = latchlab({"run", "p.yaml", "--repeats", "2", "--resume", "--out", "r"});
  EXPECT_EQ(lines_with(none.err, " points: "), 0) << none.err;
}

// On a terminal one line overwrites itself, and only if the user has to wait.
TEST_F(Points, are_not_printed_on_a_terminal) {
  write("p.yaml", small_scenario("{name: cas}", "sweep: {grid: {locks.count: [1, 2]}}\n"));
  const std::string command = std::string(LATCHLAB_BINARY) + " run p.yaml --out r";
  const Finished finished = start_program({"/usr/bin/script", "-qec", command, "/dev/null"}).wait();
  if (finished.code == 127 || finished.code < 0) GTEST_SKIP() << "no program script";
  EXPECT_EQ(finished.code, 0) << finished.out;
  EXPECT_THAT(finished.out, AllOf(HasSubstr("Results: r"), Not(HasSubstr("of 2 points: cas"))));
}

TEST_F(Points, of_a_search_along_an_axis_are_printed) {
  write("p.yaml", small_scenario("{name: cas}"));
  const std::vector<std::string> find = {"find",         "p.yaml",           "--metric",
                                         "cycle_ns.p99", "--passes",         "1ns",
                                         "--along",      "locks.count=1..2", "--out"};
  std::vector<std::string> loud = find, quiet = find;
  loud.emplace_back("f");
  quiet.insert(quiet.end(), {"q", "--quiet"});
  EXPECT_THAT(latchlab(loud).err, HasSubstr(" of 2 points: cas, locks.count=2: ok, "));
  EXPECT_EQ(latchlab(quiet).err, "");
}

}  // namespace
}  // namespace latchlab::cli_test
