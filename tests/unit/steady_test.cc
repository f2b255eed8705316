// The end of a transient, and whether a window is in steady state.

#include "core/measure/steady.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"

namespace latchlab {
namespace {

using Counts = std::vector<std::uint64_t>;

// Around 1,000, uniformly distributed within a share of it.
Counts noisy(std::size_t count, std::uint64_t spread, std::uint64_t seed = 1) {
  Counts counts;
  for (std::size_t i = 0; i < count; ++i)
    counts.push_back(1'000 - spread / 2 + hash_of(seed, i) % (spread + 1));
  return counts;
}

TEST(Mser5, removes_a_ramp_and_not_much_more) {
  int undecided = 0;  // the end happens to agree better with itself than chance predicts
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Counts counts = noisy(200, 100, seed);
    for (std::size_t i = 0; i < 50; ++i) counts[i] = counts[i] * i / 50;
    const auto cut = mser_5(counts);
    undecided += !cut;
    if (!cut) continue;
    EXPECT_GE(*cut, 35u) << seed;
    EXPECT_LE(*cut, 100u) << seed;
    EXPECT_EQ(*cut % 5, 0u);
  }
  EXPECT_LE(undecided, 4);
}

TEST(Mser5, removes_the_batches_of_five_that_contain_a_jump) {
  Counts counts(50, 10);
  for (std::size_t i = 0; i < 6; ++i) counts[i] = 1'000;
  EXPECT_EQ(mser_5(counts), 10u);
  counts[5] = 10;
  EXPECT_EQ(mser_5(counts), 5u);
}

TEST(Mser5, removes_little_of_a_steady_series) {
  int much = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto cut = mser_5(noisy(200, 100, seed));
    much += !cut || *cut > 50;
  }
  EXPECT_LE(much, 8);
}

TEST(Mser5, is_undecided_while_the_transient_lasts) {
  Counts ramp;
  for (std::uint64_t i = 0; i < 100; ++i) ramp.push_back(10 * i);
  EXPECT_FALSE(mser_5(ramp));
  Counts late(100, 10);
  for (std::size_t i = 60; i < 100; ++i) late[i] = 1'000;
  EXPECT_FALSE(mser_5(late));
  EXPECT_FALSE(mser_5(Counts(49, 7)));
  EXPECT_EQ(mser_5(Counts(50, 7)), 0u);
}

TEST(IsSteady, accepts_differences_of_five_percent_or_within_chance) {
  Counts batches(20, 1'000);
  EXPECT_TRUE(is_steady(batches));
  for (std::size_t i = 10; i < 20; ++i) batches[i] = 1'049;
  EXPECT_TRUE(is_steady(batches));
  for (std::size_t i = 10; i < 20; ++i) batches[i] = 1'070;
  EXPECT_FALSE(is_steady(batches));
  // A difference of ten percent, with parts that differ by a factor of ten.
  Counts wild;
  for (std::uint64_t i = 0; i < 20; ++i) wild.push_back((i % 2 == 0 ? 10 : 100) + (i < 10 ? 0 : 5));
  EXPECT_TRUE(is_steady(wild));
}

TEST(IsSteady, rejects_windows_without_counts_or_whose_counts_have_stopped) {
  EXPECT_FALSE(is_steady(Counts(20, 0)));
  Counts stopped(20, 0);
  for (std::size_t i = 0; i < 10; ++i) stopped[i] = 1;
  EXPECT_FALSE(is_steady(stopped));
}

}  // namespace
}  // namespace latchlab
