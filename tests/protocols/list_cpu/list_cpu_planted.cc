// list_cpu, broken on purpose.

#include "tests/protocols/range_server/searched.h"

namespace latchlab::range_server_tests {
namespace {

using explore::Violation;

constexpr Bug kEnds{"list_cpu_lets_ends_meet"};    // of two ranges, in one unit
constexpr Bug kFirst{"list_cpu_marks_the_first"};  // whichever client releases

TEST(list_cpu_planted, ranges_that_meet_in_one_unit) {
  expect_caught(kEnds, 20, [](std::uint64_t seed) {
    return run(stretches("list_cpu", 2), seed).safety.violations > 0;
  });
}
TEST(list_cpu_planted, a_search_finds_ranges_that_meet_in_one_unit) {
  expect_found(kEnds, Violation::mutual_exclusion, 5'000,
               extents(searched("list_cpu", {"X", "X"}), {{0, 2}, {1, 2}}));
}

TEST(list_cpu_planted, another_range_is_released) {
  expect_caught(kFirst, 20, [](std::uint64_t seed) {
    const Outcome outcome = run(stretches("list_cpu", 1), seed);
    return outcome.end != RunEnd::finished || !outcome.safe();
  });
}
TEST(list_cpu_planted, a_search_finds_that_another_range_is_released) {
  expect_found(kFirst, Violation::mutual_exclusion, 20'000,
               extents(searched("list_cpu", {"XX", "XX"}), {{0, 1}, {1, 1}}));
}

}  // namespace
}  // namespace latchlab::range_server_tests
