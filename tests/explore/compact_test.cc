// States that are compared by hashes give the same verdict, in less memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/explore/fixture.h"
#include "tests/explore/locks.h"
#include "tests/non_empty.h"
#include "tools/explore/store.h"

namespace latchlab::explore {
namespace {

std::map<Violation, std::size_t> found(const SearchResult& result) {
  std::map<Violation, std::size_t> found;
  for (const Counterexample& each : result.counterexamples)
    if (each.violation != Violation::no_progress) found[each.violation] = each.path.size();
  return found;
}

void expect_equal_verdicts(const Campaign& campaign) {
  SearchBounds whole;
  whole.states = 30'000;
  SearchBounds compact = whole;
  compact.compact = true;
  for (const Case& setup : non_empty(cases_of(campaign))) {
    SCOPED_TRACE(setup.protocol + ", " + describe(setup));
    const SearchResult one = search(setup, whole);
    const SearchResult other = search(setup, compact);
    EXPECT_EQ(one.states, other.states);
    EXPECT_EQ(one.transitions, other.transitions);
    EXPECT_EQ(one.exhausted, other.exhausted);
    EXPECT_EQ(one.terminal, other.terminal);
    EXPECT_EQ(found(one), found(other));
    EXPECT_EQ(one.chance_of_a_miss, 0);
    EXPECT_LT(other.chance_of_a_miss, 1e-9);
  }
}

class Compact : public ::testing::TestWithParam<std::string> {};

TEST_P(Compact, gives_the_same_verdict) {
  expect_equal_verdicts(about(GetParam(), 2, 1));
  Campaign faulty = about(GetParam(), 2, 1);
  faulty.base.crashes = faulty.base.pauses = faulty.base.cuts = 1;
  expect_equal_verdicts(faulty);
}

INSTANTIATE_TEST_SUITE_P(all, Compact,
                         ::testing::Values("alock", "cas", "cql", "dslr", "mcs", "shiftlock"),
                         [](const auto& made) { return made.param; });

TEST(Compact, finds_what_is_wrong_with_a_printed_lock) {
  Campaign printed = with_sets(about("dslr", 2, 2), {"overtaken=before_turn"});
  printed.compact = true;
  EXPECT_FALSE(run(printed).counterexamples.empty());
}

TEST(Compact, needs_less_memory) {
  Case setup = about("alock", 3, 2).base;
  setup.client_nodes = 3;
  SearchBounds bounds;
  bounds.states = 150'000;
  const std::uint64_t whole = search(setup, bounds).memory_bytes;
  bounds.compact = true;
  EXPECT_LT(search(setup, bounds).memory_bytes, whole);
}

TEST(StateStore, tells_the_chance_of_a_miss) {
  StateStore store(1, true);
  for (BlobId i = 0; i < 100'000; ++i) EXPECT_TRUE(store.intern(std::vector<BlobId>{i}).second);
  for (BlobId i = 0; i < 100'000; ++i) EXPECT_FALSE(store.intern(std::vector<BlobId>{i}).second);
  // 1e5 * 1e5 / 2^65
  EXPECT_NEAR(store.chance_of_a_miss(), 2.7e-10, 0.1e-10);
  const std::uint64_t bytes = store.bytes();
  store.forget_before(90'000);
  EXPECT_LT(store.bytes(), bytes);
  EXPECT_EQ(store.row(99'999).front(), 99'999U);
}

}  // namespace
}  // namespace latchlab::explore
