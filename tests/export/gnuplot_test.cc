// Figures of studies: which points make a curve, and what gnuplot is told.

#include "tools/export/gnuplot.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

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

TEST(Figures, without_a_report_goodput_stands_over_the_first_axis_of_numbers) {
  const Study study =
      study_of("sweep: {grid: {protocol.name: [cas, mcs], platform.clients_per_node: [4, 1]}}\n");
  const auto figures = figures_of(study.scenario, study.outcome);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].x, "platform.clients_per_node");
  EXPECT_THAT(curves(figures[0]), ElementsAre("cas: 1,1 4,0", "mcs: 1,3 4,2"));
}

TEST(Figures, axes_that_a_figure_does_not_name_divide_its_series) {
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

TEST(Figures, values_that_are_no_numbers_stand_in_the_order_of_the_sweep) {
  const Study study = study_of(
      "sweep: {grid: {protocol.name: [mcs, cas]}}\n"
      "report: {figures: [{x: label, y: goodput_ops_s, series: run.repeats}]}\n");
  const auto figures = figures_of(study.scenario, study.outcome);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_THAT(figures[0].names, ElementsAre("mcs", "cas"));
  EXPECT_THAT(curves(figures[0]), ElementsAre("run.repeats=1: 0,0 1,1"));
}

TEST(Figures, points_without_a_usable_result_are_left_out) {
  Study study =
      study_of("protocol: {name: cas}\nsweep: {grid: {platform.clients_per_node: [1, 2, 3]}}\n");
  study.outcome.points[0].repeats[0].reset();
  study.outcome.points[1].repeats[0]->status = RepeatStatus::unsafe;
  EXPECT_THAT(unusable_points(study.outcome), ElementsAre(0U, 1U));
  EXPECT_THAT(curves(figures_of(study.scenario, study.outcome)[0]), ElementsAre("cas: 3,2"));
  study.outcome.points[2].repeats[0]->status = RepeatStatus::failed;
  EXPECT_THAT(figures_of(study.scenario, study.outcome), IsEmpty());
}

TEST(GnuplotText, has_no_meaning_for_gnuplot) {
  EXPECT_EQ(gnuplot_text("it's_a^{b} @&\\n"), "'it''s_a^{b} @&\\n'");
  EXPECT_EQ(gnuplot_text("a\nplot sin(x)"), "'a plot sin(x)'");
  EXPECT_EQ(gnuplot_tic("50%"), "'50%%'");
}

TEST(GnuplotFiles, wide_ranges_are_logarithmic_and_units_fit) {
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

}  // namespace
}  // namespace latchlab::exporting
