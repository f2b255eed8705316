#include "core/measure/statistics.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace latchlab {
namespace {

using Numbers = std::vector<double>;
using Counts = std::vector<std::uint64_t>;

TEST(Statistics, interval_is_students_and_needs_three_repeats) {
  EXPECT_FALSE(half_width_95(Numbers{1, 2}));
  // s = 1, t(2) = 4.302653: 4.302653 / sqrt(3).
  EXPECT_NEAR(*half_width_95(Numbers{1, 2, 3}), 2.484138, 1e-6);
  EXPECT_EQ(*half_width_95(Numbers{7, 7, 7, 7}), 0);
  EXPECT_EQ(*half_width_95(Numbers{1789.2, 1789.2, 1789.2}), 0);
  // Huge and tiny values: the square root keeps its precision.
  EXPECT_NEAR(*half_width_95(Numbers{1e150, 2e150, 3e150}) / 1e150, 2.484138, 1e-6);
  EXPECT_NEAR(*half_width_95(Numbers{1e-140, 2e-140, 3e-140}) / 1e-140, 2.484138, 1e-6);
}

TEST(Statistics, t_quantiles_match_published_tables) {
  EXPECT_NEAR(student_t_975(1), 12.7062, 5e-5);
  EXPECT_NEAR(student_t_975(9), 2.2622, 5e-5);
  EXPECT_NEAR(student_t_975(30), 2.0423, 5e-5);
  EXPECT_NEAR(student_t_975(31), 2.0395, 5e-5);
  EXPECT_NEAR(student_t_975(60), 2.0003, 5e-5);
  EXPECT_NEAR(student_t_975(1'000'000), 1.95996, 5e-5);
}

TEST(Statistics, mean_of_no_value_is_undefined) {
  EXPECT_FALSE(mean(Numbers{}));
  EXPECT_EQ(*mean(Numbers{1, 2, 6}), 3);
}

TEST(Statistics, jain_index_is_between_one_over_n_and_one) {
  EXPECT_EQ(*jain_index(Counts{5, 5, 5, 5}), 1);
  EXPECT_EQ(*jain_index(Counts{8, 0, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(*jain_index(Counts{1, 2, 3}), 36.0 / 42.0);
  EXPECT_FALSE(jain_index(Counts{0, 0}));
  EXPECT_FALSE(jain_index(Counts{}));
  EXPECT_EQ(*jain_index(Counts{1ULL << 40, 1ULL << 40}), 1);
}

TEST(Statistics, ratio_to_zero_is_undefined) {
  EXPECT_EQ(*ratio(1, 4), 0.25);
  EXPECT_FALSE(ratio(1, 0));
}

}  // namespace
}  // namespace latchlab
