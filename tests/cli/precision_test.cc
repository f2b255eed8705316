// Repeats that are added until a confidence interval is narrow enough.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;

const char* const kTwoLocksToPrecision =
    "sweep: {grid: {protocol: [{name: cas, backoff: none}, {name: mcs}]}}\n";

class Precision : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    write("two.yaml", small_scenario("{name: cas}", kTwoLocksToPrecision));
  }
  Finished run(const std::string& out, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "two.yaml", "--quiet", "--out", out});
    return latchlab(more);
  }
  std::size_t repeats(const std::string& out, std::size_t point) const {
    return json(out + "/results.json")["points"][point]["repeats"].size();
  }
};

TEST_F(Precision, adds_repeats_until_the_interval_is_narrow) {
  ASSERT_EQ(run("wide", {"--set", "run.precision=100%"}).code, 0);
  EXPECT_EQ(repeats("wide", 0), 3u);
  ASSERT_EQ(run("narrow", {"--set", "run.precision=2%"}).code, 0);
  for (std::size_t point = 0; point < 2; ++point) {
    const Json goodput = json("narrow/results.json")["points"][point]["metrics"]["goodput_ops_s"];
    EXPECT_LE(goodput["ci95"].get<double>(), 0.02 * goodput["mean"].get<double>());
  }
  EXPECT_GT(repeats("narrow", 0) + repeats("narrow", 1), 6u);
}

TEST_F(Precision, gives_up_after_the_most_repeats) {
  ASSERT_EQ(run("r", {"--set", "run.precision=0.01%", "--set", "run.most_repeats=5"}).code, 0);
  EXPECT_EQ(repeats("r", 0), 5u);
}

TEST_F(Precision, applies_to_the_metric_that_is_named) {
  ASSERT_EQ(run("r", {"--set", "run.precision=0.01%", "--set", "run.precision_of=safety.violations",
                      "--set", "run.most_repeats=5"})
                .code,
            0);
  EXPECT_EQ(repeats("r", 0), 3u);  // a metric that never varies
}

TEST_F(Precision, results_do_not_depend_on_the_number_of_jobs_or_on_interruptions) {
  const std::vector<std::string> asked = {"--set", "run.precision=3%"};
  std::vector<std::string> alone = asked, again = asked;
  alone.insert(alone.end(), {"--jobs", "1"});
  again.insert(again.end(), {"--jobs", "4"});
  ASSERT_EQ(run("one", alone).code, 0);
  ASSERT_EQ(run("four", again).code, 0);
  EXPECT_EQ(read("one/results.json"), read("four/results.json"));
  const std::string whole = read("one/results.json");
  std::filesystem::remove(path("one/points/0001-2.json"));
  again.emplace_back("--resume");
  ASSERT_EQ(run("one", again).code, 0);
  EXPECT_EQ(read("one/results.json"), whole);
  EXPECT_EQ(latchlab({"report", "one"}).code, 0);
}

}  // namespace
}  // namespace latchlab::cli_test
