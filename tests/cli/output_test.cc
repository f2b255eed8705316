// What the command prints, and to which stream.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Output : public Command {};

TEST_F(Output, json_is_one_document_equal_to_the_file) {
  write("small.yaml", small_scenario("{name: cas}"));
  const Finished finished = latchlab({"run", "small.yaml", "--json", "--out", "r"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.out, read("r/results.json"));
  EXPECT_TRUE(Json::accept(finished.out));
  EXPECT_EQ(finished.err, "");
}

TEST_F(Output, quiet_prints_nothing) {
  write("small.yaml", small_scenario("{name: dslr}"));
  const Finished finished = latchlab({"run", "small.yaml", "--quiet"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(finished.err, "");
  EXPECT_TRUE(exists("results/small-1/results.json"));
}

TEST_F(Output, without_a_terminal_a_point_is_one_line_and_no_line_is_overwritten) {
  write("small.yaml", small_scenario("{name: cas, backoff: none}"));
  const Finished finished = latchlab({"run", "small.yaml"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.err, ::testing::MatchesRegex("1 of 1 points: cas: ok, [0-9.]+ k/s\n"));
}

TEST_F(Output, the_table_has_the_interval_of_goodput_where_there_is_one) {
  write("small.yaml", small_scenario("{name: cas}"));
  const Finished one = latchlab({"run", "small.yaml"});
  EXPECT_THAT(one.out, Not(HasSubstr("+-")));
  const Finished three = latchlab({"run", "small.yaml", "--repeats", "3"});
  EXPECT_THAT(three.out, ContainsRegex("goodput k/s +[+]- 95% +p50 us"));
  EXPECT_THAT(three.out, ContainsRegex("\ncas +4 +7[0-9][0-9][.][0-9] +[0-9]+[.][0-9] +[0-9.]+ "));
  EXPECT_THAT(three.out, HasSubstr("+- 95%: confidence interval of the goodput)"));
}

TEST_F(Output, an_order_names_the_pairs_that_do_not_hold) {
  write("small.yaml",
        small_scenario(
            "{name: cas}",
            "sweep: {grid: {platform.clients_per_node: [1, 2, 4]}}\n"
            "expect: [{id: falls, kind: order, metric: goodput_ops_s, over: "
            "platform.clients_per_node, order: [1, 4, 2], source: s, use: validation}]\n"));
  const Finished three = latchlab({"run", "small.yaml", "--repeats", "3"});
  EXPECT_THAT(three.out,
              ContainsRegex("\nfalls: platform.clients_per_node=1 ahead of "
                            "platform.clients_per_node=4 is reversed .-[0-9.e+]+ [+]- "));
  EXPECT_THAT(three.out, Not(HasSubstr("platform.clients_per_node=4 ahead of")));
  const Finished one = latchlab({"run", "small.yaml"});
  EXPECT_THAT(one.out, HasSubstr("platform.clients_per_node=4 is not measured often enough (-"));
}

TEST_F(Output, the_table_has_aligned_columns_and_a_conclusion) {
  write("small.yaml",
        "schema: 1\nname: t\nplatform: {client_nodes: 1}\nlocks: {count: 1}\n"
        "run: {warmup: 100us, duration: 500us}\n"
        "sweep: {grid: {protocol: [{name: cas, backoff: none, label: CAS-NB}, {name: mcs}], "
        "platform.clients_per_node: [1, 12]}}\n");
  const Finished finished = latchlab({"run", "small.yaml"});
  EXPECT_EQ(finished.code, 0);
  std::istringstream stream(finished.out);
  std::vector<std::string> rows(5);
  for (std::string& row : rows) std::getline(stream, row);
  EXPECT_THAT(rows[0], ContainsRegex("^lock +clients_per_node +clients +goodput k/s +p50 us"));
  EXPECT_THAT(rows[1], ContainsRegex("^CAS-NB +1 +1 +[0-9]+\\.[0-9] .* ok$"));
  EXPECT_THAT(rows[4], ContainsRegex("^mcs +12 +12 +[0-9]+\\.[0-9] .* ok$"));
  for (const std::string& row : rows) EXPECT_EQ(row.size(), rows[0].size()) << row;
  EXPECT_THAT(finished.out,
              ContainsRegex("\nWith 12 clients: [a-zA-Z-]+ has the highest goodput, "));
  EXPECT_THAT(finished.out, HasSubstr("\nResults: results/t-1\n"));
}

TEST_F(Output, a_column_of_factors_is_named_after_what_they_scale) {
  write("scaled.yaml",
        small_scenario("{name: cas}", "sweep: {grid: {platform.nic.scale.atomics: [0.5x, 2x]}}\n"));
  EXPECT_THAT(latchlab({"run", "scaled.yaml"}).out, ContainsRegex("^lock +scale\\.atomics +"));
}

TEST_F(Output, a_single_lock_has_a_conclusion_too) {
  write("one.yaml", small_scenario("{name: cas}"));
  EXPECT_THAT(latchlab({"run", "one.yaml"}).out,
              ContainsRegex("\nWith 4 clients: the goodput of cas is [0-9.]+ [Mk]?/s; acquisitions "
                            "take [0-9.]+ us at the median and [0-9.]+ us at p99\\.\n"));
  write("some.yaml",
        small_scenario("{name: cas}", "sweep: {grid: {platform.clients_per_node: [1, 2]}}\n"));
  EXPECT_THAT(
      latchlab({"run", "some.yaml"}).out,
      ContainsRegex("\nWith [0-9]+ clients?: cas has the highest goodput of its 2 points, .*; the "
                    "lowest is "));
}

TEST_F(Output, check_counts_points_and_runs_nothing) {
  write("small.yaml",
        small_scenario("{name: cas, backoff: none}", "sweep: {grid: {locks.count: [1, 2, 3]}}\n"));
  const Finished finished = latchlab({"check", "small.yaml", "--repeats", "2"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, StartsWith("small.yaml: fine: 3 points, 6 runs, about "));
  EXPECT_EQ(finished.err, "");
  EXPECT_FALSE(exists("results"));
  EXPECT_THAT(latchlab({"check", "small.yaml", "--set", "sweep.grid={locks.count: [1]}"}).out,
              HasSubstr("1 point, 1 run,"));
}

TEST_F(Output, warnings_name_the_value_to_set) {
  write("small.yaml", small_scenario("{name: dslr, lease: 1ms}"));
  const std::string warning =
      "warning: run.duration 400us is shorter than three timeouts of dslr (2ms each): set "
      "run.duration to 6ms\n";
  EXPECT_THAT(latchlab({"check", "small.yaml"}).out, StartsWith(warning));
  EXPECT_THAT(latchlab({"run", "small.yaml", "--out", "r"}).err, HasSubstr("latchlab: " + warning));
  EXPECT_THAT(dump_json(json("r/results.json")["manifest"]["warnings"]),
              HasSubstr("shorter than three timeouts of dslr"));
  EXPECT_THAT(latchlab({"check", "small.yaml", "--set", "run.duration=6ms"}).out,
              ::testing::Not(HasSubstr("warning")));
}

TEST_F(Output, every_list_names_all_entries) {
  const std::pair<const char*, std::vector<const char*>> kLists[] = {
      {"protocols", {"cas", "mcs", "dslr", "shiftlock", "sherman"}},
      {"workloads", {"micro", "range", "file_io"}},
      {"nics", {"connectx-5"}},
      {"scenarios", {"quickstart", "teaching/one-lock"}},
      {"checks", {"mutual_exclusion", "deadlock"}},
      {"profiles", {"paper", "repaired"}},
      {"experiments", {"shiftlock/table3"}},
      {"paths",
       {"locks.count", "platform.nic.atomic.window", "platform.nic.scale.atomics",
        "protocol.max_consecutive_writers"}},
      {"topics", {"atomic.window", "acquire_ns", "UNSAFE"}},
  };
  for (const auto& [what, names] : kLists) {
    SCOPED_TRACE(what);
    const Finished plain = latchlab({"list", what});
    const Finished as_json = latchlab({"list", what, "--json"});
    EXPECT_EQ(plain.code, 0);
    EXPECT_EQ(as_json.code, 0);
    const Json document = parse_json(as_json.out);
    ASSERT_TRUE(document.is_array());
    for (const char* name : names) {
      EXPECT_THAT(plain.out, HasSubstr(name));
      EXPECT_TRUE(std::any_of(document.begin(), document.end(), [&](const Json& entry) {
        return entry["name"] == name;
      })) << name;
    }
  }
}

TEST_F(Output, every_listed_scenario_can_be_checked_by_its_name) {
  for (const Json& entry : non_empty(parse_json(latchlab({"list", "scenarios", "--json"}).out))) {
    const Finished finished = latchlab({"check", entry["name"].get<std::string>()});
    EXPECT_EQ(finished.code, 0) << finished.err;
  }
}

TEST_F(Output, files_of_the_user_take_precedence_over_shipped_ones) {
  std::filesystem::create_directories(path("mine/scenarios"));
  write("mine/scenarios/quickstart.yaml", small_scenario("{name: cas}"));
  write("mine/scenarios/extra.yaml", small_scenario("{name: cas}", "description: my own\n"));
  EXPECT_THAT(latchlab({"check", "quickstart", "--data", "mine"}).out, HasSubstr("1 point,"));
  EXPECT_THAT(latchlab({"check", "extra"}, {{"LATCHLAB_DATA", "mine"}}).out, HasSubstr("fine"));
  EXPECT_THAT(latchlab({"list", "scenarios", "--data", "mine"}).out,
              ContainsRegex("extra +my own\n"));
}

TEST_F(Output, help_and_version_are_on_stdout) {
  const Finished version = latchlab({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, ContainsRegex("^latchlab [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"run", "--help"}, {"check", "--help"}}) {
    const Finished help = latchlab(arguments);
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr("Usage: latchlab"));
  }
  EXPECT_THAT(latchlab({"run", "--help"}).out, HasSubstr("Exit codes: 0 fine; 1 "));
}

TEST_F(Output, an_error_is_reported_if_the_output_is_full) {
  write("small.yaml", small_scenario("{name: cas}"));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"list", "protocols"},
                                                    {"check", "small.yaml"},
                                                    {"--version"},
                                                    {"run", "small.yaml", "--json"}}) {
    const Finished finished = start(arguments, {}, "/dev/full").wait();
    EXPECT_EQ(finished.code, 3) << arguments.front();
    EXPECT_THAT(finished.err, HasSubstr("cannot write"));
    EXPECT_THAT(finished.err, HasSubstr("No space left on device"));
  }
  EXPECT_TRUE(exists("results/small-1/results.json"));
}

}  // namespace
}  // namespace latchlab::cli_test
