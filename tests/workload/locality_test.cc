// Locks on the client's own server and on others, under both placements that spread them.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "core/workload/micro.h"
#include "tests/non_empty.h"

namespace latchlab {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

LockTableSpec table(std::uint64_t count, PlacementKind kind) {
  LockTableSpec locks;
  locks.count = count;
  locks.placement = kind;
  return locks;
}

DistributionSpec zipf_one() {
  DistributionSpec spec;
  spec.kind = DistributionKind::zipf;
  spec.theta_ppb = kBillion;
  return spec;
}

// How often a client on `home` draws each lock.
std::map<std::uint64_t, double> frequencies(const LocalKeys& keys, std::uint32_t home, int draws) {
  Rng rng(3, home, StreamPurpose::keys);
  std::map<std::uint64_t, double> seen;
  for (int i = 0; i < draws; ++i) ++seen[keys.next(rng, home).value];
  return seen;
}

class Locality : public testing::TestWithParam<PlacementKind> {};
INSTANTIATE_TEST_SUITE_P(Placements, Locality,
                         testing::Values(PlacementKind::round_robin, PlacementKind::partitioned),
                         [](const auto& made) {
                           return made.param == PlacementKind::round_robin ? "round_robin"
                                                                           : "partitioned";
                         });

TEST_P(Locality, maps_locks_to_places_and_back) {
  for (const std::uint64_t count : {4, 10, 11, 1000}) {
    const Placement placement(table(count, GetParam()), 4);
    std::vector<std::uint64_t> found(4, 0);
    for (std::uint64_t lock = 0; lock < count; ++lock) {
      const Placement::Slot place = placement.place_of(LockId{lock});
      EXPECT_LT(place.index, placement.locks_on(place.server));
      EXPECT_EQ(placement.lock_at(place), LockId{lock});
      ++found[place.server];
    }
    for (std::uint64_t server = 0; server < 4; ++server)
      EXPECT_EQ(found[server], placement.locks_on(server));
  }
}

// P(lock) = P(server) x P(rank on it): 13 locks on 4 servers, so that servers differ in number.
TEST_P(Locality, gives_each_lock_exactly_its_share) {
  constexpr int kDraws = 200'000;
  const LockTableSpec locks = table(13, GetParam());
  const Placement placement(locks, 4);
  const auto keys = LocalKeys::make(zipf_one(), locks, 4, 700'000'000, 1);
  ASSERT_TRUE(keys.ok());
  for (std::uint32_t home = 0; home < 4; ++home) {
    auto seen = frequencies(keys.value(), home, kDraws);
    double chi_square = 0;
    for (std::uint64_t lock = 0; lock < 13; ++lock) {
      const Placement::Slot place = placement.place_of(LockId{lock});
      double harmonic = 0;
      for (std::uint64_t rank = 1; rank <= placement.locks_on(place.server); ++rank)
        harmonic += 1.0 / static_cast<double>(rank);
      const double server = place.server == home ? 0.7 : 0.1;
      const double expected = kDraws * server / (static_cast<double>(place.index + 1) * harmonic);
      chi_square += std::pow(seen[lock] - expected, 2) / expected;
    }
    EXPECT_LT(chi_square, 32.9);  // 12 degrees of freedom: 1 in 1000
  }
}

TEST_P(Locality, of_0_and_100_percent_is_exact) {
  const LockTableSpec locks = table(10, GetParam());
  const Placement placement(locks, 3);
  const auto all = LocalKeys::make({}, locks, 3, kBillion, 1);
  const auto none = LocalKeys::make({}, locks, 3, 0, 1);
  for (const auto& [lock, times] : non_empty(frequencies(all.value(), 2, 1000)))
    EXPECT_EQ(placement.place_of(LockId{lock}).server, 2U);
  for (const auto& [lock, times] : non_empty(frequencies(none.value(), 2, 1000)))
    EXPECT_NE(placement.place_of(LockId{lock}).server, 2U);
}

}  // namespace
}  // namespace latchlab
