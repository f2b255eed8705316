#include "core/workload/keys.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace latchlab {
namespace {

DistributionSpec zipf(std::int64_t theta_ppb) {
  DistributionSpec spec;
  spec.kind = DistributionKind::zipf;
  spec.theta_ppb = theta_ppb;
  return spec;
}

DistributionSpec power_law(std::int64_t alpha_ppb) {
  DistributionSpec spec;
  spec.kind = DistributionKind::power_law;
  spec.alpha_ppb = alpha_ppb;
  return spec;
}

DistributionSpec continuous(std::int64_t alpha_ppb) {
  DistributionSpec spec = power_law(alpha_ppb);
  spec.continuous = true;
  return spec;
}

DistributionSpec hotspot(std::int64_t locks_ppb, std::int64_t accesses_ppb) {
  DistributionSpec spec;
  spec.kind = DistributionKind::hotspot;
  spec.hot_locks_ppb = locks_ppb;
  spec.hot_accesses_ppb = accesses_ppb;
  return spec;
}

DistributionSpec scrambled(DistributionSpec spec) {
  spec.scramble = true;
  return spec;
}

std::unique_ptr<const KeyChooser> chooser(const DistributionSpec& spec, std::uint64_t count,
                                          std::uint64_t seed = 1) {
  return std::move(KeyChooser::make(spec, count, seed)).value();
}

std::vector<std::uint64_t> draws(const DistributionSpec& spec, std::uint64_t count, int number) {
  const auto keys = chooser(spec, count);
  Rng rng(1, 0, StreamPurpose::keys);
  std::vector<std::uint64_t> result;
  for (int i = 0; i < number; ++i) result.push_back(keys->next(rng));
  return result;
}

std::string refusal(const DistributionSpec& spec, std::uint64_t count) {
  const auto keys = KeyChooser::make(spec, count, 1);
  return keys.ok() ? "" : keys.error().message;
}

using Keys = std::vector<std::uint64_t>;

TEST(Keys, same_seed_gives_the_same_locks_on_every_machine) {
  EXPECT_EQ(draws({}, 10'000'000, 16),
            (Keys{7330036, 6841274, 9292786, 5829203, 7318797, 3561911, 9022765, 1325016, 2143775,
                  7859420, 6484629, 4233656, 5952009, 4682255, 7589495, 8250251}));
  EXPECT_EQ(draws(zipf(500'000'000), 10'000'000, 16),
            (Keys{5688963, 5599112, 677164, 3850871, 18277, 4935222, 143142, 2678128, 2662537,
                  1001581, 1206472, 1026282, 6099551, 2075522, 5262306, 8864878}));
  EXPECT_EQ(draws(zipf(990'000'000), 10'000'000, 16),
            (Keys{209355, 206049, 1, 2413, 693, 305363, 102350, 3762, 26401, 121, 11, 115, 5809013,
                  2328389, 2515010, 30742}));
  EXPECT_EQ(draws(zipf(1'000'000'000), 10'000'000, 16),
            (Keys{160856, 158316, 1, 1352, 485, 238283, 75069, 3763, 26401, 91, 9, 87, 5545011,
                  2088924, 2256350, 30742}));
  EXPECT_EQ(draws(zipf(1'500'000'000), 10'000'000, 16),
            (Keys{5, 51, 5, 32, 0, 3, 2, 7, 0, 4, 7, 0, 0, 1, 0, 1}));
  EXPECT_EQ(draws(zipf(990'000'000), 1000, 16),
            (Keys{9, 43, 9, 902, 0, 5, 3, 11, 277, 6, 761, 57, 400, 489, 0, 486}));
  EXPECT_EQ(draws(power_law(2'000'000'000), 100'000'000, 16),
            (Keys{1, 7, 1, 5, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(draws(continuous(1'500'000'000), 100'000'000, 16),
            (Keys{13, 9, 198, 4, 12, 1, 103, 0, 0, 20, 7, 2, 5, 2, 16, 31}));
  EXPECT_EQ(draws(continuous(2'000'000'000), 100'000'000, 16),
            (Keys{2, 2, 13, 1, 2, 0, 9, 0, 0, 3, 1, 0, 1, 0, 3, 4}));
  EXPECT_EQ(draws(hotspot(200'000'000, 800'000'000), 1000, 16),
            (Keys{136, 666, 71, 306, 157, 84, 93, 165, 13, 165, 17, 64, 24, 35, 108, 56}));
  EXPECT_EQ(draws(scrambled(zipf(990'000'000)), 10'000'000, 16),
            (Keys{4559124, 4237802, 9311070, 499233, 4853212, 3662753, 9509229, 4625774, 4759763,
                  8085850, 50541, 5682672, 2692410, 6902095, 2237743, 1366492}));
}

TEST(Keys, zipf_of_zero_is_uniform) {
  EXPECT_EQ(draws(zipf(0), 1000, 64), draws({}, 1000, 64));
}

TEST(Keys, power_law_is_zipf_with_its_exponent) {
  EXPECT_EQ(draws(power_law(1'500'000'000), 1000, 64), draws(zipf(1'500'000'000), 1000, 64));
}

TEST(Keys, single_lock_is_always_chosen) {
  for (const DistributionSpec& spec :
       {DistributionSpec{}, zipf(990'000'000), power_law(2'000'000'000), continuous(2'000'000'000),
        hotspot(200'000'000, 800'000'000), scrambled(zipf(990'000'000))})
    for (const std::uint64_t key : draws(spec, 1, 16)) EXPECT_EQ(key, 0U);
}

TEST(Keys, hot_locks_get_their_share_of_accesses) {
  std::uint64_t hot = 0;
  for (const std::uint64_t key : draws(hotspot(200'000'000, 800'000'000), 50, 100'000)) {
    ASSERT_LT(key, 50U);
    if (key < 10) ++hot;
  }
  EXPECT_NEAR(static_cast<double>(hot), 80'000, 600);
}

TEST(Keys, all_or_none_of_the_accesses_can_be_hot) {
  for (const std::uint64_t key : draws(hotspot(100'000'000, 1'000'000'000), 100, 1000))
    EXPECT_LT(key, 10U);
  for (const std::uint64_t key : draws(hotspot(100'000'000, 0), 100, 1000)) EXPECT_GE(key, 10U);
}

TEST(Keys, tiny_share_of_hot_locks_is_still_one_lock) {
  for (const std::uint64_t key : draws(hotspot(1, 1'000'000'000), 100, 100)) EXPECT_EQ(key, 0U);
}

TEST(Keys, scramble_renames_locks_and_keeps_their_frequencies) {
  std::map<std::uint64_t, int> plain, renamed;
  for (const std::uint64_t key : draws(zipf(990'000'000), 1000, 10'000)) ++plain[key];
  for (const std::uint64_t key : draws(scrambled(zipf(990'000'000)), 1000, 10'000)) ++renamed[key];
  std::multiset<int> plain_counts, renamed_counts;
  for (const auto& [key, number] : plain) plain_counts.insert(number);
  for (const auto& [key, number] : renamed) renamed_counts.insert(number);
  EXPECT_EQ(plain_counts, renamed_counts);
  EXPECT_NE(plain, renamed);
}

TEST(Keys, another_seed_scrambles_differently) {
  const auto one = chooser(scrambled(zipf(990'000'000)), 1000, 1);
  const auto two = chooser(scrambled(zipf(990'000'000)), 1000, 2);
  Rng first(9), second(9);
  int equal = 0;
  for (int i = 0; i < 100; ++i) equal += one->next(first) == two->next(second) ? 1 : 0;
  EXPECT_LT(equal, 50);
}

TEST(Keys, impossible_parameters_are_refused_with_the_expected_range) {
  EXPECT_EQ(refusal(zipf(-1'000'000'000), 10),
            "distribution theta is -1; expected a number from 0 to 20");
  EXPECT_NE(refusal(power_law(1'000'000'000), 10).find("above 1"), std::string::npos);
  EXPECT_NE(refusal(hotspot(0, 0), 10).find("above 0%"), std::string::npos);
  EXPECT_NE(refusal(hotspot(1, 2'000'000'000), 10).find("200%"), std::string::npos);
  EXPECT_EQ(refusal({}, 0), "locks.count is 0; expected 1 to 2^48");
}

TEST(Permutation, every_value_appears_exactly_once) {
  for (const std::uint64_t count : {1, 2, 3, 5, 64, 65, 1000, 4097}) {
    const Permutation permutation(count, 11);
    std::set<std::uint64_t> seen;
    for (std::uint64_t value = 0; value < count; ++value) seen.insert(permutation(value));
    EXPECT_EQ(seen.size(), count);
    EXPECT_LT(*seen.rbegin(), count);
  }
}

TEST(Permutation, neighbours_land_far_apart) {
  const Permutation permutation(1'000'000, 4);
  int near = 0;
  for (std::uint64_t value = 0; value < 1000; ++value) {
    const std::uint64_t a = permutation(value);
    const std::uint64_t b = permutation(value + 1);
    near += (a > b ? a - b : b - a) < 1000 ? 1 : 0;
  }
  EXPECT_LT(near, 20);
}

}  // namespace
}  // namespace latchlab
