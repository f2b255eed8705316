// Which of two points is ahead, and when that is undecided.

#include "core/conclude/comparison.h"

#include <gtest/gtest.h>

namespace latchlab {
namespace {

PointOutcome point_of(const std::vector<double>& goodputs, std::uint64_t first_seed = 1) {
  PointOutcome point;
  for (const double goodput : goodputs) {
    RepeatOutcome repeat;
    repeat.seed = first_seed++;
    repeat.metrics.goodput_ops_s = goodput;
    point.repeats.emplace_back(repeat);
  }
  return point;
}

Comparison comparison_of(const PointOutcome& a, const PointOutcome& b) {
  const auto made = compare(a, b, "goodput_ops_s");
  EXPECT_TRUE(made);
  return made.value_or(Comparison{});
}

TEST(Compare, pairs_repeats_of_equal_seeds) {
  // Seeds differ by more than the two points differ from each other.
  const std::vector<double> a = {103, 203, 303}, b = {100, 200, 300};
  const Comparison paired = comparison_of(point_of(a), point_of(b));
  EXPECT_TRUE(paired.paired);
  EXPECT_EQ(paired.ahead, 1);
  EXPECT_DOUBLE_EQ(paired.ratio, 1.015);
  EXPECT_DOUBLE_EQ(*paired.low, 1.015);
  const Comparison apart = comparison_of(point_of(a), point_of(b, 7));
  EXPECT_FALSE(apart.paired);
  EXPECT_EQ(apart.ahead, 0);
  EXPECT_LT(*apart.low, 1);
  EXPECT_GT(*apart.high, 1);
}

// Differences 5, 10, 15: a standard error of 5 / sqrt(3), and Student's t of 4.303 with two degrees
// of freedom.
TEST(Compare, gives_students_interval_of_the_ratio) {
  const Comparison made = comparison_of(point_of({105, 110, 115}), point_of({100, 100, 100}));
  EXPECT_NEAR(*made.low, 1.1 - 4.302653 * 5 / 1.7320508 / 100, 1e-6);
  EXPECT_NEAR(*made.high, 1.1 + 4.302653 * 5 / 1.7320508 / 100, 1e-6);
  EXPECT_EQ(made.ahead, 0);
}

TEST(Compare, is_undecided_within_one_percent) {
  EXPECT_EQ(comparison_of(point_of({100.9, 100.9, 100.9}), point_of({100, 100, 100})).ahead, 0);
  EXPECT_EQ(comparison_of(point_of({100, 100, 100}), point_of({101.1, 101.1, 101.1})).ahead, -1);
}

// The parts of a window give the spread by chance within one run alone.
PointOutcome one_repeat(double goodput, double scatter, std::size_t parts = 20) {
  PointOutcome point = point_of({goodput});
  point.repeats.front()->metrics.acquire.record(nanoseconds(static_cast<std::int64_t>(goodput)));
  for (std::size_t part = 0; part < parts; ++part)
    point.repeats.front()->metrics.window.batches.emplace_back(
        goodput * (part % 2 == 0 ? 1 - scatter : 1 + scatter));
  return point;
}

TEST(Compare, one_repeat_decides_only_beyond_the_spread_of_the_parts_of_its_window) {
  // Of 20 parts, each 2% more or less: the mean is known to 1%, a single part to 6%.
  const PointOutcome base = one_repeat(100, 0.02);
  const Comparison within = comparison_of(one_repeat(105, 0.02), base);
  EXPECT_EQ(within.ahead, 0);
  EXPECT_GT(*within.low, 1) << "the interval of the means alone would decide";
  EXPECT_EQ(comparison_of(one_repeat(107, 0.02), base).ahead, 1);
  EXPECT_EQ(comparison_of(base, one_repeat(107, 0.02)).ahead, -1);
  EXPECT_EQ(comparison_of(point_of({105, 105, 105}), point_of({100, 100, 100})).ahead, 1);
}

TEST(Compare, one_repeat_without_parts_or_by_another_metric_is_undecided) {
  EXPECT_EQ(comparison_of(point_of({200}), point_of({100})).ahead, 0);
  EXPECT_EQ(comparison_of(point_of({200, 200}), point_of({100, 100})).ahead, 0);
  const auto latency = compare(one_repeat(200, 0.01), one_repeat(100, 0.01), "acquire_ns.p50");
  ASSERT_TRUE(latency);
  EXPECT_DOUBLE_EQ(latency->ratio, 2);
  EXPECT_EQ(latency->ahead, 0);
}

TEST(Compare, has_no_result_for_metrics_that_were_not_measured) {
  EXPECT_FALSE(compare(point_of({}), point_of({1}), "goodput_ops_s"));
  EXPECT_FALSE(compare(point_of({1}), point_of({1}), "no.such.metric"));
  EXPECT_EQ(comparison_of(point_of({1}), point_of({0})).ahead, 1);
}

}  // namespace
}  // namespace latchlab
