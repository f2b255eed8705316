// interval_tree, broken on purpose.

#include "tests/protocols/range_server/searched.h"

namespace latchlab::range_server_tests {
namespace {

using explore::Violation;

constexpr Bug kLeft{"interval_tree_forgets_what_the_left_reaches"};  // when it adds up `reach`
constexpr Bug kLastUnit{"interval_tree_leaves_out_the_last_unit"};   // of ranges in the tree
constexpr Bug kPasses{"interval_tree_passes_who_waits"};             // looks at holders alone
constexpr Bug kOne{"interval_tree_tells_one_of_several"};            // that could be granted
constexpr Bug kAll{"interval_tree_counts_all_down"};  // also clients that came earlier

// Three clients, each with a range of its own; the client `hurried` gives up at once.
RunSetup three(const std::array<Extent, 3>& ranges, std::uint32_t hurried = 3) {
  RunSetup setup = crowd("interval_tree");
  setup.section = [=](ClientId client, std::uint64_t count, const World& world, Section& section) {
    want(world, section, 0, LockMode::exclusive, ranges[client.value]);
    if (client.value == hurried) section.options.deadline = world.verbs(client).now();
    section.work.hold = nanoseconds(100);
    return count < 6;
  };
  return setup;
}

void expect_broken(Bug bug, const RunSetup& setup) {
  expect_caught(bug, 100, [&](std::uint64_t seed) {
    const Outcome outcome = run(setup, seed);
    return !outcome.safe() || outcome.end != RunEnd::finished;
  });
}

explore::Campaign searched_with(std::vector<Extent> ranges) {
  const std::vector<std::string> modes(ranges.size(), "X");
  return extents(searched("interval_tree", modes), std::move(ranges));
}

TEST(interval_tree_planted, ranges_that_meet_in_one_unit) {
  expect_broken(kLastUnit, stretches("interval_tree", 2));
}
TEST(interval_tree_planted, a_search_finds_ranges_that_meet_in_one_unit) {
  expect_found(kLastUnit, Violation::mutual_exclusion, 5'000, searched_with({{0, 2}, {1, 2}}));
}

// A wide range to the left of one that ends earlier.
TEST(interval_tree_planted, a_range_that_a_lookup_misses) {
  expect_broken(kLeft, three({{{50, 1}, {0, 100}, {90, 1}}}));
}
TEST(interval_tree_planted, a_search_finds_a_range_that_a_lookup_misses) {
  expect_found(kLeft, Violation::mutual_exclusion, 20'000, searched_with({{1, 1}, {0, 3}, {2, 1}}));
}

TEST(interval_tree_planted, a_client_that_does_not_wait_for_earlier_waiters) {
  expect_broken(kPasses, three({{{0, 2}, {0, 1}, {0, 1}}}));
}
TEST(interval_tree_planted, a_search_finds_a_client_that_does_not_wait_for_earlier_waiters) {
  expect_found(kPasses, Violation::mutual_exclusion, 20'000,
               searched_with({{0, 2}, {0, 1}, {0, 1}}));
}

// A wide range blocks two waiters.
TEST(interval_tree_planted, a_release_that_notifies_one_of_two_waiters) {
  expect_found(kOne, Violation::deadlock, 20'000, searched_with({{0, 2}, {0, 1}, {1, 1}}));
}

// The client was behind one that waits for the holder.
TEST(interval_tree_planted, a_withdrawal_that_counts_down_earlier_waiters_too) {
  expect_broken(kAll, three({{{0, 1}, {0, 2}, {0, 4}}}, 2));
}

}  // namespace
}  // namespace latchlab::range_server_tests
