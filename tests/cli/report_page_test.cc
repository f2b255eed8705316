// The report page in a browser: it draws what it should, and no text of a scenario can make it do
// anything else.
#include "tests/cli/report_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ReportPage, of_the_quickstart_has_its_own_figures_and_those_of_every_run) {
  ASSERT_EQ(latchlab({"run", "quickstart", "--set", "run.warmup=200us", "--set",
                      "run.duration=400us", "--set", "locks.count=1k", "--repeats", "3", "--set",
                      "sweep.grid.platform.clients_per_node=[1, 2, 4]", "--out", "r", "--quiet"})
                .code,
            0);
  const Seen seen = look_at("r/report.html");
  expect_sound(seen);
  expect_marks(seen.facts);
  EXPECT_EQ(count(seen.facts, "named-"), 2);
  for (const char* id : {"latencies", "phases", "verbs", "utilisation", "fairness"})
    EXPECT_EQ(count(seen.facts, id), 1) << id;
  EXPECT_EQ(seen.facts["figures"][0]["marks"], 15);  // five locks, three numbers of clients
  EXPECT_THAT(seen.document, HasSubstr("No point failed."));
  EXPECT_THAT(seen.document, HasSubstr("class=\"band\""));
  // Every part of the page is present: descriptions of metrics, constants of the NIC, facts of the
  // run.
  EXPECT_THAT(seen.document, Not(HasSubstr("[object ")));
  EXPECT_THAT(seen.document, HasSubstr("goodput (per second)"));
  EXPECT_THAT(seen.document, HasSubstr("WP: wait for predecessor"));
  EXPECT_THAT(seen.document, HasSubstr("atomic.same_address"));
  EXPECT_THAT(seen.document, HasSubstr("<dt>seed</dt>"));
}

TEST_F(ReportPage, shows_goodput_through_the_window_where_intervals_are_asked_for) {
  write("small.yaml", small_scenario("{name: cas}"));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--out", "a", "--quiet"}).code, 0);
  EXPECT_EQ(count(look_at("a/report.html").facts, "timeline"), 0);
  ASSERT_EQ(latchlab({"run", "small.yaml", "--out", "b", "--quiet", "--set", "run.warmup=100us",
                      "--set", "run.duration=400us", "--set", "run.series=20us"})
                .code,
            0);
  const Seen seen = look_at("b/report.html");
  expect_sound(seen);
  ASSERT_EQ(count(seen.facts, "timeline"), 1);
  for (const auto& figure : seen.facts["figures"])
    if (figure["id"] == "timeline") {
      EXPECT_EQ(figure["numbers"], 20);
    }
}

TEST_F(ReportPage, shows_the_sensitivity_of_the_ranking) {
  write("two.yaml",
        "schema: 1\nname: two\nplatform: {client_nodes: 2, clients_per_node: 16}\n"
        "locks: {count: 1}\nrun: {duration: 4ms}\n"
        "sweep: {grid: {protocol: [{name: mcs}, {name: dslr}]}}\n");
  ASSERT_EQ(latchlab({"run", "two.yaml", "--out", "r", "--quiet", "--sensitivity"}).code, 0);
  const Seen seen = look_at("r/report.html");
  expect_sound(seen);
  EXPECT_THAT(seen.document, HasSubstr("Sensitivity of the ranking"));
  const Json found = json("r/sensitivity.json");
  EXPECT_THAT(seen.document, HasSubstr(found["says"][0].get<std::string>()));
  ASSERT_FALSE(found["moved"].empty());
  EXPECT_THAT(seen.document, HasSubstr("What moves a ratio by more than 2%"));
}

// The page of a lock that is last in one run and alone in another.
TEST_F(ReportPage, a_lock_has_one_colour_and_compared_runs_are_shown_side_by_side) {
  write("two.yaml",
        small_scenario("{name: cas}", "sweep: {grid: {protocol: [{name: dslr}, {name: mcs}]}}\n"));
  ASSERT_EQ(latchlab({"run", "two.yaml", "--out", "a", "--quiet"}).code, 0);
  ASSERT_EQ(latchlab({"run", "two.yaml", "--out", "b", "--quiet", "--set",
                      "sweep.grid.protocol=[{name: mcs}]"})
                .code,
            0);
  const auto colour_in = [](const std::string& document, const std::string& figure) {
    const std::size_t begin = document.find("data-figure=\"" + figure);
    const std::size_t legend = document.find("aria-label=\"show mcs\"", begin);
    const std::size_t colour = document.find("var(--s", legend);
    return document.substr(colour, 9);
  };
  const Seen both = look_at("a/report.html"), alone = look_at("b/report.html");
  EXPECT_EQ(colour_in(both.document, "named-0"), colour_in(alone.document, "named-0"));
  EXPECT_EQ(colour_in(both.document, "named-0"), "var(--s2)");
  ASSERT_EQ(latchlab({"compare", "a", "b", "--out", "page.html"}).code, 0);
  const Seen compared = look_at("page.html");
  expect_sound(compared);
  EXPECT_THAT(compared.document, HasSubstr("b beside a"));
  EXPECT_THAT(compared.document, HasSubstr("Only in a: 1"));
  EXPECT_THAT(compared.document, HasSubstr("<caption>b over a</caption>"));
}

// Like a run on hardware without guard words.
TEST_F(ReportPage, does_not_call_an_unchecked_run_ok) {
  write("small.yaml", small_scenario("{name: cas}"));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--out", "a", "--quiet"}).code, 0);
  change("a/points/0000-0.json", R"(\"safety.checks\":)", "null");
  change("a/points/0000-0.json", R"("backend":)", R"("ibverbs on rxe0")");
  ASSERT_EQ(latchlab({"report", "a", "--out", "page.html"}).code, 0);
  const Seen seen = look_at("page.html");
  expect_sound(seen);
  EXPECT_THAT(seen.document, HasSubstr("Unchecked: 1 of 1 points."));
  EXPECT_THAT(seen.document, Not(HasSubstr("<strong>No point failed.")));
  EXPECT_THAT(seen.document, HasSubstr("<p>Measured on hardware: no two runs give the same.</p>"));
  EXPECT_THAT(seen.document, Not(HasSubstr("<p>Every constant of the simulated RNIC.")));
}

TEST_F(ReportPage, shows_a_known_verdict_as_known_with_its_reason) {
  write("known.yaml",
        small_scenario("{name: mcs}",
                       "faults: [{kind: skip_release, probability: 50%}]\n"
                       "known: [{where: {}, verdict: stuck, why: releases are forgotten}]\n"));
  ASSERT_EQ(latchlab({"run", "known.yaml", "--out", "r", "--quiet"}).code, 0);
  const Seen seen = look_at("r/report.html");
  expect_sound(seen);
  EXPECT_THAT(seen.document, HasSubstr("Known: DEADLOCK: 1 of 1 points. </strong>Releases are "
                                       "forgotten."));
  EXPECT_THAT(seen.document, HasSubstr("DEADLOCK (known)</td>"));
  EXPECT_THAT(seen.document, Not(HasSubstr("class=\"box bad\"")));
}

// One page for three runs: hostile texts, a single point, and points that failed.
TEST_F(ReportPage, withstands_hostile_texts_and_shows_failed_points) {
  const std::string label = "<img src=x onerror=window.executedFromData=true>";
  const std::string text =
      "</script><script>window.executedFromData=true</script>"
      "<img src=http://127.0.0.1:9/x onerror=window.executedFromData=true>&lt;\\u2028{{script}}";
  write(
      "hostile.yaml",
      small_scenario("{name: cas, label: \"" + label + "\"}",
                     fmt::format("description: \"{0}\"\n"
                                 "expect: [{{id: a, kind: value, metric: goodput_ops_s, value: 1, "
                                 "use: validation, source: \"{0}\"}}]\n"
                                 "report: {{figures: [{{x: clients, y: goodput_ops_s}}, "
                                 "{{x: clients, y: open_loop.offered_s}}]}}\n",
                                 text)));
  write("one.yaml", small_scenario("{name: mcs}"));
  write("stuck.yaml",
        small_scenario("{name: mcs}", "faults: [{kind: skip_release, probability: 50%}]\n"));
  ASSERT_EQ(latchlab({"run", "hostile.yaml", "--out", "a", "--quiet"}).code, 0);
  ASSERT_EQ(latchlab({"run", "one.yaml", "--out", "b", "--quiet"}).code, 0);
  ASSERT_EQ(latchlab({"run", "stuck.yaml", "--out", "c", "--quiet"}).code, 1);
  ASSERT_EQ(latchlab({"report", "a", "b", "c", "--out", "page.html"}).code, 0);
  const Seen seen = look_at("page.html");
  expect_sound(seen);
  EXPECT_EQ(count(seen.facts, "named-"), 4);  // two of the first run, one of each other run
  EXPECT_EQ(count(seen.facts, "together-"), 1);
  EXPECT_THAT(seen.document, HasSubstr("DEADLOCK: 1 of 1 points."));
  EXPECT_THAT(seen.document, HasSubstr("No point has a value for"));
  EXPECT_THAT(seen.document, HasSubstr("&lt;img src=http://127.0.0.1:9/x"));
  EXPECT_THAT(seen.document, Not(HasSubstr("<img")));
}

}  // namespace
}  // namespace latchlab::cli_test
