// What searches show of citron: no violation with all repairs, and one without each repair.

#include <gmock/gmock.h>

#include "tests/explore/locks.h"
#include "tests/protocols/citron/cases.h"

namespace latchlab::citron_tests {
namespace {

using explore::Campaign;
using explore::kinds;
using explore::Trace;
using explore::Violation;
using Found = explore::Verdict;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Found expect_sound(const Campaign& campaign) {
  const Found verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
  std::printf("%llu states\n", static_cast<unsigned long long>(verdict.states));
  return verdict;
}

// Without the repair two clients hold the lock; with it the same search finds no violation.
void expect_needed(const char* printed, const Campaign& campaign, std::size_t moves) {
  const Found verdict = run(with(campaign, {printed}));
  EXPECT_EQ(kinds(verdict), std::set{Violation::mutual_exclusion}) << printed;
  for (const Trace& trace : verdict.counterexamples) {
    EXPECT_EQ(trace.counterexample.path.size(), moves) << trace.counterexample.text;
    EXPECT_TRUE(replay(trace).fits);
  }
  expect_sound(campaign);
}
// Without the repair clients wait for each other forever.
void expect_needed_to_go_on(const char* printed, const Campaign& campaign) {
  const Found verdict = run(with(campaign, {printed}));
  EXPECT_THAT(verdict.counterexamples, IsEmpty());
  EXPECT_FALSE(verdict.exhausted);
  EXPECT_THAT(verdict.cut, HasSubstr("horizon"));
  expect_sound(campaign);
}

// ---- sound ----

TEST(citron_search, two_ranges_of_a_leaf_are_sound) {
  expect_sound(ranges({from_to(0, 10), from_to(5, 15)}, microseconds(2), {}, 2, 2));
}
TEST(citron_search, a_leaf_and_its_ancestor_are_sound) {
  for (const char* meet : {"meet=1", "meet=2"}) {
    const Extents low_and_high = {from_to(0, 10), from_to(0, 1024)};
    Campaign campaign = ranges(low_and_high, microseconds(2), {"units=1024", meet}, 2, 2);
    expect_sound(campaign);
    campaign.base.operations = 1;
    campaign.base.modes = {"X", "X"};
    campaign.drift_ppm = 100;
    expect_sound(campaign);
  }
}
TEST(citron_search, three_levels_are_sound) {
  expect_sound(ranges({from_to(0, 1024), from_to(0, 256), from_to(0, 10)}, microseconds(2),
                      {"units=1024", "lock_children=false"}, 3));
}
TEST(citron_search, ranges_of_several_nodes_are_sound) {
  expect_sound(ranges({from_to(192, 512), from_to(256, 512), from_to(0, 1024)}, microseconds(2),
                      {"units=1024", "nodes=2"}, 3));
}
TEST(citron_search, trees_that_grow_are_sound) {
  for (const char* meet : {"meet=1", "meet=2"}) {
    expect_sound(ranges({from_to(256, 300), from_to(0, 256), from_to(0, 512)}, microseconds(2),
                        {"scale_up_poll=1ns", meet}, 2, 2));
    expect_sound(ranges({from_to(256, 300), from_to(0, 10), from_to(1024, 1030), from_to(0, 512)},
                        microseconds(2), {"scale_up_poll=1ns", meet}, 2, 3));
  }
}
TEST(citron_search, all_cases_are_sound_without_the_fast_path) {
  const Sets plain = {"batch_search=false", "batch_occupy=false", "lock_children=false"};
  expect_sound(ranges({from_to(0, 256), from_to(0, 10)}, microseconds(2), plain, 2, 2));
}

// ---- clients that crash ----

TEST(citron_search, a_leaf_and_its_ancestor_are_sound_when_a_client_crashes) {
  const Found verdict = expect_sound(
      dying(ranges({from_to(0, 256), from_to(0, 10)}, microseconds(2), {"lock_children=false"})));
  EXPECT_THAT(verdict.unreached,  // line 36
              Not(Contains("requests of the dead are counted as over")));
}
TEST(citron_search, a_leaf_is_sound_when_a_client_crashes) {
  expect_sound(dying(ranges({from_to(0, 10), from_to(5, 15)}, microseconds(2))));
}

// ---- labelled paths ----

// In random walks with two latencies no violation is found, and these paths are taken.
void expect_taken(Campaign campaign, Duration slow, const std::set<std::string>& paths) {
  campaign.base.time.latencies = {microseconds(1), slow};
  campaign.method = explore::Method::random;
  campaign.budget = 8'000;
  const Found verdict = run(campaign);
  EXPECT_EQ(kinds(verdict), std::set<Violation>{});
  for (const std::string& path : verdict.unreached) EXPECT_EQ(paths.count(path), 0U) << path;
}

TEST(citron_search, walks_take_every_recovery_path) {
  Campaign campaign = ranges({from_to(0, 256), from_to(0, 256), from_to(0, 10)}, microseconds(2),
                             {"t_wait=12us", "lease=20us", "poll_pause=5us"}, 3, 2);
  campaign.base.crashes = 1;
  expect_taken(campaign, microseconds(3),
               {"a node is taken over from the dead",               // line 11
                "an ancestor that stands still is locked instead",  // 18
                "bits of a dead client are cleared",                // 22
                "a ticket behind other tickets waits for them to recover a node",
                "a request waits too long for some below",
                "a request whose lease is over is left to other clients"});
}
TEST(citron_search, walks_take_every_path_of_requests_while_a_tree_grows) {
  expect_taken(ranges({from_to(0, 10), from_to(256, 300), from_to(260, 300)}, microseconds(8),
                      {"scale_up_poll=20us"}, 2, 3),
               microseconds(6),
               {"the tree grows behind a request", "a search sees that the tree has grown",
                "a request is told to a tree that has grown",
                "the tree has grown before a range is released",
                "the tree has grown while a client waited for what is beyond it"});
}

// ---- repairs ----

TEST(citron_search, shows_that_Exp_has_to_be_counted) {
  expect_needed("expansion=flag", root_of_a_tree_that_grows(), 173);
}
TEST(citron_search, shows_that_a_node_above_leaves_can_deadlock) {
  expect_needed_to_go_on("between_nodes=wait", node_above_two_leaves());
}
TEST(citron_search, shows_that_a_parent_replaces_all_below_it) {
  expect_needed_to_go_on("fallback=node", leaf_that_cannot_be_had());
}
TEST(citron_search, shows_that_a_node_needs_one_lease_per_level) {
  expect_needed("patience=one_lease", leaf_held_for_almost_a_lease(), 61);
}
// Random walks, because the clients have to arrive in a certain order.
TEST(citron_search, shows_that_a_client_that_waited_beyond_the_tree_must_check_its_bounds) {
  Campaign campaign = ranges({from_to(0, 10), from_to(256, 300), from_to(260, 300)},
                             microseconds(8), {"scale_up_poll=20us"}, 2, 3);
  campaign.base.time.latencies = {microseconds(1), microseconds(6)};
  campaign.base.time.horizon = microseconds(6'000);
  campaign.method = explore::Method::random;
  campaign.budget = 1'000;
  const Found without = run(with(campaign, {"out_of_bounds=trusted"}));
  EXPECT_EQ(kinds(without), std::set{Violation::mutual_exclusion});
  for (const Trace& trace : without.counterexamples) EXPECT_TRUE(replay(trace).fits);
  EXPECT_EQ(kinds(run(campaign)), std::set<Violation>{});
}
// A client is paused between a try at a leaf and the undo of its notification to the node above.
TEST(citron_search, shows_that_a_late_undo_hides_a_holder) {
  Campaign campaign = ranges({from_to(0, 10), from_to(5, 15), from_to(0, 256), from_to(0, 10)},
                             microseconds(8), {"t_wait=5us", "lease=20us", "poll_pause=5us"}, 3, 2);
  campaign.base.pauses = 1;
  campaign.base.time.pause = microseconds(70);
  campaign.method = explore::Method::random;
  campaign.budget = 300;
  const Found without = run(with(campaign, {"undo=always"}));
  EXPECT_EQ(kinds(without), std::set{Violation::mutual_exclusion});
  for (const Trace& trace : without.counterexamples) EXPECT_TRUE(replay(trace).fits);
  EXPECT_EQ(kinds(run(campaign)), std::set<Violation>{});
}
TEST(citron_search, shows_that_m_may_change_only_after_older_requests_have_ended) {
  expect_needed("acknowledge=at_once", leaf_told_at_the_old_distance(), 176);
}

}  // namespace
}  // namespace latchlab::citron_tests
