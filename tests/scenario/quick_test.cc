// What a quick run leaves out of a scenario.
#include "core/scenario/quick.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The time budget: a second of work stands for a millisecond of a window.
double work_of(const Point& point) {
  return (point.run.earliest() + point.run.duration).seconds() * 1e3;
}

struct Looked {
  std::vector<std::string> cuts;
  Scenario before, after;
};

Looked look(const std::string& text, double budget = 1e9) {
  const auto whole = parse(text);
  if (!whole) {
    ADD_FAILURE() << whole.error().text();
    return {};
  }
  const auto quick = quick_look(whole.value(), protocols(), work_of, budget);
  if (!quick) {
    ADD_FAILURE() << quick.error().text();
    return {};
  }
  const auto cut = parse(text, quick.value().overrides);
  if (!cut) {
    ADD_FAILURE() << cut.error().text();
    return {};
  }
  EXPECT_THAT(cut.value().warning_texts(), ::testing::Not(::testing::Contains(::testing::HasSubstr(
                                               "speak of points that --set has taken away"))));
  return {quick.value().cuts, whole.value(), cut.value()};
}

std::vector<std::string> values_of(const Scenario& scenario, const std::string& axis) {
  std::vector<std::string> values;
  for (const Point& point : scenario.points)
    for (const auto& [path, value] : point.axes)
      if (path == axis && std::find(values.begin(), values.end(), value) == values.end())
        values.push_back(value);
  return values;
}

TEST(QuickLook, leaves_a_small_scenario_as_it_is) {
  const Looked small = look(scenario(
      "run: {warmup: 1ms, duration: 9ms, repeats: 3}\nsweep: {grid: {locks.count: [1, 2, 3]}}\n"));
  EXPECT_THAT(small.cuts, IsEmpty());
  EXPECT_EQ(small.after.resolved_yaml, small.before.resolved_yaml);
}

TEST(QuickLook, keeps_the_ends_and_the_middle_of_numeric_axes_and_all_other_values) {
  const Looked cut = look(
      "schema: 1\nname: t\nsweep:\n  grid:\n    protocol: [{name: cas}, {name: mcs}, {name: dslr}, "
      "{name: shiftlock}]\n    platform.clients_per_node: [1, 2, 4, 8, 16]\n"
      "  zip:\n    - {locks.count: [1k, 10k, 100k, 1M], run.seed: [1, 2, 3, 4]}\n");
  EXPECT_THAT(values_of(cut.after, "protocol"), ElementsAre("cas", "mcs", "dslr", "shiftlock"));
  EXPECT_THAT(values_of(cut.after, "platform.clients_per_node"), ElementsAre("1", "4", "16"));
  EXPECT_THAT(values_of(cut.after, "locks.count"), ElementsAre("1k", "100k", "1M"));
  EXPECT_THAT(values_of(cut.after, "run.seed"), ElementsAre("1", "3", "4"));
  EXPECT_EQ(cut.after.points.size(), 4u * 3 * 3);
  EXPECT_THAT(cut.cuts, ElementsAre("platform.clients_per_node: 3 of 5 values",
                                    "locks.count, run.seed: 3 of 4 values"));
}

TEST(QuickLook, keeps_the_points_by_which_a_figure_divides) {
  const Looked cut = look(scenario(
      "sweep: {grid: {locks.count: [1, 2, 3, 4, 5, 6]}}\n"
      "report: {figures: [{x: locks.count, y: goodput_ops_s, relative_to: locks.count=2}]}\n"));
  EXPECT_THAT(values_of(cut.after, "locks.count"), ElementsAre("1", "2", "4", "6"));
}

TEST(QuickLook, keeps_points_of_published_figures) {
  const Looked cut = look(scenario(
      "sweep: {grid: {locks.count: [1, 2, 3, 4, 5, 6], workload.read_ratio: [0%, 50%]}}\n"
      "expect:\n  - {id: a, kind: order, metric: goodput_ops_s, where: {workload.read_ratio: 50%}, "
      "over: locks.count, order: [5, 2], source: s, use: validation}\n"));
  EXPECT_THAT(values_of(cut.after, "locks.count"), ElementsAre("1", "2", "4", "5", "6"));
  EXPECT_EQ(cut.after.expectations.size(), 1u);
}

TEST(QuickLook, divides_windows_until_they_fit_including_swept_ones) {
  const std::string text =
      "run: {warmup: 4ms, duration: 16ms, repeats: 5}\nprotocol: {name: cas}\n"
      "schema: 1\nname: t\nsweep: {zip: [{locks.count: [1, 2], run.warmup: [4ms, 24ms]}]}\n";
  // 3 repeats of 20 ms and of 40 ms: a third of them fits.
  const Looked cut = look(text, 60);
  EXPECT_EQ(cut.after.points[0].run.repeats, 3u);
  EXPECT_EQ(cut.after.points[0].run.duration, microseconds(5'333));
  EXPECT_EQ(*cut.after.points[0].run.warmup, microseconds(1'333));
  EXPECT_EQ(*cut.after.points[1].run.warmup, milliseconds(8));
  EXPECT_THAT(cut.cuts, ElementsAre("run.repeats: 3 of 5",
                                    "run.warmup and run.duration: divided by 3, at least 1ms"));
}

TEST(QuickLook, keeps_windows_as_long_as_their_leases_and_timeouts) {
  const auto shortest = [](const std::string& rest) {
    return look(
               "schema: 1\nname: t\nprotocol: {name: dslr, lease: 2ms}\n"
               "run: {warmup: 1us, duration: 100ms}\n" +
                   rest,
               1e-3)
        .after.points.front()
        .run;
  };
  EXPECT_EQ(shortest("").duration, milliseconds(1));
  EXPECT_EQ(*shortest("").warmup, microseconds(1)) << "it was short before";
  EXPECT_EQ(shortest("workload: {think_time: 300us}\n").duration, milliseconds(3));
  // A timeout of two leases.
  EXPECT_EQ(shortest("faults: [{kind: skip_release, probability: 1%}]\n").duration,
            milliseconds(4));
}

TEST(QuickLook, keeps_swept_windows_as_long_as_the_points_of_their_step_need) {
  const Looked cut = look(
      "schema: 1\nname: t\nprotocol: {name: cas}\nrun: {warmup: 0us, repeats: 1}\n"
      "sweep: {zip: [{workload.think_time: [0us, 1ms], run.duration: [1s, 1s]}]}\n",
      16);
  EXPECT_EQ(cut.after.points[0].run.duration, milliseconds(8));
  EXPECT_EQ(cut.after.points[1].run.duration, milliseconds(10)) << "ten times the think time";
  EXPECT_THAT(cut.cuts, ElementsAre("run.warmup and run.duration: divided by 125, at least 1ms to "
                                    "10ms"));
}

TEST(QuickLook, has_one_repeat_and_then_two_values_of_an_axis_if_the_shortest_windows_do_not_fit) {
  const std::string text = scenario(
      "run: {warmup: 0ms, duration: 1ms, repeats: 3}\nsweep: {grid: {locks.count: [1, 2, 3]}}\n");
  EXPECT_THAT(look(text, 9).cuts, testing::IsEmpty());
  EXPECT_THAT(look(text, 8).cuts, ElementsAre("run.repeats: 1 of 3"));
  EXPECT_THAT(look(text, 2).cuts, ElementsAre("locks.count: 2 of 3 values", "run.repeats: 1 of 3"));
}

TEST(QuickLook, does_not_shorten_windows_with_events_at_given_times) {
  const Looked cut = look(scenario("run: {warmup: 1ms, duration: 100ms, repeats: 3}\n"
                                   "faults: [{kind: client_crash, client: 0, at: 3ms}]\n"),
                          1e-3);
  EXPECT_EQ(cut.after.points.front().run.duration, milliseconds(100));
  EXPECT_THAT(cut.cuts, ElementsAre("run.repeats: 1 of 3"));
}

TEST(QuickLook, keeps_a_hundred_intervals_of_a_series) {
  const Looked cut = look(scenario("run: {warmup: 0ms, duration: 1s, series: 200us}\n"), 1e-3);
  EXPECT_EQ(cut.after.points.front().run.duration, milliseconds(20));
}

TEST(QuickLook, does_not_repeat_until_a_precision_is_reached) {
  const Looked cut = look(scenario("run: {precision: 1%, repeats: 3}\n"));
  EXPECT_EQ(cut.after.points.front().run.precision_ppb, 0);
}

}  // namespace
}  // namespace latchlab::scenario_test
