#pragma once
// What searches show about single locks: claims that hold, and repairs that are necessary. The
// searches of each lock are in tests/protocols/NAME/NAME_search.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/explore/fixture.h"
#include "tests/modes.h"

namespace latchlab::explore {

// The lock of the small model, changed by `sets`.
inline std::unique_ptr<Protocol> lock(const std::string& name, std::vector<std::string> sets = {}) {
  Case setup;
  setup.protocol = name;
  setup.sets = std::move(sets);
  return make_protocol(setup);
}

// The bounds on bypassing that the lock claims, in every order of events.
inline void expect_claim_kept(const Campaign& campaign) {
  const std::uint64_t acquisitions = std::uint64_t{campaign.clients} * campaign.base.operations;
  const auto protocol = make_protocol(campaign.base);
  EXPECT_NE(protocol->bypass_bound(kX, kX, acquisitions), std::nullopt);
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
  std::printf("%llu states\n", static_cast<unsigned long long>(verdict.states));
}

// A switch that undoes one repair: what a search finds without the repair, and within how many
// states. With the repair the same campaign finds nothing: it exhausts the states, or explores ten
// times as many.
//
// In a search a lease expires only after a crash or a pause, and when nothing else can happen. A
// switch that does harm only if a live client is too late is not tested in this way: the campaigns
// of tools/verify have pauses.
struct Undone {
  const char* protocol = nullptr;
  const char* repair = nullptr;  // NAME=VALUE that undoes it
  Violation violation = Violation::deadlock;
  std::size_t moves = 0;  // of a shortest counterexample
  std::uint64_t states = 0;
  std::vector<std::string> modes = {};
  std::uint32_t crashes = 0;
  std::vector<std::string> sets = {};  // in both campaigns
  std::set<Violation> besides = {};    // violations that are found with the repair as well
};

inline SearchResult searched(const Undone& undone, std::uint64_t states, bool without) {
  Case setup;
  setup.protocol = undone.protocol;
  setup.sets = undone.sets;
  if (without) setup.sets.emplace_back(undone.repair);
  setup.modes = undone.modes;
  setup.client_nodes = static_cast<std::uint32_t>(setup.modes.size());
  setup.operations = static_cast<std::uint32_t>(setup.modes.front().size());
  setup.crashes = undone.crashes;
  setup.timeouts = 8;
  SearchBounds bounds;
  bounds.states = states;
  bounds.first_only = without;
  return search(setup, bounds);
}

inline void expect_needed_and_enough(const Undone& undone) {
  const SearchResult without = searched(undone, undone.states, true);
  std::printf("%llu states of %llu\n", static_cast<unsigned long long>(without.states),
              static_cast<unsigned long long>(undone.states));
  std::set<Violation> expected = undone.besides;
  expected.insert(undone.violation);
  ASSERT_EQ(kinds(without.counterexamples), expected) << without.cut;
  const auto counterexample =
      std::find_if(without.counterexamples.begin(), without.counterexamples.end(),
                   [&](const Counterexample& f) { return f.violation == undone.violation; });
  EXPECT_EQ(counterexample->path.size(), undone.moves) << counterexample->text;

  const SearchResult with = searched(undone, 10 * undone.states, false);
  EXPECT_EQ(kinds(with.counterexamples), undone.besides);
  EXPECT_TRUE(with.exhausted || with.states >= 10 * undone.states) << with.cut;
  std::printf("repaired: %llu states%s\n", static_cast<unsigned long long>(with.states),
              with.exhausted ? ", exhausted" : "");
}

}  // namespace latchlab::explore
