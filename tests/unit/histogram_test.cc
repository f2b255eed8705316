#include "core/measure/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/workload/timing.h"

namespace latchlab {
namespace {

Histogram of(const std::vector<std::int64_t>& values_ps) {
  Histogram histogram;
  for (const std::int64_t ps : values_ps) histogram.record(Duration{ps});
  return histogram;
}

std::vector<std::int64_t> spread_values(std::uint64_t seed, int number) {
  Rng rng(seed);
  std::vector<std::int64_t> values_ps;
  for (int i = 0; i < number; ++i)
    values_ps.push_back(exponential(rng, Duration{std::int64_t{1} << rng.below(45)}).ps);
  return values_ps;
}

TEST(Histogram, empty_one_has_no_statistics) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_FALSE(histogram.mean_ns());
  EXPECT_FALSE(histogram.min());
  EXPECT_FALSE(histogram.max());
  EXPECT_FALSE(histogram.percentile(500'000));
}

TEST(Histogram, count_sum_and_extremes_are_exact) {
  const Histogram histogram = of({123'456'789, 0, 987'654'321'987});
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(static_cast<std::uint64_t>(histogram.sum_ps()), 987'777'778'776U);
  EXPECT_EQ(histogram.min()->ps, 0);
  EXPECT_EQ(histogram.max()->ps, 987'654'321'987);
  EXPECT_DOUBLE_EQ(*histogram.mean_ns(), 329'259'259.592);
}

TEST(Histogram, of_zeros_has_a_maximum_of_zero) {
  EXPECT_EQ(of({0, 0}).max()->ps, 0);
  EXPECT_EQ(of({0, 0}).percentile(1'000'000)->ps, 0);
}

TEST(Histogram, percentiles_are_within_a_thousandth_of_the_sorted_values) {
  std::vector<std::int64_t> values_ps = spread_values(1, 20'000);
  const Histogram histogram = of(values_ps);
  std::sort(values_ps.begin(), values_ps.end());
  for (const std::int64_t ppm : {1, 100'000, 500'000, 900'000, 990'000, 999'000, 999'999}) {
    const std::size_t rank =
        (values_ps.size() * static_cast<std::size_t>(ppm) + 999'999) / 1'000'000;
    const auto exact = static_cast<double>(values_ps[rank - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.percentile(ppm)->ps), exact, exact * 0.0005) << ppm;
  }
  EXPECT_EQ(histogram.percentile(0), histogram.min());
  EXPECT_EQ(histogram.percentile(1'000'000), histogram.max());
}

TEST(Histogram, a_power_of_two_has_1024_cells_and_percentiles_are_their_middles) {
  constexpr std::int64_t kLow = 1 << 20;  // a cell holds 1024 values there
  const Histogram histogram = of({kLow, kLow + 1023, kLow + 1024, kLow + 5000});
  EXPECT_EQ(histogram.percentile(250'000)->ps, kLow + 512);
  EXPECT_EQ(histogram.percentile(500'000)->ps, kLow + 512);
  EXPECT_EQ(histogram.percentile(750'000)->ps, kLow + 1024 + 512);
  // Stored results are read with the same cells.
  EXPECT_EQ(of({kLow}).serialised(), "0 1048576 1048576 1048576 11264 1");
}

TEST(Histogram, single_value_is_every_percentile_of_itself) {
  const Histogram histogram = of({777'777'777});
  for (const std::int64_t ppm : {0, 1, 500'000, 1'000'000})
    EXPECT_EQ(histogram.percentile(ppm)->ps, 777'777'777);
}

TEST(Histogram, longest_duration_is_recorded_without_overflow) {
  Histogram histogram;
  for (int i = 0; i < 4; ++i) histogram.record(kForever);
  EXPECT_EQ(histogram.max(), kForever);
  EXPECT_EQ(histogram.percentile(500'000), kForever);
  EXPECT_EQ(histogram.sum_ps(), static_cast<Wide>(static_cast<std::uint64_t>(kForever.ps)) * 4);
}

TEST(Histogram, merging_equals_recording_everything_in_one) {
  const std::vector<std::int64_t> first = spread_values(2, 500);
  const std::vector<std::int64_t> second = spread_values(3, 700);
  std::vector<std::int64_t> both = first;
  both.insert(both.end(), second.begin(), second.end());
  Histogram merged = of(first);
  merged.merge(of(second));
  EXPECT_TRUE(merged == of(both));
  merged.merge(Histogram());
  EXPECT_TRUE(merged == of(both));
}

TEST(Histogram, copy_does_not_share_its_cells) {
  const Histogram original = of({5, 6});
  Histogram copy;
  copy = original;
  copy.record(Duration{7});
  EXPECT_EQ(original.count(), 2U);
  EXPECT_FALSE(copy == original);
}

TEST(Histogram, text_form_gives_an_equal_histogram) {
  for (const Histogram& histogram :
       {Histogram(), of({0}), of({kForever.ps, 1}), of(spread_values(4, 1000))}) {
    const auto parsed = Histogram::parse(histogram.serialised());
    ASSERT_TRUE(parsed.ok());
    EXPECT_TRUE(parsed.value() == histogram);
    EXPECT_EQ(parsed.value().count(), histogram.count());
    EXPECT_EQ(parsed.value().percentile(990'000), histogram.percentile(990'000));
  }
}

TEST(Histogram, damaged_text_is_refused) {
  for (const std::string text :
       {"x", "0 1 2", "0 5 5 5", "0 5 5 5 ", "0 5 5 5 5", "0 5 5 5 5 0", "0 5 9 5 5 1",
        "0 5 5 5 99999999 1", "0 5 5 5 5 -1", "0 5 5 99999999999999999999 5 1"})
    EXPECT_FALSE(Histogram::parse(text).ok()) << text;
}

}  // namespace
}  // namespace latchlab
