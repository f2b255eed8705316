// Figures of the report page, in a browser: what makes a line, what its name says, which points are
// drawn apart from it, and that a reader reaches all of it on a narrow screen and on paper.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/cli/report_page.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ReportFigures : public ReportPage {
 protected:
  Seen page_of(const std::string& protocol, const std::string& rest,
               const std::vector<std::string>& options = {}) {
    write("s.yaml", small_scenario(protocol, rest));
    std::vector<std::string> words = {"run", "s.yaml", "--out", "r", "--quiet"};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(latchlab(words).code, 0);
    settle();
    return again();
  }
  // The page made from stored results.
  Seen again() {
    EXPECT_EQ(latchlab({"report", "r"}).code, 0);
    Seen seen = look_at("r/report.html");
    expect_sound(seen);
    return seen;
  }
  // So short a window has hardly reached steady state; these tests do not check that.
  void settle() const {
    for (const auto& file : std::filesystem::directory_iterator(home() / "r/points"))
      change("r/points/" + file.path().filename().string(), R"(\"window.settled\":)", "1");
  }
};

const std::string kOneToEight = "platform.clients_per_node: [1, 2, 4, 8]";

TEST_F(ReportFigures, a_swept_parameter_is_in_the_names_of_lines_and_points) {
  const Seen seen = page_of("{name: shiftlock}",
                            "sweep: {grid: {protocol.max_consecutive_writers: [1, 4], "
                            "platform.clients_per_node: [1, 2, 4]}}\n");
  const auto names =
      ElementsAre("shiftlock max_consecutive_writers=1", "shiftlock max_consecutive_writers=4");
  EXPECT_EQ(figure(seen, "named-0")["title"], "Goodput (per second) by clients per node");
  EXPECT_THAT(legend(seen, "named-0"), names);
  EXPECT_EQ(figure(seen, "named-0")["strokes"], 2);
  EXPECT_THAT(legend(seen, "fairness"), names);
  EXPECT_THAT(legend(seen, "latencies"), names);
  EXPECT_THAT(seen.document, HasSubstr("shiftlock max_consecutive_writers=4 "));
  EXPECT_THAT(seen.document,
              HasSubstr(">shiftlock max_consecutive_writers=4, platform.clients_per_node=2<"));
}

TEST_F(ReportFigures, a_parameter_that_is_the_only_sweep_beside_locks_is_the_axis) {
  const Seen seen = page_of("{name: shiftlock}",
                            "sweep: {grid: {protocol.label: [a, b], "
                            "protocol.max_consecutive_writers: [1, 4, 16]}}\n");
  EXPECT_EQ(figure(seen, "named-0")["title"], "Goodput (per second) by max consecutive writers");
  EXPECT_THAT(legend(seen, "named-0"), ElementsAre("a", "b"));
  EXPECT_EQ(figure(seen, "named-0")["strokes"], 2);
}

TEST_F(ReportFigures, columns_and_metrics_can_be_axes) {
  const Seen seen = page_of("{name: cas}",
                            "sweep: {grid: {protocol.name: [cas, mcs], locks.count: [1, 100], "
                            "platform.clients_per_node: [1, 2, 4]}}\n"
                            "report: {figures: [{x: clients, y: p99, series: count}, "
                            "{x: goodput, y: p99}]}\n");
  EXPECT_EQ(figure(seen, "named-0")["title"], "Acquire p99 by clients");
  EXPECT_THAT(legend(seen, "named-0"), ElementsAre("cas, locks.count=1", "cas, locks.count=100",
                                                   "mcs, locks.count=1", "mcs, locks.count=100"));
  EXPECT_EQ(figure(seen, "named-0")["strokes"], 4);
  // One figure for each number of locks, each line over the number of clients.
  EXPECT_EQ(count(seen.facts, "named-1"), 2);
  EXPECT_THAT(legend(seen, "named-1"), ElementsAre("cas", "mcs"));
  EXPECT_EQ(figure(seen, "named-1")["strokes"], 2);
  EXPECT_EQ(figure(seen, "named-1")["marks"], 6);
}

TEST_F(ReportFigures, quotients_and_means_have_one_point_for_each_group) {
  const Seen seen = page_of(
      "{name: cas}",
      "sweep: {grid: {protocol.name: [cas, mcs], locks.count: [1, 100], "
      "platform.clients_per_node: [1, 2, 4]}}\n"
      "report: {figures: [{x: clients, y: p99, relative_to: label=mcs, mean_over: count}]}\n");
  const Json& shown = figure(seen, "named-0");
  EXPECT_EQ(shown["title"], "Acquire p99 relative to mcs, mean over locks.count by clients");
  EXPECT_THAT(legend(seen, "named-0"), ElementsAre("cas", "mcs"));
  EXPECT_EQ(shown["strokes"], 2);
  EXPECT_EQ(shown["marks"], 6);
  EXPECT_THAT(shown["tips"].get<std::vector<std::string>>(),
              Contains(AllOf(HasSubstr("mcs"), EndsWith("mean over locks.count: 1"))));
}

TEST_F(ReportFigures, of_the_variants_of_a_line_only_the_best_is_drawn) {
  const Seen seen = page_of(
      "{name: cas}",
      "sweep: {grid: {protocol: [{name: cas, backoff_initial: 1ms, label: slow}, {name: cas, "
      "backoff: none, label: quick}, mcs], platform.clients_per_node: [2, 4]}, best_of: {lines: "
      "{CAS: [slow, quick]}}}\nreport: {figures: [{x: clients, y: goodput}]}\n");
  const Json& shown = figure(seen, "named-0");
  EXPECT_THAT(legend(seen, "named-0"), ElementsAre("CAS", "mcs"));
  EXPECT_EQ(shown["marks"], 4) << "two lines at two points";
}

TEST_F(ReportFigures, variants_of_an_rnic_have_short_names) {
  const Seen seen =
      page_of("{name: cas}",
              "sweep: {grid: {platform.nic: [connectx-5, {base: connectx-5, atomic.window: 8}], " +
                  kOneToEight +
                  "}}\nreport: {figures: [{x: clients, y: goodput, series: platform.nic}, {x: "
                  "platform.nic, y: goodput, series: clients_per_node}]}\n");
  EXPECT_THAT(legend(seen, "named-0"), ElementsAre("connectx-5", "connectx-5 atomic.window=8"));
  EXPECT_EQ(figure(seen, "named-0")["strokes"], 2);
  EXPECT_EQ(figure(seen, "named-1")["title"], "Goodput (per second) by RNIC");
  EXPECT_THAT(seen.document, HasSubstr("<td>connectx-5 atomic.window=8</td>"));
  EXPECT_THAT(seen.document, HasSubstr("platform.nic=connectx-5 atomic.window=8, platform.cl"));
}

TEST_F(ReportFigures, points_with_a_verdict_break_lines_and_are_drawn_apart) {
  const Seen fine = page_of("{name: cas}", "sweep: {grid: {" + kOneToEight + "}}\n");
  EXPECT_EQ(figure(fine, "named-0")["strokes"], 1);
  EXPECT_EQ(figure(fine, "named-0")["apart"], 0);
  EXPECT_THAT(legend(fine, "named-0"), ElementsAre("cas"));

  change("r/points/0001-0.json", R"("status":)", R"("unsafe")");
  const Seen seen = again();
  const Json& shown = figure(seen, "named-0");
  EXPECT_EQ(shown["strokes"], 2);
  EXPECT_EQ(shown["apart"], 1);
  EXPECT_EQ(shown["marks"], 4);
  EXPECT_THAT(legend(seen, "named-0"), ElementsAre("cas", "UNSAFE: on no line"));
  EXPECT_THAT(shown["tips"].get<std::vector<std::string>>(),
              Contains(AllOf(HasSubstr("clients per node: 2;"), HasSubstr("; UNSAFE: two cl"))));
}

TEST_F(ReportFigures, starved_and_unsettled_points_are_drawn_apart_each_with_its_symbol) {
  page_of("{name: cas}", "sweep: {grid: {" + kOneToEight + "}}\n");
  change("r/points/0000-0.json", R"("status":)", R"("starved")");
  change("r/points/0003-0.json", R"(\"window.settled\":)", "0");
  const Seen seen = again();
  EXPECT_EQ(figure(seen, "named-0")["strokes"], 1);
  EXPECT_EQ(figure(seen, "named-0")["apart"], 2);
  EXPECT_THAT(legend(seen, "named-0"),
              ElementsAre("cas", "starved: on no line", "not settled: on no line"));
  EXPECT_THAT(legend(seen, "latencies"), ElementsAre("cas (not settled)"));
}

TEST_F(ReportFigures, every_switch_redraws_and_one_shows_the_tail_of_latencies) {
  const Seen seen = page_of("{name: cas}", "sweep: {grid: {" + kOneToEight + "}}\n");
  int flips = 0;
  for (const Json& each : non_empty(seen.facts["figures"]))
    for (const Json& flipped : each["switches"]) {  // some figures have none
      ++flips;
      EXPECT_EQ(flipped["outside"], false) << dump_json(flipped);
      EXPECT_GT(flipped["told"], 0) << dump_json(flipped);
    }
  EXPECT_GE(flips, 2);
  const Json& switches = figure(seen, "latencies")["switches"];
  ASSERT_EQ(switches.size(), 2);
  EXPECT_EQ(switches[1]["name"], "log tail");
  EXPECT_EQ(switches[1]["axes"][1], "share that took longer");
}

TEST_F(ReportFigures, everything_is_reachable_on_screens_of_any_width) {
  page_of("{name: shiftlock}",
          "sweep: {grid: {protocol.max_consecutive_writers: [1, 4], "
          "platform.nic: [connectx-5, {base: connectx-5, atomic.window: 8}]}}\n",
          {"--repeats", "3"});
  for (const int width : {390, 1200, 1920}) {
    SCOPED_TRACE(width);
    const Json facts = facts_at(width, "r/report.html");
    ASSERT_TRUE(facts.is_object());
    EXPECT_EQ(facts["width"], width);
    EXPECT_EQ(dump_json(facts["problems"]), "[]");
    EXPECT_LE(facts["sideways"], 0);
    EXPECT_GE(facts["tables"][0]["columns"], 25);
    for (const Json& table : non_empty(facts["tables"]))
      EXPECT_EQ(dump_json(table["unreachable"]), "[]") << table["name"];
    for (const Json& each : non_empty(facts["figures"])) {
      EXPECT_GT(each["marks"], 0) << each["id"];
      EXPECT_EQ(dump_json(each["beyond"]), "[]") << each["id"];
    }
  }
}

TEST_F(ReportFigures, every_column_is_printed_on_paper) {
  page_of("{name: shiftlock}",
          "sweep: {grid: {protocol.max_consecutive_writers: [1, 4], " + kOneToEight + "}}\n",
          {"--repeats", "3"});
  std::string paper = printed("r/report.html");
  std::replace(paper.begin(), paper.end(), '\n', ' ');  // headings may take two lines
  ASSERT_THAT(paper, HasSubstr(" Points "));
  const std::string table = paper.substr(paper.find(" Points "));
  for (const char* column :
       {"goodput /s", "p50", "p99.9", "writes", "atomics", "calls", "retries", "nic busy", "jain",
        "bypassed", "steady", "violations", "recoveries", "given up"})
    EXPECT_THAT(table, HasSubstr(fmt::format(" {} ", column)));
}

}  // namespace
}  // namespace latchlab::cli_test
