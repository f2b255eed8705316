// What a run writes to disk, and that it is byte-identical on every machine and for every number of
// jobs.
#include <gmock/gmock.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;

const char* const kSweepFile =
    "sweep: {grid: {platform.clients_per_node: [1, 3], locks.count: [1, 8]}}\n";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expect_number_leaves(const Json& metrics) {
  for (const auto& [key, value] : non_empty(metrics.items())) {
    if (value.is_object()) {
      expect_number_leaves(value);
    } else {
      EXPECT_TRUE(value.is_number() || value.is_null() || key == "fingerprint" ||
                  (key == "batches" && value.size() == 20))
          << key << " is " << dump_json(value);
    }
  }
}

// Leaves of a point are counts, null, or {mean, ci95}.
void expect_interval_leaves(const Json& metrics) {
  for (const auto& [key, value] : non_empty(metrics.items())) {
    if (value.is_object() && value.contains("mean") && value.contains("ci95")) {
      EXPECT_TRUE(value["mean"].is_number()) << key << " is " << dump_json(value);
      EXPECT_TRUE(value["ci95"].is_number() || value["ci95"].is_null()) << key;
    } else if (value.is_object()) {
      expect_interval_leaves(value);
    } else {
      EXPECT_TRUE(value.is_number() || value.is_null() || key == "fingerprint")
          << key << " is " << dump_json(value);
    }
  }
}

class RunFiles : public Command {};

TEST_F(RunFiles, default_directories_take_the_next_free_number) {
  write("small.yaml", small_scenario("{name: cas}"));
  EXPECT_EQ(latchlab({"run", "small.yaml", "--quiet"}).code, 0);
  EXPECT_EQ(latchlab({"run", "small.yaml", "--quiet"}).code, 0);
  std::filesystem::create_directory(path("results/small-3"));
  const Finished last = latchlab({"run", "small.yaml"});
  EXPECT_EQ(last.code, 0);
  EXPECT_THAT(last.out, HasSubstr("Results: results/small-4\n"));
  for (const char* name : {"small-1", "small-2", "small-4"})
    for (const char* file :
         {"scenario.yaml", "results.json", "results.csv", "timing.json", "points/0000-0.json"})
      EXPECT_TRUE(exists(std::string("results/") + name + "/" + file)) << name << "/" << file;
  EXPECT_TRUE(std::filesystem::is_empty(path("results/small-3")));
}

TEST_F(RunFiles, out_names_the_directory_and_no_other_is_created) {
  write("small.yaml", small_scenario("{name: cas}"));
  std::filesystem::create_directory(path("empty"));
  EXPECT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "deep/down/here"}).code, 0);
  EXPECT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "empty"}).code, 0);
  EXPECT_TRUE(exists("deep/down/here/results.json"));
  EXPECT_TRUE(exists("empty/results.json"));
  EXPECT_FALSE(exists("results"));
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("empty")))
    found.push_back(entry.path().lexically_relative(path("empty")).string());
  EXPECT_THAT(found, ::testing::UnorderedElementsAre("scenario.yaml", "results.json", "results.csv",
                                                     "timing.json", "report.html", "points",
                                                     "points/0000-0.json"));
}

TEST_F(RunFiles, timing_json_has_the_date_of_the_run_in_utc) {
  const auto now = [] {
    char text[64] = "";
    const std::time_t time = std::time(nullptr);
    std::tm utc = {};
    ::gmtime_r(&time, &utc);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return std::string(text);
  };
  write("small.yaml", small_scenario("{name: cas}"));
  const std::string before = now();
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "r"}).code, 0);
  const std::string date = json("r/timing.json")["date"];
  EXPECT_LE(before, date);
  EXPECT_LE(date, now());
}

TEST_F(RunFiles, the_resolved_scenario_runs_again_to_the_same_results) {
  write("small.yaml", small_scenario("{name: shiftlock}", kSweepFile));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "first", "--seed", "5", "--set",
                      "workload.think_time=1us"})
                .code,
            0);
  const Finished again = latchlab({"run", "first/scenario.yaml", "--quiet", "--out", "second"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read("first/results.json"), read("second/results.json"));
  EXPECT_EQ(read("first/results.csv"), read("second/results.csv"));
  EXPECT_EQ(read("first/scenario.yaml"), read("second/scenario.yaml"));
}

TEST_F(RunFiles, results_json_has_the_documented_shape) {
  write("small.yaml", small_scenario("{name: mcs, label: queue}", kSweepFile));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "r", "--repeats", "3"}).code, 0);
  const Json results = json("r/results.json");
  ASSERT_TRUE(results.is_object());
  EXPECT_EQ(results["schema"], 1);
  EXPECT_EQ(results["manifest"]["scenario"], "small");
  EXPECT_EQ(results["manifest"]["backend"], "simgrid");
  EXPECT_EQ(results["manifest"]["complete"], true);
  EXPECT_TRUE(results["expectations"].is_array());
  ASSERT_EQ(results["points"].size(), 4u);
  for (const Json& point : results["points"]) {
    EXPECT_EQ(point["label"], "queue");
    EXPECT_EQ(point["status"], "ok");
    EXPECT_EQ(point["params"]["run"]["repeats"], 3);
    ASSERT_EQ(point["repeats"].size(), 3u);
    for (const Json& repeat : point["repeats"]) expect_number_leaves(repeat["metrics"]);
    expect_interval_leaves(point["metrics"]);
    for (const char* metric :
         {"goodput_ops_s", "cycle_ns.p99", "acquire_ns.mean", "acquire_write_ns.p50",
          "release_ns.p999", "open.count", "verbs_per_cycle.atomic", "background_verbs_s",
          "retry_share", "phases_ns.write.IA", "server_nic.utilisation.pipeline", "fairness.jain",
          "safety.checks", "recoveries", "aborted_acquisitions", "stationary", "engine.events"})
      EXPECT_FALSE(at_path(point["metrics"], metric).is_null()) << metric;
    EXPECT_GT(at_path(point["metrics"], "cycle_ns.mean.ci95").get<double>(), 0);
  }
  EXPECT_EQ(dump_json(results["points"][2]["axes"]),
            R"({"platform.clients_per_node":"3","locks.count":"1"})");
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

TEST_F(RunFiles, results_csv_has_one_row_per_point_and_repeat) {
  write("small.yaml", small_scenario("{name: cas, label: \"a, b\"}", kSweepFile));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "r", "--repeats", "2"}).code, 0);
  const std::vector<std::string> lines = lines_of(read("r/results.csv"));
  ASSERT_EQ(lines.size(), 1u + 4 * 2);
  EXPECT_THAT(lines[0], ::testing::StartsWith("point,label,platform.clients_per_node,locks.count,"
                                              "repeat,seed,status,goodput_ops_s,"));
  EXPECT_THAT(lines[0], HasSubstr(",verbs_per_cycle_detail.cas_8,"));
  const std::vector<std::string> names = split(lines[0]);
  const auto columns = std::count(lines[0].begin(), lines[0].end(), ',');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_THAT(lines[i], HasSubstr(",\"a, b\","));
    EXPECT_EQ(std::count(lines[i].begin(), lines[i].end(), ','), columns + 1) << lines[i];
    // The comma of the label shifts the cells by one. This lock has no server part, and recovers
    // nothing.
    const std::vector<std::string> cells = split(lines[i]);
    for (std::size_t cell = 3; cell < cells.size(); ++cell) {
      const std::string& name = names[cell - 1];
      const bool of_recoveries = name.starts_with("recovery_ns.") && name != "recovery_ns.count";
      EXPECT_EQ(cells[cell].empty(), name.starts_with("server_cpu.") || of_recoveries) << name;
    }
  }
}

class SameBytes : public Command {
 protected:
  // All locks, one point each; the two result files in one string.
  std::string results(const std::string& out, std::vector<std::string> arguments,
                      const Environment& environment = {}) {
    write("all.yaml",
          "schema: 1\nname: all\nplatform: {client_nodes: 2, clients_per_node: 4}\n"
          "locks: {count: 100}\n"
          "workload: {distribution: {kind: zipf, theta: 0.99}, read_ratio: 30%, think_time: "
          "{kind: exponential, mean: 1us}}\n"
          "run: {warmup: 100us, duration: 1ms, repeats: 2}\n"
          "sweep: {grid: {protocol.name: [cas, mcs, dslr, shiftlock]}}\n");
    arguments.insert(arguments.begin(), {"run", "all.yaml", "--quiet", "--out", out});
    EXPECT_EQ(latchlab(arguments, environment).code, 0);
    return read(out + "/results.json") + read(out + "/results.csv");
  }
  std::string fingerprint(const std::string& out) const {
    return json(out + "/results.json")["points"][0]["metrics"]["fingerprint"].get<std::string>();
  }
};

TEST_F(SameBytes, for_any_number_of_jobs_and_runs) {
  const std::string first = results("first", {"--jobs", "1"});
  EXPECT_GT(first.size(), 10'000u);
  EXPECT_EQ(results("again", {"--jobs", "1"}), first);
  EXPECT_EQ(results("two", {"--jobs", "2"}), first);
  EXPECT_EQ(results("many", {"--jobs", "16"}), first);
}

TEST_F(SameBytes, for_any_instruction_set_locale_and_time_zone) {
  const std::string first = results("first", {});
  EXPECT_EQ(results("old_cpu", {}, {{"GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-AVX2"}}), first);
  EXPECT_EQ(results("locale", {}, {{"LC_ALL", "de_DE.UTF-8"}, {"TZ", "Asia/Tokyo"}}), first);
}

TEST_F(SameBytes, but_another_seed_gives_another_run) {
  results("one", {"--seed", "1"});
  results("two", {"--seed", "2"});
  EXPECT_NE(fingerprint("one"), fingerprint("two"));
  EXPECT_EQ(json("two/results.json")["points"][0]["params"]["run"]["seed"], 2);
}

}  // namespace
}  // namespace latchlab::cli_test
