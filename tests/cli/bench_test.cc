// The benchmark program works; its numbers are not checked.
#include <thread>

#include "tests/cli/program.h"
#include "tests/non_empty.h"
#include "tests/paths.h"

#ifdef LATCHLAB_BENCH_BINARY

namespace latchlab::cli_test {
namespace {

class Bench : public Command {
 protected:
  Finished bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LATCHLAB_BENCH_BINARY);
    return start_program(std::move(arguments)).wait();
  }
};

TEST_F(Bench, a_quick_run_measures_every_line_and_reports_which_goals_are_met) {
  const Finished finished = bench({"engine", "--quick", "--json"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const Json report = parse_json(finished.out);
  ASSERT_TRUE(report.is_object()) << finished.out;
  EXPECT_EQ(report["quick"], true);
  std::vector<std::string> lines;
  for (const Json& line : report["lines"]) {
    SCOPED_TRACE(dump_json(line));
    const std::string subject = line["subject"];
    lines.push_back(subject + " " + line["workload"].get<std::string>());
    EXPECT_GT(line["ns"].get<double>(), 0);
    EXPECT_GT(line["floor_events"].get<double>(), 0);
    const bool ours = subject == "cas" || subject == "shiftlock";
    EXPECT_EQ(line.contains("met"), ours);
    if (ours) {
      EXPECT_GE(line["events_per_verb"].get<double>(), 1);
    }
  }
  const std::vector<std::string> all = {
      "floor hold", "simgrid-timers hold", "simgrid-program uniform", "cas uniform",
      "cas zipf",   "shiftlock uniform",   "shiftlock zipf"};
  EXPECT_EQ(lines, all);
  ASSERT_EQ(report["speed_ups"].size(), 1u);
  EXPECT_GT(report["speed_ups"][0]["factor"].get<double>(), 0);
  ASSERT_EQ(report["idle_memory"].size(), 2u);
  for (const Json& memory : report["idle_memory"])
    EXPECT_GT(memory["bytes_per_client"].get<double>(), 0);
}

TEST_F(Bench, a_quick_run_compares_every_lock_with_the_cas_lock) {
  const Finished finished = bench({"locks", "--quick", "--json"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const Json report = parse_json(finished.out);
  ASSERT_TRUE(report.is_object()) << finished.out;
  std::size_t remote = 0;
  for (const Json& lock : parse_json(latchlab({"list", "protocols", "--json"}).out))
    if (lock["limits"]["client_nodes"] != 1) ++remote;
  EXPECT_EQ(report["lines"].size(), remote);
  EXPECT_EQ(report["lines"][0]["protocol"], "cas");
  for (const Json& line : non_empty(report["lines"])) {
    SCOPED_TRACE(dump_json(line));
    EXPECT_GT(line["of_cas"].get<double>(), 0);
    EXPECT_GE(line["events_per_verb"].get<double>(), 1);
  }
}

TEST_F(Bench, a_quick_run_reports_the_cost_of_a_step_in_each_range_structure) {
  const Finished finished = bench({"ranges", "--quick", "--json"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const Json report = parse_json(finished.out);
  ASSERT_TRUE(report.is_object()) << finished.out;
  const bool two_cores = std::thread::hardware_concurrency() >= 2;
  EXPECT_EQ(report["lines"].size(), 3U * 4 * (two_cores ? 3 : 2));
  for (const Json& line : report["lines"]) {
    SCOPED_TRACE(dump_json(line));
    EXPECT_GE(line["steps"].get<double>(), 1);
    EXPECT_GT(line["step_ns"].get<double>(), 0);
    EXPECT_LE(line["least_ns"].get<double>(), line["most_ns"].get<double>());
  }
}

TEST_F(Bench, a_quick_run_reports_what_a_line_of_another_core_costs) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core";
  const Finished finished = bench({"lines", "--quick", "--json"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const Json report = parse_json(finished.out);
  ASSERT_TRUE(report.is_object()) << finished.out;
  EXPECT_EQ(report["lines"].size(), 4U);
  for (const Json& line : report["lines"]) EXPECT_GT(line["ns"].get<double>(), 0);
}

TEST_F(Bench, unknown_options_are_refused_with_a_list_of_the_known_ones) {
  const Finished unknown = bench({"engine", "--fast"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("unknown option '--fast'; known: --repeats"), std::string::npos)
      << unknown.err;
  const Finished repeats = bench({"engine", "--repeats", "0"});
  EXPECT_EQ(repeats.code, 2);
  EXPECT_NE(repeats.err.find("a whole number from 1 to"), std::string::npos) << repeats.err;
}

}  // namespace
}  // namespace latchlab::cli_test

#endif
