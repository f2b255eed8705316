// The power law against sums of pow() from the C library: the contents of the tables, to nine
// digits, and the distribution of draws, by a chi-square statistic with a fixed seed.
#include "core/workload/power_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fixed_math.h"

namespace latchlab {
namespace {

constexpr std::uint64_t kTenMillion = 10'000'000;

double exact_weight(std::uint64_t rank, std::uint64_t theta_ppb) {
  return std::pow(static_cast<double>(rank), -static_cast<double>(theta_ppb) / 1e9);
}

// Summed from the small end, in long double.
long double exact_sum(std::uint64_t first, std::uint64_t last, std::uint64_t theta_ppb) {
  long double sum = 0;
  for (std::uint64_t rank = last; rank > first; --rank) sum += exact_weight(rank - 1, theta_ppb);
  return sum;
}

double relative_error(double value, long double expected) {
  return static_cast<double>(std::fabs((value - expected) / expected));
}

TEST(FixedMath, logarithms_and_powers_agree_with_the_c_library) {
  for (const std::uint64_t x : {1ULL, 2ULL, 3ULL, 10ULL, 65'537ULL, 999'999'937ULL, 1ULL << 63}) {
    const long double expected = std::log2(static_cast<long double>(x)) * 0x1p58L;
    EXPECT_NEAR(static_cast<double>(static_cast<long double>(log2_q58(x)) - expected), 0, 8) << x;
  }
  for (std::uint64_t part = 0; part < 64; ++part) {
    const std::uint64_t fraction_q58 = (part << 52) + part * 12'345'677;
    const long double expected =
        std::exp2(-static_cast<long double>(fraction_q58) / 0x1p58L) * 0x1p63L;
    EXPECT_NEAR(
        static_cast<double>(static_cast<long double>(exp2_negative_q63(fraction_q58)) - expected),
        0, 4);
  }
}

TEST(PowerLaw, weight_of_a_rank_is_right_to_fourteen_digits) {
  for (const std::uint64_t theta_ppb : {1ULL, 500'000'000ULL, 990'000'000ULL, 3'700'000'000ULL})
    for (std::uint64_t rank = 1; rank < 1'000'000'000'000; rank = rank * 3 + 1)
      EXPECT_LT(relative_error(power_weight(rank, theta_ppb), exact_weight(rank, theta_ppb)), 1e-14)
          << rank << " " << theta_ppb;
}

TEST(PowerLaw, sum_over_a_bucket_is_right_to_twelve_digits) {
  for (const std::uint64_t theta_ppb :
       {10'000'000ULL, 500'000'000ULL, 990'000'000ULL, 1'000'000'000ULL, 3'000'000'000ULL})
    for (const std::uint64_t first : {65'537ULL, 1'000'003ULL, 50'000'000ULL}) {
      const std::uint64_t last = first + first / 64;
      EXPECT_LT(
          relative_error(power_sum(first, last, theta_ppb), exact_sum(first, last, theta_ppb)),
          2e-13)
          << first << " " << theta_ppb;
    }
}

struct Case {
  std::uint64_t count;
  std::uint64_t theta_ppb;
};

class PowerLawCase : public testing::TestWithParam<Case> {};

TEST_P(PowerLawCase, every_rank_has_its_probability_to_ten_digits) {
  const auto [count, theta_ppb] = GetParam();
  const PowerLaw law(count, theta_ppb);
  const long double sum = exact_sum(1, count + 1, theta_ppb);
  const std::vector<double> probabilities = law.table().probabilities();
  for (std::uint64_t rank = 1; rank <= law.head(); ++rank)
    ASSERT_LT(relative_error(probabilities[rank - 1], exact_weight(rank, theta_ppb) / sum), 1e-10)
        << rank;
  double tail = 0;
  for (std::size_t i = law.head(); i < probabilities.size(); ++i) tail += probabilities[i];
  if (count > law.head()) {
    EXPECT_LT(relative_error(tail, exact_sum(law.head() + 1, count + 1, theta_ppb) / sum), 1e-10);
  }
}

// Bins that grow by a half, so that hot ranks have bins of their own and the tail is covered too.
TEST_P(PowerLawCase, draws_follow_the_exact_law) {
  const auto [count, theta_ppb] = GetParam();
  constexpr int kDraws = 200'000;
  std::vector<std::uint64_t> bounds{1};
  while (bounds.back() <= count) bounds.push_back(bounds.back() + bounds.back() / 2 + 1);
  bounds.back() = count + 1;
  std::vector<int> seen(bounds.size(), 0);
  const PowerLaw law(count, theta_ppb);
  Rng rng(7);
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t rank = law.draw(rng);
    ASSERT_GE(rank, 1U);
    ASSERT_LE(rank, count);
    ++seen[static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), rank) -
                                    bounds.begin() - 1)];
  }
  const long double sum = exact_sum(1, count + 1, theta_ppb);
  double statistic = 0;
  int bins = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const auto expected =
        static_cast<double>(exact_sum(bounds[i], bounds[i + 1], theta_ppb) / sum * kDraws);
    if (expected < 5) continue;
    const double difference = seen[i] - expected;
    statistic += difference * difference / expected;
    ++bins;
  }
  EXPECT_LT(statistic, bins + 4 * std::sqrt(2.0 * bins)) << bins << " bins";
}

INSTANTIATE_TEST_SUITE_P(
    Laws, PowerLawCase,
    testing::Values(Case{1, 990'000'000}, Case{2, 1'000'000'000}, Case{1000, 0},
                    Case{1000, 500'000'000}, Case{1000, 990'000'000}, Case{1000, 1'000'000'000},
                    Case{1000, 1'500'000'000}, Case{1000, 3'000'000'000}, Case{65'536, 10'000'000},
                    Case{65'537, 990'000'000}, Case{kTenMillion, 0}, Case{kTenMillion, 500'000'000},
                    Case{kTenMillion, 990'000'000}, Case{kTenMillion, 1'000'000'000},
                    Case{kTenMillion, 1'500'000'000}),
    [](const testing::TestParamInfo<Case>& tested) {
      return "count_" + std::to_string(tested.param.count) + "_theta_ppm_" +
             std::to_string(tested.param.theta_ppb / 1000);
    });

// Ranks 1 to 8, ranks of growing bins, and their exact shares.
TEST(ContinuousPowerLaw, draws_follow_the_law_of_the_published_code) {
  constexpr int kDraws = 200'000;
  for (const std::uint64_t alpha_ppb :
       {1'100'000'000ULL, 1'500'000'000ULL, 2'000'000'000ULL, 3'000'000'000ULL})
    for (const std::uint64_t count : {2ULL, 1000ULL, 100'000'000ULL}) {
      const ContinuousPowerLaw law(count, alpha_ppb);
      const double power = 1 - static_cast<double>(alpha_ppb) / 1e9;
      std::vector<std::uint64_t> bounds{1};
      while (bounds.back() < count) bounds.push_back(bounds.back() + bounds.back() / 8 + 1);
      bounds.back() = count;
      std::vector<int> seen(bounds.size(), 0);
      Rng rng(7);
      for (int i = 0; i < kDraws; ++i) {
        const std::uint64_t rank = law.draw(rng);
        ASSERT_GE(rank, 1U);
        ASSERT_LT(rank, count);
        ++seen[static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), rank) -
                                        bounds.begin() - 1)];
      }
      const auto above = [&](std::uint64_t rank) {
        return std::pow(static_cast<double>(rank), power);
      };
      double statistic = 0;
      int bins = 0;
      for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
        const double expected =
            kDraws * (above(bounds[i]) - above(bounds[i + 1])) / (1 - above(count));
        if (expected < 5) continue;
        statistic += (seen[i] - expected) * (seen[i] - expected) / expected;
        ++bins;
      }
      EXPECT_LT(statistic, bins + 4 * std::sqrt(2.0 * bins)) << alpha_ppb << " " << count;
    }
}

// P(1) = 1 - 2^(1 - alpha) for many ranks.
TEST(ContinuousPowerLaw, first_rank_has_the_share_of_its_formula) {
  constexpr int kDraws = 400'000;
  for (const auto& [alpha_ppb, share] : std::vector<std::pair<std::uint64_t, double>>{
           {1'500'000'000, 0.2929}, {2'000'000'000, 0.5}, {3'000'000'000, 0.75}}) {
    const ContinuousPowerLaw law(100'000'000, alpha_ppb);
    Rng rng(11);
    int first = 0;
    for (int i = 0; i < kDraws; ++i) first += law.draw(rng) == 1 ? 1 : 0;
    EXPECT_NEAR(first, share * kDraws, 4 * std::sqrt(share * (1 - share) * kDraws)) << alpha_ppb;
  }
}

TEST(ContinuousPowerLaw, one_rank_is_always_drawn) {
  const ContinuousPowerLaw law(1, 2'000'000'000);
  Rng rng(3);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(law.draw(rng), 1U);
}

TEST(PowerLaw, ten_million_locks_at_0_99_have_the_known_hot_shares) {
  const PowerLaw law(kTenMillion, 990'000'000);
  const std::vector<double> probabilities = law.table().probabilities();
  double top = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    top += probabilities[i];
    if (i == 0) {
      EXPECT_NEAR(top, 0.0554, 0.00005);
    }
    if (i == 9) {
      EXPECT_NEAR(top, 0.164, 0.0005);
    }
  }
  EXPECT_NEAR(top, 0.293, 0.0005);
}

TEST(PowerLaw, tail_ranks_are_reached_up_to_the_last_of_a_huge_table) {
  const std::uint64_t count = 1ULL << 40;
  const PowerLaw law(count, 100'000'000);
  Rng rng(3);
  std::uint64_t highest = 0;
  for (int i = 0; i < 10'000; ++i) highest = std::max(highest, law.draw(rng));
  EXPECT_GT(highest, count / 1000 * 999);
  EXPECT_LE(highest, count);
}

TEST(PowerLaw, steepest_law_draws_the_first_rank_nearly_always) {
  const PowerLaw law(kTenMillion, kMaxThetaPpb);
  Rng rng(5);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(law.draw(rng), 1U);
}

}  // namespace
}  // namespace latchlab
