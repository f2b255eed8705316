// static_segments, broken on purpose.

#include "tests/protocols/planted.h"
#include "tests/protocols/static_segments/stretches.h"

namespace latchlab::static_segments_tests {
namespace {

using explore::Violation;
using testing::Bug;

constexpr Bug kForgets{"static_segments_forgets_the_last"};  // segment of a range
constexpr Bug kBothWays{"static_segments_goes_both_ways"};   // depending on where the range begins
constexpr Bug kKeeps{"static_segments_keeps_the_rest"};      // when it releases

// Without leases nothing ends a deadlock.
explore::Campaign ranges(std::vector<Extent> extents) {
  explore::Campaign campaign = testing::searched("static_segments", {"X", "X"});
  campaign.base.extents = std::move(extents);
  campaign.base.sets = {"lease=0us", "units=4"};
  return campaign;
}

TEST(static_segments_planted, a_segment_that_is_forgotten) {
  testing::expect_caught(kForgets, 20, [](std::uint64_t seed) {
    return testing::run(stretches(2), seed).safety.violations > 0;
  });
}
TEST(static_segments_planted, a_segment_that_is_forgotten_is_detected_by_guard_words) {
  testing::RunSetup setup = stretches(2);
  setup.guard = GuardMode::on;
  setup.guard_slots = 64;
  testing::expect_caught(
      kForgets, 100,
      [&](std::uint64_t seed) { return judge(testing::run(setup, seed).guard).violations > 0; },
      100);
}
TEST(static_segments_planted, a_search_finds_a_segment_that_is_forgotten) {
  testing::expect_found(kForgets, Violation::mutual_exclusion, 5'000, ranges({{0, 2}, {1, 2}}));
}

TEST(static_segments_planted, segments_taken_in_two_orders) {
  testing::expect_found(kBothWays, Violation::deadlock, 5'000, ranges({{0, 3}, {1, 2}}));
}

TEST(static_segments_planted, a_release_of_the_first_segment_alone) {
  testing::expect_found(kKeeps, Violation::deadlock, 5'000, ranges({{0, 2}, {1, 2}}));
}

}  // namespace
}  // namespace latchlab::static_segments_tests
