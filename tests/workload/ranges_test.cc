// Which ranges of which objects the sections of `kind: range` request.
#include "core/workload/ranges.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/workload/micro.h"
#include "tests/workload/wanted.h"

namespace latchlab {
namespace {

constexpr int kRangeDraws = 100'000;

WorkloadSpec spec_of(std::uint64_t units, std::vector<std::uint64_t> sizes) {
  WorkloadSpec spec;
  spec.kind = WorkloadKind::range;
  spec.range.units = units;
  spec.range.sizes = std::move(sizes);
  return spec;
}

std::unique_ptr<PartChooser> made(const WorkloadSpec& spec, std::uint64_t locks = 1,
                                  std::uint32_t clients = 1, std::uint64_t seed = 1,
                                  std::uint32_t first = 0) {
  return std::move(make_parts({spec, locks, first, clients, seed})).value();
}

double chi_square_of_draws(const std::map<std::uint64_t, double>& seen,
                           const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto found = seen.find(i);
    const double times = found == seen.end() ? 0 : found->second;
    sum += std::pow(times - expected[i], 2) / expected[i];
  }
  return sum;
}

TEST(Ranges, begin_at_every_possible_place_equally_often) {
  const auto parts = made(spec_of(20, {5}));
  std::map<std::uint64_t, double> seen;
  for (int i = 0; i < kRangeDraws; ++i) {
    const PartWanted part = part_of(*parts, ClientId{0});
    EXPECT_EQ(part.extent.count, 5U);
    ASSERT_LE(part.extent.first, 15U);
    EXPECT_FALSE(part.mode.has_value());
    ++seen[part.extent.first];
  }
  EXPECT_LT(chi_square_of_draws(seen, std::vector<double>(16, kRangeDraws / 16.0)),
            37.7);  // 15: 1 in 1000
}

TEST(Ranges, begin_by_the_law_of_the_distribution) {
  WorkloadSpec spec = spec_of(12, {3});
  spec.distribution.kind = DistributionKind::zipf;
  spec.distribution.theta_ppb = 900'000'000;
  const auto parts = made(spec);
  std::map<std::uint64_t, double> seen;
  for (int i = 0; i < kRangeDraws; ++i) ++seen[part_of(*parts, ClientId{0}).extent.first];
  std::vector<double> expected;
  double sum = 0;
  for (int rank = 1; rank <= 10; ++rank) sum += std::pow(rank, -0.9);
  for (int rank = 1; rank <= 10; ++rank)
    expected.push_back(kRangeDraws * std::pow(rank, -0.9) / sum);
  EXPECT_LE(seen.rbegin()->first, 9U);
  EXPECT_LT(chi_square_of_draws(seen, expected), 27.9);  // 9: 1 in 1000
}

TEST(Ranges, as_long_as_the_object_are_always_the_same) {
  const auto parts = made(spec_of(7, {7}));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(part_of(*parts, ClientId{0}).extent, (Extent{0, 7}));
}

TEST(Ranges, of_several_sizes_are_assigned_to_clients_in_turn) {
  const auto parts = made(spec_of(1000, {1, 16, 256}), 1, 7, 1, 10);
  for (int i = 0; i < 100; ++i)
    for (std::uint32_t client = 0; client < 7; ++client)
      EXPECT_EQ(part_of(*parts, ClientId{10 + client}).extent.count, client % 3 == 0   ? 1U
                                                                     : client % 3 == 1 ? 16U
                                                                                       : 256U);
}

TEST(Ranges, of_sizes_drawn_by_operation_are_equally_frequent) {
  WorkloadSpec spec = spec_of(1000, {1, 16, 256});
  spec.range.by_operation = true;
  const auto parts = made(spec);
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < kRangeDraws; ++i) {
    const Extent extent = part_of(*parts, ClientId{0}).extent;
    ASSERT_LE(extent.first + extent.count, 1000U);
    ++seen[extent.count];
  }
  ASSERT_EQ(seen.size(), 3U);
  for (const auto& [size, times] : seen) EXPECT_NEAR(3 * times, kRangeDraws, 2250);  // 5 deviations
}

// So locks.count and a list of sizes affect only what they describe.
TEST(Ranges, do_not_move_with_more_objects_or_sizes) {
  const auto one = made(spec_of(1000, {16}));
  const auto many = made(spec_of(1000, {16}), 10);
  WorkloadSpec drawn = spec_of(1000, {16, 16});
  drawn.range.by_operation = true;
  const auto two_sizes = made(drawn);
  std::map<std::uint64_t, double> seen;
  for (int i = 0; i < kRangeDraws; ++i) {
    const Extent extent = part_of(*one, ClientId{0}).extent;
    const PartWanted other = part_of(*many, ClientId{0});
    ASSERT_EQ(other.extent, extent);
    ASSERT_EQ(part_of(*two_sizes, ClientId{0}).extent, extent);
    ++seen[other.lock.value];
  }
  EXPECT_LT(chi_square_of_draws(seen, std::vector<double>(10, kRangeDraws / 10.0)),
            27.9);  // 9: 1 in 1000
}

TEST(Ranges, are_equal_for_one_seed_and_differ_for_another) {
  const WorkloadSpec spec = spec_of(std::uint64_t{1} << 28U, {1, 16, 256});
  const auto one = made(spec, 3, 4), again = made(spec, 3, 4), other = made(spec, 3, 4, 2);
  int same = 0;
  for (int i = 0; i < 1000; ++i) {
    const ClientId client{static_cast<std::uint32_t>(i % 4)};
    const PartWanted part = part_of(*one, client), repeated = part_of(*again, client);
    EXPECT_EQ(part.extent, repeated.extent);
    EXPECT_EQ(part.lock, repeated.lock);
    same += part_of(*other, client).extent == part.extent ? 1 : 0;
  }
  EXPECT_LT(same, 5);
}

TEST(Ranges, are_requested_by_sections_in_the_modes_of_the_workload) {
  MicroSetup setup;
  setup.spec = spec_of(100, {10});
  setup.spec.read_ratio_ppb = 300'000'000;
  setup.spec.remote_ops = 2;
  setup.spec.object_bytes = 64;
  setup.spec.think_time = microseconds(5);
  setup.find_lock = [](LockId id) { return LockRef{id, RemoteAddr{NodeId{1}, 64 * id.value}}; };
  const auto workload = std::move(MicroWorkload::make(setup)).value();
  const auto parts = made(setup.spec);
  int shared = 0;
  for (int i = 0; i < kRangeDraws; ++i) {
    Section section;
    ASSERT_TRUE(workload->next(ClientId{0}, section));
    ASSERT_EQ(section.wants.size(), 1U);
    EXPECT_EQ(section.wants[0].extent, part_of(*parts, ClientId{0}).extent);
    const bool reads = section.wants[0].mode == LockMode::shared;
    EXPECT_EQ(section.work.reads, reads ? 2U : 0U);
    EXPECT_EQ(section.work.writes, reads ? 0U : 2U);
    EXPECT_EQ(section.think, microseconds(5));
    shared += reads ? 1 : 0;
  }
  EXPECT_NEAR(shared, 30'000, 730);  // 5 deviations
  EXPECT_EQ(workload->hottest(), LockId{0});
}

}  // namespace
}  // namespace latchlab
