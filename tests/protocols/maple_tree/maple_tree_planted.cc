// maple_tree, broken on purpose.

#include "tests/protocols/range_server/searched.h"

namespace latchlab::range_server_tests {
namespace {

using explore::Violation;

constexpr Bug kBefore{"maple_tree_overlooks_the_range_before"};  // and looks at the one after it
constexpr Bug kErases{"maple_tree_erases_the_first"};  // of the leaf, whichever client releases

TEST(maple_tree_planted, a_range_that_begins_within_another) {
  expect_caught(kBefore, 20, [](std::uint64_t seed) {
    return run(stretches("maple_tree", 2), seed).safety.violations > 0;
  });
}
TEST(maple_tree_planted, a_search_finds_a_range_that_begins_within_another) {
  expect_found(kBefore, Violation::mutual_exclusion, 5'000,
               extents(searched("maple_tree", {"X", "X"}), {{0, 2}, {1, 2}}));
}

TEST(maple_tree_planted, another_range_is_released) {
  expect_caught(kErases, 20, [](std::uint64_t seed) {
    const Outcome outcome = run(stretches("maple_tree", 1), seed);
    return outcome.end != RunEnd::finished || !outcome.safe();
  });
}
TEST(maple_tree_planted, a_search_finds_that_another_range_is_released) {
  expect_found(kErases, Violation::mutual_exclusion, 20'000,
               extents(searched("maple_tree", {"XX", "XX"}), {{0, 1}, {1, 1}}));
}

}  // namespace
}  // namespace latchlab::range_server_tests
