// The page of one run or several: where it is written, what it contains, what is refused.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Report : public Command {
 protected:
  void run(const std::string& directory) {
    write("small.yaml", small_scenario("{name: cas}",
                                       "description: \"<b>&\"\nreport: {figures: [{x: "
                                       "clients, y: acquire_ns.p99}]}\n"));
    ASSERT_EQ(latchlab({"run", "small.yaml", "--out", directory, "--quiet"}).code, 0);
  }
  // The data inside the page.
  Json data(const std::string& page) const {
    const std::string text = read(page);
    const std::string start = "id=\"data\">";
    const std::size_t from = text.find(start) + start.size();
    return parse_json(text.substr(from, text.find("</script>", from) - from));
  }
};

TEST_F(Report, a_run_writes_its_page_and_stored_results_give_the_same) {
  run("r");
  const std::string first = read("r/report.html");
  ASSERT_THAT(first, HasSubstr("<!DOCTYPE html>"));
  const Finished again = latchlab({"report", "r"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, "Report: r/report.html\n");
  EXPECT_EQ(read("r/report.html"), first);
}

TEST_F(Report, the_page_contains_the_results_and_data_that_they_lack) {
  run("r");
  const Json part = data("r/report.html")["parts"][0];
  const Json results = json("r/results.json");
  EXPECT_EQ(part["results"]["points"][0]["metrics"], results["points"][0]["metrics"]);
  EXPECT_EQ(part["results"]["manifest"], results["manifest"]);
  EXPECT_EQ(part["scenario"], read("r/scenario.yaml"));
  EXPECT_EQ(part["figures"], parse_json(R"([{"x":"clients","y":"acquire_ns.p99",
                                              "series":"label","measured":false,"apart":[],
                                              "line":["cas"],"at":["4"]}])"));
  const Json& curve = part["points"][0]["acquire"];
  ASSERT_GT(curve.size(), 1);
  EXPECT_LE(curve.size(), 200);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    EXPECT_LT(curve[i - 1][0], curve[i][0]);
    EXPECT_LT(curve[i - 1][1], curve[i][1]);
  }
  EXPECT_EQ(curve.back()[0], number_at(results["points"][0]["metrics"], "acquire_ns.max"));
  EXPECT_EQ(curve.back()[1], 1'000'000);
  EXPECT_GT(part["nics"][0]["constants"].size(), 40);
}

TEST_F(Report, the_page_describes_metrics_that_only_some_workloads_measure) {
  run("r");
  const Json words = data("r/report.html")["metrics"];
  for (const char* metric : {"commits_s", "transaction_ns.p99", "false_conflict_share",
                             "open_loop.offered_s", "client_cpu.utilisation"})
    EXPECT_TRUE(words.contains(metric)) << metric;
}

TEST_F(Report, the_page_is_self_contained_and_forbids_the_network) {
  run("r");
  const std::string page = read("r/report.html");
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none';"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(page, Not(HasSubstr("<script src")));
  EXPECT_THAT(page, HasSubstr("\\u003cb\\u003e\\u0026"));  // of the scenario
  EXPECT_THAT(page, HasSubstr("Mike Bostock"));
}

TEST_F(Report, several_runs_share_a_page_that_names_them) {
  run("r");
  run("s");
  const Finished finished = latchlab({"report", "r", "s/"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.out, "Report: report.html\n");
  const Json parts = data("report.html")["parts"];
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0]["name"], "r");
  EXPECT_EQ(parts[1]["name"], "s");
}

TEST_F(Report, a_directory_that_is_no_run_is_refused_and_named) {
  EXPECT_THAT(latchlab({"report", "nowhere"}).err, HasSubstr("nowhere holds no run"));
  EXPECT_EQ(latchlab({"report", "nowhere"}).code, 2);
  EXPECT_EQ(latchlab({"report"}).code, 2);
  run("r");
  const Finished twice = latchlab({"report", "r", "./r"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("./r is named twice"));
  const Finished nowhere = latchlab({"report", "r", "--out", "no/such/page.html"});
  EXPECT_EQ(nowhere.code, 3);
  EXPECT_THAT(nowhere.err, HasSubstr("no/such/page.html"));
}

}  // namespace
}  // namespace latchlab::cli_test
