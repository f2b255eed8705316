// What a search guarantees: every order of events, each state once, and a shortest path to a
// violation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/explore/fixture.h"
#include "tests/non_empty.h"

namespace latchlab::explore {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

void expect_exhausted_and_sound(const Verdict& verdict) {
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
}

class Small : public ::testing::TestWithParam<std::string> {};

// Clients that access the state of their node before and after each operation multiply the number
// of states: tools/verify runs two clients with a crash and three clients. (declock has even more
// of these accesses, and tests of its own with one operation each.)
class Smaller : public Small {};

std::vector<std::string> all_but(std::vector<std::string> with_many_states) {
  std::vector<std::string> names = remote_protocol_names();
  for (const std::string& each : with_many_states) std::erase(names, each);
  return names;
}

TEST_P(Small, two_clients_with_two_operations_are_exhausted_and_sound) {
  const Verdict verdict = run(about(GetParam(), 2, 2));
  expect_exhausted_and_sound(verdict);
  EXPECT_GT(verdict.states, 50U);
}

TEST_P(Smaller, three_clients_are_exhausted_and_sound) {
  expect_exhausted_and_sound(run(about(GetParam(), 3, 1)));
}

TEST_P(Smaller, the_same_campaign_twice_gives_the_same_verdict) {
  const Verdict once = run(with_crash(about(GetParam(), 2, 2)));
  const Verdict again = run(with_crash(about(GetParam(), 2, 2)));
  // A compiler may keep a value in a register, which makes two states of one. With sanitizers that
  // happened for one state in eight.
  const auto about_as_many = static_cast<double>(once.states) / 5;
  EXPECT_NEAR(static_cast<double>(once.states), static_cast<double>(again.states), about_as_many);
  EXPECT_EQ(once.exhausted, again.exhausted);
  EXPECT_EQ(once.cases, again.cases);
  EXPECT_EQ(once.unreached, again.unreached);
  EXPECT_EQ(kinds(once), kinds(again));
}

// A search compares only what was touched; a lock that changes the state of other clients costs it
// twice the time.
TEST_P(Small, no_lock_changes_what_belongs_to_another_client) {
  for (const std::uint32_t faults : {0U, 1U}) {
    Case setup = about(GetParam(), 2, 1).base;
    setup.crashes = setup.pauses = faults;
    SearchBounds bounds;
    bounds.states = 20'000;
    EXPECT_FALSE(search(setup, bounds).facts.strays()) << faults << " faults of each kind";
  }
}

TEST_P(Small, two_locks_one_after_the_other_are_exhausted_and_sound) {
  Campaign campaign = about(GetParam(), 2, 2);
  campaign.base.locks = 2;
  const Verdict verdict = run(campaign);
  expect_exhausted_and_sound(verdict);
  EXPECT_GT(verdict.states, 100U);
}

INSTANTIATE_TEST_SUITE_P(all, Small, ::testing::ValuesIn(all_but({"declock"})),
                         [](const auto& made) { return made.param; });
INSTANTIATE_TEST_SUITE_P(all, Smaller, ::testing::ValuesIn(all_but({"cql", "declock"})),
                         [](const auto& made) { return made.param; });

// ---- reductions: the same verdicts without them ----

// A tree, in which a state that is reached again is a new one, may be too large, or infinite if a
// client can poll without success for ever.
enum class Tree { whole, cut_with_readers, cut };
constexpr std::uint64_t kTreeStates = 50'000;
constexpr std::uint64_t kCutTreeStates = 4'000;

struct Compared {
  const char* name;
  Campaign campaign;
  Tree tree;
};

std::ostream& operator<<(std::ostream& out, const Compared& compared) {
  return out << compared.name;
}

class Shortcuts : public ::testing::TestWithParam<Compared> {
 protected:
  static bool has(const Case& setup, char mode) {
    return describe(setup).find(mode) != std::string::npos;
  }
  static bool tree_is_cut(const Case& setup) {
    if (GetParam().tree == Tree::cut_with_readers) return has(setup, 'S') && has(setup, 'X');
    return GetParam().tree == Tree::cut;
  }
};

TEST_P(Shortcuts, merged_steps_do_not_change_the_verdict) {
  for (const Case& setup : non_empty(cases_of(GetParam().campaign))) {
    SCOPED_TRACE(describe(setup));
    Case every_step = setup;
    every_step.reduce = false;
    const SearchResult merged = search(setup, {});
    const SearchResult whole = search(every_step, {});
    EXPECT_TRUE(merged.exhausted) << merged.cut;
    EXPECT_TRUE(whole.exhausted) << whole.cut;
    EXPECT_FALSE(merged.terminal.empty());
    EXPECT_EQ(merged.terminal, whole.terminal);
    EXPECT_EQ(kinds(merged.counterexamples), kinds(whole.counterexamples));
    EXPECT_LT(merged.states, whole.states);
  }
}

// If the tree is cut, the search must know every state that it shows.
TEST_P(Shortcuts, comparing_states_does_not_change_the_verdict) {
  SearchBounds bounds;
  bounds.match = false;
  for (const Case& setup : non_empty(cases_of(GetParam().campaign))) {
    SCOPED_TRACE(describe(setup));
    bounds.states = tree_is_cut(setup) ? kCutTreeStates : kTreeStates;
    const SearchResult compared = search(setup, {});
    const SearchResult tree = search(setup, bounds);
    EXPECT_TRUE(compared.exhausted) << compared.cut;
    if (tree_is_cut(setup)) {
      EXPECT_THAT(compared.terminal, IsSupersetOf(tree.terminal));
      EXPECT_THAT(kinds(compared.counterexamples), IsSupersetOf(kinds(tree.counterexamples)));
      continue;
    }
    EXPECT_TRUE(tree.exhausted) << tree.states << " states";
    EXPECT_EQ(compared.terminal, tree.terminal);
    EXPECT_EQ(kinds(compared.counterexamples), kinds(tree.counterexamples));
    EXPECT_LT(compared.states, tree.states);
  }
}

const Compared kCompared[] = {
    {"cas_2x1", about("cas", 2, 1), Tree::whole},
    {"cas_2x2", about("cas", 2, 2), Tree::cut},
    {"cas_2x1_crash", with_crash(about("cas", 2, 1)), Tree::whole},
    {"mcs_2x1", about("mcs", 2, 1), Tree::whole},
    {"mcs_2x2", about("mcs", 2, 2), Tree::cut},
    {"mcs_2x1_crash", with_crash(about("mcs", 2, 1)), Tree::whole},
    {"dslr_2x1", about("dslr", 2, 1), Tree::whole},
    {"dslr_2x2", about("dslr", 2, 2), Tree::cut},
    {"dslr_2x1_crash", with_crash(about("dslr", 2, 1)), Tree::whole},
    {"dslr_2x2_that_overtakes", with_sets(about("dslr", 2, 2), {"overtaken=before_turn"}),
     Tree::cut},
    {"shiftlock_2x1", about("shiftlock", 2, 1), Tree::cut_with_readers},
    {"shiftlock_2x2", about("shiftlock", 2, 2), Tree::cut},
    {"shiftlock_2x1_crash", with_crash(about("shiftlock", 2, 1)), Tree::cut_with_readers},
};

INSTANTIATE_TEST_SUITE_P(all, Shortcuts, ::testing::ValuesIn(kCompared),
                         [](const auto& made) { return std::string(made.param.name); });

// ---- crashes ----

class Survives : public ::testing::TestWithParam<const char*> {};

TEST_P(Survives, a_crash_among_two_clients_with_two_operations) {
  expect_exhausted_and_sound(run(with_crash(about(GetParam(), 2, 2))));
}

TEST_P(Survives, a_crash_among_three_clients) {
  expect_exhausted_and_sound(run(with_crash(about(GetParam(), 3, 1))));
}

INSTANTIATE_TEST_SUITE_P(all, Survives, ::testing::Values("dslr", "shiftlock"),
                         [](const auto& made) { return std::string(made.param); });

TEST(Crash, a_queue_without_leases_deadlocks_after_one) {
  const Verdict verdict = run(with_crash(about("mcs", 2, 1)));
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_EQ(kinds(verdict).count(Violation::deadlock), 1U);
  EXPECT_EQ(kinds(verdict).count(Violation::mutual_exclusion), 0U);
}

TEST(Crash, a_spin_lock_deadlocks_after_one) {
  const Verdict verdict = run(with_crash(about("cas", 2, 1)));
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_EQ(kinds(verdict).count(Violation::deadlock), 1U);
  EXPECT_EQ(kinds(verdict).count(Violation::mutual_exclusion), 0U);
}

TEST(Crash, too_few_timeouts_are_reported) {
  Campaign campaign = with_crash(about("shiftlock", 2, 1));
  campaign.base.timeouts = 0;
  const Verdict verdict = run(campaign);
  EXPECT_FALSE(verdict.exhausted);
  EXPECT_EQ(verdict.cut, "the bound on timeouts was reached");
  EXPECT_TRUE(verdict.counterexamples.empty());
}

// ---- what a verdict reports ----

TEST(Paths, recovery_is_reached_only_with_crashes) {
  const std::string granted = "a request for recovery is granted";
  const Verdict alive = run(about("shiftlock", 2, 1));
  EXPECT_THAT(alive.unreached, Contains(granted));
  EXPECT_THAT(alive.unreached, Contains("the server resets a lock"));
  const Verdict crashed = run(with_crash(about("shiftlock", 2, 1)));
  EXPECT_THAT(crashed.unreached, Not(Contains(granted)));
  EXPECT_THAT(crashed.unreached, Not(Contains("the server resets a lock")));
  EXPECT_EQ(alive.paths, crashed.paths);
  EXPECT_GT(alive.paths, alive.unreached.size());
}

TEST(Budget, a_bound_on_states_is_kept_and_reported) {
  Campaign campaign = about("shiftlock", 3, 2);
  campaign.budget = 1'000;
  const Verdict verdict = run(campaign);
  EXPECT_FALSE(verdict.exhausted);
  EXPECT_EQ(verdict.cut, "the bound on states was reached");
  EXPECT_GE(verdict.states, 1'000U);
  EXPECT_LT(verdict.states, 1'100U);
  EXPECT_LT(verdict.cases, verdict.all_cases);
}

TEST(Budget, a_stopped_search_reports_it) {
  const Verdict verdict =
      run(about("shiftlock", 3, 1), [](const CampaignProgress&) { return false; });
  EXPECT_FALSE(verdict.exhausted);
  EXPECT_EQ(verdict.cut, "interrupted");
}

TEST(Shortest, the_first_counterexample_of_a_kind_is_a_shortest_one) {
  for (const Case& setup : non_empty(cases_of(with_crash(about("mcs", 2, 1))))) {
    SearchBounds first;
    first.first_only = true;
    const SearchResult quick = search(setup, first);
    const SearchResult whole = search(setup, {});
    ASSERT_EQ(quick.counterexamples.size(), 1U);
    EXPECT_FALSE(quick.exhausted);
    EXPECT_EQ(quick.cut, "the first finding ends the search");
    EXPECT_LT(quick.states, whole.states);
    EXPECT_EQ(quick.counterexamples.front().path, whole.counterexamples.front().path);
  }
}

}  // namespace
}  // namespace latchlab::explore
