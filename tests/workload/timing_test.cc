#include "core/workload/timing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace latchlab {
namespace {

TEST(Timing, exponential_draws_are_the_logarithm_of_the_random_word) {
  Rng drawn(3), words(3);
  const Duration mean = microseconds(5);
  for (int i = 0; i < 1000; ++i) {
    const long double u = (static_cast<long double>(words.next()) + 1) / 0x1p64L;
    const long double expected_ps = -std::log(u) * static_cast<long double>(mean.ps);
    EXPECT_NEAR(static_cast<double>(exponential(drawn, mean).ps), static_cast<double>(expected_ps),
                0.51);
  }
}

TEST(Timing, exponential_draws_have_their_mean_and_tail) {
  Rng rng(8);
  constexpr int kDraws = 100'000;
  std::int64_t sum_ps = 0;
  int beyond_two_means = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Duration drawn = exponential(rng, microseconds(1));
    sum_ps += drawn.ps;
    beyond_two_means += drawn > microseconds(2) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(sum_ps) / kDraws, 1e6, 1e4);
  EXPECT_NEAR(static_cast<double>(beyond_two_means), std::exp(-2.0) * kDraws, 500);
}

TEST(Timing, exponential_draws_are_the_same_on_every_machine) {
  Rng rng(1, 0, StreamPurpose::timing);
  std::vector<std::int64_t> drawn_ps;
  for (int i = 0; i < 8; ++i) drawn_ps.push_back(exponential(rng, microseconds(5)).ps);
  EXPECT_EQ(drawn_ps, (std::vector<std::int64_t>{286398, 6928946, 7908156, 1172582, 10748421,
                                                 854720, 9540864, 814249}));
}

TEST(Timing, exponential_with_mean_zero_is_zero_and_with_a_huge_mean_stays_in_range) {
  Rng rng(2);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(exponential(rng, Duration{}).ps, 0);
    EXPECT_GE(exponential(rng, kForever).ps, 0);
  }
}

TEST(Timing, events_happen_as_often_as_configured) {
  Rng rng(4);
  int happened = 0;
  for (int i = 0; i < 100'000; ++i) happened += happens(rng, 50'000'000) ? 1 : 0;
  EXPECT_NEAR(happened, 5000, 250);
}

TEST(Timing, certain_and_impossible_events_are_exact) {
  Rng rng(4);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(happens(rng, 1'000'000'000));
    EXPECT_FALSE(happens(rng, 0));
  }
}

TEST(Timing, another_probability_does_not_shift_the_rest_of_the_stream) {
  Rng never(6), always(6);
  for (int i = 0; i < 100; ++i) {
    happens(never, 0);
    happens(always, 1'000'000'000);
  }
  EXPECT_EQ(never.next(), always.next());
}

TEST(Timing, start_offsets_stay_below_their_bound) {
  Rng rng(4);
  for (int i = 0; i < 1000; ++i) {
    const Duration offset = uniform_below(rng, nanoseconds(3));
    EXPECT_GE(offset.ps, 0);
    EXPECT_LT(offset, nanoseconds(3));
  }
  EXPECT_EQ(uniform_below(rng, Duration{}).ps, 0);
}

}  // namespace
}  // namespace latchlab
