// Verdicts on published figures, and their scores.
#include "core/measure/expectations.h"

#include <gtest/gtest.h>

#include "core/measure/statistics.h"

namespace latchlab {
namespace {

Leaves leaves(double goodput, double wait_ns = 0) {
  return {{"goodput_ops_s", goodput, Aggregation::mean},
          {"phases_ns.write.WP", wait_ns, Aggregation::mean}};
}

PointNumbers point(const std::vector<double>& goodputs) {
  PointNumbers numbers;
  numbers.point = leaves(*mean(goodputs));
  for (const double goodput : goodputs) numbers.repeats.push_back(leaves(goodput));
  return numbers;
}

Expectation value(double published, double tolerance = 0.1, std::size_t at = 0) {
  Expectation entry;
  entry.id = "x";
  entry.metrics = {"goodput_ops_s"};
  entry.groups = {{at}};
  entry.published = published;
  entry.tolerance = tolerance;
  return entry;
}

Expectation order(std::vector<std::vector<std::size_t>> groups, bool highest_is_best = true) {
  Expectation entry = value(0);
  entry.kind = ExpectKind::order;
  entry.groups = std::move(groups);
  entry.highest_is_best = highest_is_best;
  return entry;
}

Scored scored(const Expectation& entry, const std::vector<PointNumbers>& points) {
  return score({entry}, points).front();
}

FigureVerdict verdict(const Expectation& entry, const std::vector<PointNumbers>& points) {
  return scored(entry, points).verdict;
}

TEST(Expectations, a_value_within_its_tolerance_is_ok) {
  const Scored result = scored(value(100), {point({104, 106, 108})});
  EXPECT_EQ(result.verdict, FigureVerdict::ok);
  EXPECT_DOUBLE_EQ(*result.predicted, 106);
  EXPECT_DOUBLE_EQ(*result.ratio, 1.06);
  EXPECT_NEAR(*result.log2_error, 0.0840642647884745, 1e-12);
  EXPECT_NEAR(*result.ci95, 4.302653 * 2 / 1.7320508, 1e-5);
  EXPECT_EQ(verdict(value(100), {point({110})}), FigureVerdict::ok);
}

TEST(Expectations, a_value_beyond_its_tolerance_is_off) {
  EXPECT_EQ(verdict(value(100), {point({111})}), FigureVerdict::off);
  EXPECT_EQ(verdict(value(100), {point({89})}), FigureVerdict::off);
  EXPECT_FALSE(scored(value(100), {point({89})}).ci95.has_value());
}

TEST(Expectations, an_absolute_tolerance_replaces_a_relative_one) {
  Expectation entry = value(0);
  entry.metrics = {"phases_ns.write.WP"};
  entry.absolute = 20;
  PointNumbers numbers;
  numbers.point = leaves(1, 19);
  const Scored near = scored(entry, {numbers});
  EXPECT_EQ(near.verdict, FigureVerdict::ok);
  EXPECT_FALSE(near.ratio.has_value());
  EXPECT_FALSE(near.log2_error.has_value());
  numbers.point = leaves(1, 21);
  EXPECT_EQ(verdict(entry, {numbers}), FigureVerdict::off);
}

TEST(Expectations, metrics_are_summed_and_scaled) {
  Expectation entry = value(0);
  entry.metrics = {"goodput_ops_s", "phases_ns.write.WP"};
  entry.factor = 2;
  entry.published = 30;
  PointNumbers numbers;
  numbers.point = leaves(10, 5);
  EXPECT_DOUBLE_EQ(*scored(entry, {numbers}).predicted, 30);
}

TEST(Expectations, a_ratio_divides_repeat_by_repeat) {
  Expectation entry = value(2);
  entry.kind = ExpectKind::ratio;
  entry.groups = {{0}, {1}};
  const Scored result = scored(entry, {point({2, 20, 200}), point({1, 10, 100})});
  EXPECT_EQ(result.verdict, FigureVerdict::ok);
  EXPECT_DOUBLE_EQ(*result.predicted, 2);
  EXPECT_DOUBLE_EQ(*result.ci95, 0) << "equal seeds take the common part of the noise away";
}

TEST(Expectations, what_was_not_measured_is_undecided) {
  EXPECT_EQ(verdict(value(100), {PointNumbers{}}), FigureVerdict::undecided);
  EXPECT_FALSE(scored(value(100), {PointNumbers{}}).predicted.has_value());
  EXPECT_EQ(verdict(order({{0}, {1}}), {point({3, 3, 3}), PointNumbers{}}),
            FigureVerdict::undecided);
  Expectation entry = value(2);
  entry.kind = ExpectKind::ratio;
  entry.groups = {{0}, {1}};
  EXPECT_EQ(verdict(entry, {point({2}), point({0})}), FigureVerdict::undecided);
}

TEST(Expectations, an_order_holds_when_each_difference_exceeds_its_interval) {
  const std::vector<PointNumbers> points = {point({30, 31, 32}), point({20, 21, 22}),
                                            point({10, 11, 12})};
  EXPECT_EQ(verdict(order({{0}, {1}, {2}}), points), FigureVerdict::ok);
  EXPECT_EQ(verdict(order({{0}, {2}, {1}}), points), FigureVerdict::off);
  EXPECT_EQ(verdict(order({{2}, {1}}, false), points), FigureVerdict::ok);
  EXPECT_EQ(verdict(order({{0}, {2, 1}}), points), FigureVerdict::ok) << "equals are not compared";
  EXPECT_EQ(scored(order({{0}, {2, 1}}), points).differences.size(), 2U);
}

// With run.precision, each point has as many repeats as it needs.
TEST(Expectations, an_order_of_points_with_unequal_repeats_uses_all_of_them) {
  const PointNumbers few = point({30, 31, 32}), many = point({10, 12, 11, 13, 9, 10});
  EXPECT_EQ(verdict(order({{0}, {1}}), {few, many}), FigureVerdict::ok);
  EXPECT_EQ(verdict(order({{0}, {1}}), {many, few}), FigureVerdict::off);
  const Difference found = scored(order({{0}, {1}}), {many, few}).differences.front();
  EXPECT_NEAR(*found.mean, 65.0 / 6 - 31, 1e-9);
  EXPECT_EQ(verdict(order({{0}, {1}}), {few, point({10, 60, 10, 60})}), FigureVerdict::undecided);
}

TEST(Expectations, an_order_within_the_noise_is_undecided) {
  EXPECT_EQ(verdict(order({{0}, {1}}), {point({10, 20, 30}), point({11, 16, 32})}),
            FigureVerdict::undecided);
  EXPECT_EQ(verdict(order({{0}, {1}}), {point({30, 30}), point({10, 10})}),
            FigureVerdict::undecided)
      << "two repeats have no interval";
}

TEST(Expectations, a_disputed_figure_is_shown_and_not_scored) {
  Expectation entry = value(100);
  entry.disputed = "two columns contradict each other";
  const std::vector<Scored> figures = score({entry}, {point({300})});
  EXPECT_EQ(figures[0].verdict, FigureVerdict::disputed);
  EXPECT_DOUBLE_EQ(*figures[0].ratio, 3);
  const Score sum = sum_up({entry}, figures).front();
  EXPECT_EQ(sum.cells, 0U);
  EXPECT_EQ(sum.disputed, 1U);
  EXPECT_FALSE(sum.within.has_value());
  EXPECT_FALSE(sum.median_abs_log2.has_value());
  EXPECT_FALSE(is_missed(entry, figures[0], true));
}

TEST(Expectations, scores_are_kept_apart_by_profile_and_use) {
  std::vector<Expectation> entries(4, value(100));
  entries[1].use = ExpectUse::calibration;
  entries[2].profile = "paper";
  entries[3].published = 200;
  const std::vector<Scored> figures = score(entries, {point({100})});
  const std::vector<Score> sums = sum_up(entries, figures);
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_EQ(sums[0].cells, 2U);
  EXPECT_DOUBLE_EQ(*sums[0].within, 0.5);
  EXPECT_DOUBLE_EQ(*sums[0].median_abs_log2, 0.5);
  EXPECT_EQ(sums[1].use, ExpectUse::calibration);
  EXPECT_EQ(sums[2].profile, "paper");
}

TEST(Expectations, an_infinite_error_counts_in_the_median) {
  const std::vector<PointNumbers> points = {point({0}), point({100})};
  const std::vector<Expectation> two = {value(100), value(100, 0.1, 1)};
  EXPECT_FALSE(sum_up(two, score(two, points)).front().median_abs_log2.has_value());
  const std::vector<Expectation> three = {value(100), value(100, 0.1, 1), value(50, 0.1, 1)};
  EXPECT_DOUBLE_EQ(*sum_up(three, score(three, points)).front().median_abs_log2, 1);
}

TEST(Expectations, only_validations_and_inferred_figures_may_be_missed) {
  Expectation entry = value(100);
  const Scored off = scored(entry, {point({300})});
  for (const ExpectUse use : {ExpectUse::validation, ExpectUse::inferred}) {
    entry.use = use;
    EXPECT_FALSE(is_missed(entry, off, false));
    EXPECT_TRUE(is_missed(entry, off, true));
  }
  for (const ExpectUse use : {ExpectUse::calibration, ExpectUse::regression}) {
    entry.use = use;
    EXPECT_TRUE(is_missed(entry, off, false));
    EXPECT_FALSE(is_missed(entry, scored(entry, {point({100})}), true));
    EXPECT_FALSE(is_missed(entry, scored(entry, {PointNumbers{}}), true));
  }
}

TEST(Logarithm, is_exact_for_powers_of_two_and_close_elsewhere) {
  EXPECT_EQ(log2_of(1), 0.0);
  EXPECT_EQ(log2_of(8), 3.0);
  EXPECT_EQ(log2_of(0.25), -2.0);
  EXPECT_NEAR(*log2_of(10), 3.321928094887362, 1e-13);
  EXPECT_NEAR(*log2_of(0.9), -0.15200309344504997, 1e-13);
  EXPECT_NEAR(*log2_of(1e300), 996.5784284662087, 1e-11);
  EXPECT_FALSE(log2_of(0).has_value());
  EXPECT_FALSE(log2_of(-1).has_value());
  EXPECT_FALSE(log2_of(std::numeric_limits<double>::infinity()).has_value());
  EXPECT_FALSE(log2_of(std::numeric_limits<double>::quiet_NaN()).has_value());
}

}  // namespace
}  // namespace latchlab
