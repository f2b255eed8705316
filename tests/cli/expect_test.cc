// Published figures on the command line: what the program prints and writes, and what makes it
// fail.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Expect : public Command {
 protected:
  // One client, one lock: a CAS takes 1.8 us, so about 278.3 k/s.
  static std::string scenario(const std::string& expect) {
    return small_scenario("{name: cas, backoff: none}",
                          "expect: [{id: ideal, kind: value, metric: goodput_ops_s, where: {label: "
                          "cas}, source: s, " +
                              expect + "}]\n");
  }
  Finished run(const std::string& expect, const std::vector<std::string>& more = {}) {
    write("small.yaml", scenario(expect));
    std::vector<std::string> arguments = {"run", "small.yaml", "--out", "r" + std::to_string(++n_)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return latchlab(arguments);
  }

 private:
  int n_ = 0;
};

TEST_F(Expect, a_missed_calibration_fails_and_a_missed_validation_only_if_strict) {
  EXPECT_EQ(run("value: 1, use: calibration").code, 1);
  const Finished missed = run("value: 1, use: regression");
  EXPECT_EQ(missed.code, 1);
  EXPECT_THAT(missed.err,
              HasSubstr("latchlab: exit code 1, since this regression is missed: ideal: 1"));
  EXPECT_EQ(run("value: 1, use: validation").code, 0);
  EXPECT_EQ(run("value: 1, use: validation", {"--strict"}).code, 1);
  EXPECT_EQ(run("value: 1, use: calibration, disputed: unclear", {"--strict"}).code, 0);
  EXPECT_EQ(run("value: 1M, use: calibration, tolerance: 500%").code, 0);
}

TEST_F(Expect, figures_and_a_score_follow_the_table) {
  const Finished finished = run("value: 1k, use: validation, profile: paper");
  EXPECT_THAT(finished.out, ContainsRegex("\nfigure +published +predicted +ratio +verdict +use +"
                                          "profile\nideal +1.0 k +[0-9.]+ . +[0-9.]+ +off +"
                                          "validation +paper\n"));
  EXPECT_THAT(finished.out,
              ContainsRegex("\nScore: 0 of 1 figures within tolerance .0%., median "
                            ".log2.predicted/published.. [0-9.]+ .validation, profile paper.\n"));
}

TEST_F(Expect, results_contain_each_figure_and_the_scores) {
  EXPECT_EQ(run("value: 1k, use: validation, profile: paper").code, 0);
  const Json results = json("r1/results.json");
  const Json& figure = results["expectations"][0];
  EXPECT_EQ(figure["id"], "ideal");
  EXPECT_EQ(figure["kind"], "value");
  EXPECT_EQ(figure["published"], 1000);
  EXPECT_EQ(figure["predicted"], results["points"][0]["metrics"]["goodput_ops_s"]["mean"]);
  EXPECT_EQ(figure["verdict"], "off");
  EXPECT_EQ(figure["use"], "validation");
  EXPECT_EQ(figure["profile"], "paper");
  EXPECT_EQ(figure["source"], "s");
  EXPECT_GT(figure["log2_error"], 1.0);
  EXPECT_EQ(results["scores"][0]["cells"], 1);
  EXPECT_EQ(results["scores"][0]["within"], 0.0);
}

TEST_F(Expect, check_reports_figures_that_no_run_can_give) {
  write("point.yaml", scenario("value: 1, use: validation, where: {label: cass}"));
  write("metric.yaml", small_scenario("{name: cas}",
                                      "expect: [{id: a, kind: value, metric: "
                                      "goodput_op_s, value: 1, source: s, use: "
                                      "validation}]\n"));
  write("part.yaml", small_scenario("{name: cas}",
                                    "expect: [{id: a, kind: value, metric: "
                                    "acquire_ns, value: 1ns, source: s, use: "
                                    "validation}]\n"));
  EXPECT_EQ(latchlab({"check", "point.yaml"}).code, 2);
  const Finished metric = latchlab({"check", "metric.yaml"});
  EXPECT_EQ(metric.code, 2);
  EXPECT_THAT(metric.err, ContainsRegex("metric.yaml:[0-9]+: expectation 'a': there is no metric "
                                        "'goodput_op_s'; did you mean 'goodput_ops_s'.\n"));
  EXPECT_THAT(latchlab({"check", "part.yaml"}).err,
              HasSubstr("there is no metric 'acquire_ns'; choose one of acquire_ns.count, "));
}

TEST_F(Expect, a_point_that_failed_leaves_its_figures_undecided) {
  write("stuck.yaml",
        "schema: 1\nname: t\nplatform: {client_nodes: 1, clients_per_node: 4}\nlocks: {count: 1}\n"
        "protocol: {name: mcs}\nrun: {warmup: 100us, duration: 1ms}\n"
        "faults: [{kind: skip_release, probability: 20%}]\n"
        "expect: [{id: a, kind: value, metric: goodput_ops_s, value: 1, source: s, use: "
        "validation}]\n");
  EXPECT_EQ(latchlab({"run", "stuck.yaml", "--out", "r"}).code, 1);
  EXPECT_EQ(json("r/results.json")["expectations"][0]["verdict"], "undecided");
}

// This also finds a figure that its sweep does not contain, and a metric that does not exist. A
// file without figures is reported as such.
TEST_F(Command, every_published_experiment_can_be_run) {
  const std::filesystem::path papers =
      std::filesystem::path(LATCHLAB_SOURCE_DIR) / "scenarios/papers";
  int checked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(papers)) {
    if (entry.path().extension() != ".yaml") continue;
    const Finished finished = latchlab({"check", entry.path().string()});
    EXPECT_EQ(finished.code, 0) << finished.err;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_THAT(finished.out + text.str(),
                AnyOf(HasSubstr(" expectation"), HasSubstr("What was measured is not here")));
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace latchlab::cli_test
