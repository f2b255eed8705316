// Switches that undo one repair each: what a search finds without it, and within how many states.
// With the repair the same campaign finds nothing, exhausted or with ten times as many states.
//
// A lease runs out in a search only after a crash or a pause, and when nothing else can happen.
// Switches whose harm takes a live client that is too late are not here (release_fence,
// late_release, progress): tools/verify has campaigns with pauses. Nor are reset_epoch,
// reset_compare, message_lock_id and message_number, taken away one at a time: searches of three
// clients with two operations and a crash found nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/explore/fixture.h"

namespace latchlab::explore {
namespace {

struct Undone {
  const char* name;
  const char* protocol;
  const char* repair;  // NAME=VALUE that takes it away
  Wrong wrong;
  std::size_t moves;  // a shortest way
  std::uint64_t states;
  std::vector<std::string> modes;
  std::uint32_t crashes = 0;
  std::vector<std::string> sets = {};  // in both campaigns
  std::set<Wrong> besides = {};        // what these are found to break, with the repair as well
};

std::ostream& operator<<(std::ostream& out, const Undone& undone) {
  return out << undone.name;
}

class Repairs : public ::testing::TestWithParam<Undone> {
 protected:
  static SearchResult searched(std::uint64_t states, bool undone) {
    Case setup;
    setup.protocol = GetParam().protocol;
    setup.sets = GetParam().sets;
    if (undone) setup.sets.emplace_back(GetParam().repair);
    setup.modes = GetParam().modes;
    setup.client_nodes = static_cast<std::uint32_t>(setup.modes.size());
    setup.operations = static_cast<std::uint32_t>(setup.modes.front().size());
    setup.crashes = GetParam().crashes;
    setup.timeouts = 8;
    SearchBounds bounds;
    bounds.states = states;
    bounds.first_only = undone;
    return search(setup, bounds);
  }
};

TEST_P(Repairs, are_needed_and_enough) {
  const Undone& undone = GetParam();
  const SearchResult without = searched(undone.states, true);
  std::printf("%llu states of %llu\n", static_cast<unsigned long long>(without.states),
              static_cast<unsigned long long>(undone.states));
  std::set<Wrong> expected = undone.besides;
  expected.insert(undone.wrong);
  ASSERT_EQ(kinds(without.findings), expected) << without.cut;
  const auto finding = std::find_if(without.findings.begin(), without.findings.end(),
                                    [&](const Finding& f) { return f.wrong == undone.wrong; });
  EXPECT_EQ(finding->path.size(), undone.moves) << finding->text;

  const SearchResult with = searched(10 * undone.states, false);
  EXPECT_EQ(kinds(with.findings), undone.besides);
  EXPECT_TRUE(with.exhausted || with.states >= 10 * undone.states) << with.cut;
  std::printf("repaired: %llu states%s\n", static_cast<unsigned long long>(with.states),
              with.exhausted ? ", exhausted" : "");
}

const Undone kUndone[] = {
    {"dslr_overtaken", "dslr", "overtaken=before_turn", Wrong::deadlock, 13, 500, {"XS", "SX"}},
    {"dslr_repair",
     "dslr",
     "repair=own_ticket",
     Wrong::mutual_exclusion,
     12,
     50'000,
     {"XX", "SX", "SX"},
     1},
    {"dslr_over_limit", "dslr", "over_limit=undo", Wrong::deadlock, 11, 2'000, {"SS", "SS"}, 1},
    {"shiftlock_mode_changed_epoch",
     "shiftlock",
     "mode_changed_epoch=literal",
     Wrong::deadlock,
     21,
     100'000,
     {"X", "X", "X", "S"},
     0,
     {"recovery=false"}},
    {"shiftlock_handover_epoch",
     "shiftlock",
     "handover_epoch=literal",
     Wrong::deadlock,
     28,
     300'000,
     {"XX", "XS", "XX"},
     0,
     {"recovery=false", "chain_limit=handovers"},
     {Wrong::bypassed}},
};

INSTANTIATE_TEST_SUITE_P(all, Repairs, ::testing::ValuesIn(kUndone),
                         [](const auto& made) { return std::string(made.param.name); });

}  // namespace
}  // namespace latchlab::explore
