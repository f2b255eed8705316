// Figures of studies: which points make a curve, and what is written for gnuplot.

#include "tools/export/gnuplot.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "core/conclude/figure_lines.h"
#include "core/conclude/verdict.h"
#include "core/protocols/registry.h"
#include "tests/paths.h"

namespace latchlab::exporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Study {
  Scenario scenario;
  StudyOutcome outcome;
};

// Every point has run; its goodput is its number.
Study study_of(const std::string& rest) {
  const std::string text =
      "schema: 1\nname: s\nplatform: {client_nodes: 2, clients_per_node: 2}\n" + rest;
  auto parsed = parse_scenario({text, "s", LATCHLAB_SOURCE_DIR}, {}, protocol_infos(),
                               DataDirs{{LATCHLAB_SOURCE_DIR}});
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text();
    return {};
  }
  Study study{std::move(parsed).value(), {}};
  for (std::size_t i = 0; i < study.scenario.points.size(); ++i) {
    PointOutcome point;
    RepeatOutcome repeat;
    repeat.metrics.goodput_ops_s = static_cast<double>(i);
    point.repeats.emplace_back(repeat);
    study.outcome.points.push_back(point);
  }
  return study;
}

std::string curve(const FigureSeries& series) {
  std::string text = series.label + ":";
  for (const FigureValue& value : series.values) text += fmt::format(" {},{}", value.x, value.y);
  return text;
}

std::vector<std::string> curves(const FigureData& figure) {
  std::vector<std::string> all;
  for (const FigureSeries& series : figure.series) all.push_back(curve(series));
  return all;
}

TEST(Figures, without_a_report_goodput_is_drawn_over_the_first_numeric_axis) {
  const Study study =
      study_of("sweep: {grid: {protocol.name: [cas, mcs], platform.clients_per_node: [4, 1]}}\n");
  const auto figures = figures_of(study.scenario, study.outcome);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].x, "platform.clients_per_node");
  EXPECT_THAT(curves(figures[0]), ElementsAre("cas: 1,1 4,0", "mcs: 1,3 4,2"));
}

TEST(Figures, axes_that_a_figure_does_not_name_split_its_series) {
  const Study study = study_of(
      "protocol: {name: cas}\n"
      "sweep: {grid: {locks.count: [1, 10M], workload.read_ratio: [0%, 50%]}}\n"
      "report: {figures: [{x: workload.read_ratio, y: goodput_ops_s}]}\n");
  const auto figures = figures_of(study.scenario, study.outcome);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].x_kind, XKind::percent);
  EXPECT_THAT(curves(figures[0]),
              ElementsAre("cas, locks.count=1: 0,0 50,1", "cas, locks.count=10M: 0,2 50,3"));
}

TEST(Figures, values_that_are_not_numbers_keep_the_order_of_the_sweep) {
  const Study study = study_of(
      "sweep: {grid: {protocol.name: [mcs, cas]}}\n"
      "report: {figures: [{x: label, y: goodput_ops_s, series: run.repeats}]}\n");
  const auto figures = figures_of(study.scenario, study.outcome);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_THAT(figures[0].names, ElementsAre("mcs", "cas"));
  EXPECT_THAT(curves(figures[0]), ElementsAre("run.repeats=1: 0,0 1,1"));
}

TEST(Figures, a_swept_parameter_is_part_of_line_names_or_is_the_axis_if_alone) {
  const Study among = study_of(
      "protocol: {name: shiftlock}\n"
      "sweep: {grid: {protocol.max_consecutive_writers: [1, 4], platform.clients_per_node: [1, "
      "2]}}\n");
  EXPECT_THAT(curves(figures_of(among.scenario, among.outcome)[0]),
              ElementsAre("shiftlock max_consecutive_writers=1: 1,0 2,1",
                          "shiftlock max_consecutive_writers=4: 1,2 2,3"));
  const Study alone = study_of(
      "protocol: {name: shiftlock}\n"
      "sweep: {grid: {protocol.label: [a, b], protocol.max_consecutive_writers: [4, 1]}}\n");
  const auto figures = figures_of(alone.scenario, alone.outcome);
  EXPECT_EQ(figures[0].x, "protocol.max_consecutive_writers");
  EXPECT_THAT(curves(figures[0]), ElementsAre("a: 1,1 4,0", "b: 1,3 4,2"));
}

// cas has no lease: over the lease its line is flat, and in other figures it has one line.
TEST(Figures, a_lock_without_the_swept_parameter_has_one_line) {
  const Study over = study_of(
      "sweep: {grid: {protocol: [{name: dslr}, {name: cas}], protocol.lease: [1ms, 2ms]}}\n");
  EXPECT_THAT(curves(figures_of(over.scenario, over.outcome)[0]),
              ElementsAre("dslr: 1000,0 2000,1", "cas: 1000,2 2000,3"));
  const Study beside = study_of(
      "sweep: {grid: {protocol: [{name: dslr}, {name: cas}], protocol.lease: [1ms, 2ms], "
      "locks.count: [1, 2]}}\n");
  EXPECT_THAT(curves(figures_of(beside.scenario, beside.outcome)[0]),
              ElementsAre("dslr lease=1ms: 1,0 2,1", "dslr lease=2ms: 1,2 2,3", "cas: 1,4 2,5"));
}

TEST(Figures, the_number_of_clients_is_an_axis_whichever_key_changes_it) {
  const std::string figure = "report: {figures: [{x: clients, y: goodput_ops_s}]}\n";
  const Study one = study_of(
      "protocol: {name: cas}\nsweep: {grid: {platform.clients_per_node: [1, 4]}}\n" + figure);
  EXPECT_THAT(curves(figures_of(one.scenario, one.outcome)[0]), ElementsAre("cas: 2,0 8,1"));
  // Two points have eight clients: they are not on one line.
  const Study two = study_of(
      "protocol: {name: cas}\n"
      "sweep: {grid: {platform.client_nodes: [1, 2, 4], platform.clients_per_node: [2, 4]}}\n" +
      figure);
  EXPECT_THAT(curves(figures_of(two.scenario, two.outcome)[0]),
              ElementsAre("cas, platform.clients_per_node=2: 2,0 4,2 8,4",
                          "cas, platform.clients_per_node=4: 4,1 8,3 16,5"));
}

TEST(Figures, lists_that_are_zipped_are_one_axis) {
  const Study study = study_of(
      "protocol: {name: cas}\n"
      "sweep: {zip: [{locks.count: [1, 10], run.duration: [40ms, 20ms]}]}\n");
  EXPECT_THAT(curves(figures_of(study.scenario, study.outcome)[0]), ElementsAre("cas: 1,0 10,1"));
}

TEST(Figures, variants_of_an_rnic_are_series_under_short_names) {
  const Study study = study_of(
      "sweep: {grid: {platform.nic: [connectx-5, {base: connectx-5, atomic.window: 48}], "
      "protocol.name: [cas, mcs], platform.clients_per_node: [1, 2]}}\n"
      "report: {figures: [{x: platform.clients_per_node, y: goodput_ops_s, series: "
      "platform.nic}]}\n");
  EXPECT_THAT(curves(figures_of(study.scenario, study.outcome)[0]),
              ElementsAre("cas, connectx-5: 1,0 2,1", "mcs, connectx-5: 1,2 2,3",
                          "cas, connectx-5 atomic.window=48: 1,4 2,5",
                          "mcs, connectx-5 atomic.window=48: 1,6 2,7"));
}

TEST(Figures, over_a_metric_a_line_follows_the_order_of_the_sweep) {
  Study study = study_of(
      "protocol: {name: cas}\nsweep: {grid: {platform.clients_per_node: [1, 2, 3]}}\n"
      "report: {figures: [{x: fairness.jain, y: goodput_ops_s}]}\n");
  for (const std::size_t i : {0U, 1U, 2U})
    study.outcome.points[i].repeats[0]->metrics.fairness.jain = i == 1 ? 1 : 0.5;
  EXPECT_THAT(curves(figures_of(study.scenario, study.outcome)[0]),
              ElementsAre("cas: 0.5,0 1,1 0.5,2"));
}

// ALock's Figure 4: relative to one budget, averaged over localities.
TEST(Figures, y_may_be_a_quotient_and_a_mean_over_an_axis) {
  Study study = study_of(
      "protocol: {name: alock}\n"
      "sweep: {grid: {protocol.remote_budget: [5, 10], platform.clients_per_node: [1, 2], "
      "locks.count: [20, 100]}}\n"
      "report: {figures: [{x: remote_budget, y: goodput, relative_to: remote_budget=5, "
      "mean_over: clients_per_node}, {x: remote_budget, y: goodput, mean_over: "
      "clients_per_node}]}\n");
  ASSERT_TRUE(name_figures(study.scenario));
  auto& points = study.outcome.points;
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i].repeats[0]->metrics.goodput_ops_s = 10.0 + static_cast<double>(i);
  const auto figures = figures_of(study.scenario, study.outcome);
  ASSERT_EQ(figures.size(), 2U);
  const auto mean = [](double a, double b) { return fmt::format("{}", (a + b) / 2); };
  EXPECT_THAT(curves(figures[0]),
              ElementsAre("alock, locks.count=20: 5,1 10," + mean(14.0 / 10, 16.0 / 12),
                          "alock, locks.count=100: 5,1 10," + mean(15.0 / 11, 17.0 / 13)));
  EXPECT_THAT(curves(figures[1]), ElementsAre("alock, locks.count=20: 5,11 10,15",
                                              "alock, locks.count=100: 5,12 10,16"));
  EXPECT_EQ(figures[0].y_words,
            " relative to remote_budget=5, mean over platform.clients_per_node");
  const auto files = gnuplot_files("t", figures, {});
  EXPECT_THAT(files[1].second, HasSubstr("set ylabel 'Goodput relative to remote_budget=5, mean "
                                         "over platform.clients_per_node'"));
}

TEST(Figures, a_quotient_is_by_the_same_point_of_another_lock_and_by_repeats) {
  Study study = study_of(
      "run: {repeats: 3}\n"
      "sweep: {zip: [{protocol: [{name: cas}, {name: mcs}], run.warmup: [1ms, 2ms]}], "
      "grid: {locks.count: [1, 2]}}\n"
      "report: {figures: [{x: locks.count, y: goodput, relative_to: label=mcs}]}\n");
  ASSERT_TRUE(name_figures(study.scenario));
  for (std::size_t i = 0; i < 4; ++i) {
    PointOutcome& point = study.outcome.points[i];
    point.repeats.resize(1);
    for (int r = 1; r <= 3; ++r) {
      if (r > 1) point.repeats.push_back(point.repeats[0]);
      const bool cas = study.scenario.points[i].protocol.name == "cas";
      point.repeats.back()->metrics.goodput_ops_s = r * (cas ? 20.0 : 10.0);
    }
  }
  const auto figures = figures_of(study.scenario, study.outcome);
  // A window that each lock has one of is no part of a line's name.
  EXPECT_THAT(curves(figures[0]), ElementsAre("cas: 1,2 2,2", "mcs: 1,1 2,1"));
  // Each repeat has the quotient 2.
  EXPECT_EQ(figures[0].series[0].values[0].ci95, 0);
  // A point is drawn apart if the one by which it is divided is, and not at all without that one.
  study.outcome.points[1].repeats[0]->status = RepeatStatus::unsafe;
  for (auto& repeat : study.outcome.points[3].repeats) repeat->status = RepeatStatus::failed;
  const auto without = figures_of(study.scenario, study.outcome);
  EXPECT_THAT(curves(without[0]), ElementsAre("cas: 1,2", "mcs: 1,1"));
  EXPECT_EQ(without[0].series[0].values[0].apart, "UNSAFE");
  EXPECT_EQ(without[0].series[1].values[0].apart, "UNSAFE");
}

TEST(Figures, points_with_a_verdict_are_drawn_apart_and_those_without_numbers_not_at_all) {
  Study study =
      study_of("protocol: {name: cas}\nsweep: {grid: {platform.clients_per_node: [1, 2, 3, 4]}}\n");
  auto& points = study.outcome.points;
  points[0].repeats[0]->status = RepeatStatus::unsafe;
  points[1].repeats[0]->metrics.window.settled = 0;
  points[1].repeats[0]->metrics.safety.checks = 1;
  points[2].repeats[0]->metrics.window.settled = 1;
  points[3].repeats[0]->status = RepeatStatus::failed;
  const auto figures = figures_of(study.scenario, study.outcome);
  EXPECT_THAT(curves(figures[0]), ElementsAre("cas: 1,0 2,1 3,2"));
  EXPECT_EQ(figures[0].series[0].values[0].apart, "UNSAFE");
  EXPECT_EQ(figures[0].series[0].values[1].apart, "not settled");
  EXPECT_EQ(figures[0].series[0].values[2].apart, "");
  EXPECT_EQ(why_apart(points[3]), "FAILED");
  for (PointOutcome& point : points) point.repeats[0]->status = RepeatStatus::failed;
  EXPECT_THAT(figures_of(study.scenario, study.outcome), IsEmpty());
}

TEST(GnuplotText, is_escaped) {
  EXPECT_EQ(gnuplot_text("its_a^{b} @&\\n"), "'its_a^{b} @&\\n'");
  EXPECT_EQ(gnuplot_text("it's_a^{b} @&\\n"), R"("it\047s_a^\173b\175 \100&\134n")");
  EXPECT_EQ(gnuplot_text("'quoted'"), R"("\047quoted\047")");
  EXPECT_EQ(gnuplot_text("a\nplot sin(x)"), "'a plot sin(x)'");
  EXPECT_EQ(gnuplot_tic("50%"), "'50%%'");
}

TEST(GnuplotFiles, wide_ranges_are_logarithmic_and_units_are_scaled) {
  FigureData figure;
  figure.x = "platform.clients_per_node";
  figure.y = "acquire_ns.p999";
  figure.series = {{"cas", {{1, "1", 2'000, 10}, {48, "48", 90'000, std::nullopt}}}};
  const auto files = gnuplot_files("t", {figure}, {});
  ASSERT_EQ(files.size(), 3U);
  EXPECT_THAT(files[0].second, HasSubstr("1\t2000\t10\n48\t90000\t0\n"));
  EXPECT_THAT(files[1].second, HasSubstr("set ylabel 'Acquire latency p99.9 (µs)'"));
  EXPECT_THAT(files[1].second, HasSubstr("set logscale x\n"));
  EXPECT_THAT(files[1].second, HasSubstr("set logscale y\n"));
  EXPECT_THAT(files[1].second, HasSubstr("with yerrorbars"));
  figure.series[0].values = {{1, "1", 2'000, {}}, {2, "2", 3'000, {}}};
  const auto narrow = gnuplot_files("t", {figure}, {});
  EXPECT_THAT(narrow[1].second, Not(HasSubstr("logscale")));
  EXPECT_THAT(narrow[1].second, Not(HasSubstr("with yerrorbars")));
}

TEST(GnuplotFiles, points_drawn_apart_break_the_line_and_have_a_symbol) {
  FigureData figure;
  figure.x = "clients";
  figure.y = "goodput_ops_s";
  figure.series = {{"cas",
                    {{1, "1", 10},
                     {2, "2", 20},
                     {3, "3", 30, {}, "UNSAFE"},
                     {4, "4", 40},
                     {5, "5", 50, {}, "starved"}}}};
  const auto files = gnuplot_files("t", {figure}, {});
  EXPECT_THAT(files[0].second, HasSubstr("# series: cas\n1\t10\t0\n2\t20\t0\n\n4\t40\t0\n\n\n"
                                         "# series: cas, apart: UNSAFE\n3\t30\t0\n\n\n"
                                         "# series: cas, apart: starved\n5\t50\t0\n"));
  const std::string& script = files[1].second;
  EXPECT_THAT(script, HasSubstr("index 0 using 1:($2/1) with linespoints linetype 1 title 'cas'"));
  EXPECT_THAT(script, HasSubstr("index 1 using 1:($2/1) with points linetype 1 notitle"));
  EXPECT_THAT(script, HasSubstr("pointtype 2 pointsize 1.5 title 'UNSAFE'"));
  EXPECT_THAT(script, HasSubstr("pointtype 1 pointsize 1.5 title 'starved'"));
}

TEST(GnuplotFiles, a_measured_axis_has_a_unit) {
  FigureData figure;
  figure.x = "acquire_ns.p50";
  figure.y = "goodput_ops_s";
  figure.x_kind = XKind::measured;
  figure.series = {{"cas", {{2'000, "", 10}, {3'000, "", 20}}}};
  const auto files = gnuplot_files("t", {figure}, {});
  EXPECT_THAT(files[1].second, HasSubstr("set xlabel 'Acquire latency p50 (µs)'"));
  EXPECT_THAT(files[1].second, HasSubstr("using ($1/1000):($2/1)"));
}

}  // namespace
}  // namespace latchlab::exporting
