#pragma once
// Locks broken on purpose: the check that its test names catches each planted bug within a budget,
// and the shipped lock passes ten times that budget.

#include <cstdio>
#include <utility>

#include "tests/protocols/bug.h"
#include "tests/protocols/harness.h"
#include "tools/explore/campaign.h"

namespace latchlab::testing {

// ---- one seeded order after the other ----

using Fails = std::function<bool(std::uint64_t seed)>;

inline std::uint64_t first_wrong(std::uint64_t budget, const Fails& violation) {
  for (std::uint64_t seed = 1; seed <= budget; ++seed)
    if (violation(seed)) return seed;
  return 0;
}

inline void expect_caught(Bug bug, std::uint64_t budget, const Fails& violation,
                          std::uint64_t as_shipped) {
  std::uint64_t caught = 0;
  {
    const Active active(bug);
    caught = first_wrong(budget, violation);
  }
  EXPECT_NE(caught, 0U) << bug.name << " stays unseen";
  std::printf("%s: caught by seed %llu of %llu\n", bug.name,
              static_cast<unsigned long long>(caught), static_cast<unsigned long long>(budget));
  EXPECT_EQ(first_wrong(as_shipped, violation), 0U) << "the lock as shipped shows it too";
}
inline void expect_caught(Bug bug, std::uint64_t budget, const Fails& violation) {
  expect_caught(bug, budget, violation, 10 * budget);
}

// Checked by the monitor, and by guard words, which have to find it where no observer sees every
// client. The guard words cover a shorter time, since holders count themselves in after the grant,
// and out before the release.
inline void expect_breaks_exclusion(Bug bug, std::uint64_t budget, const RunSetup& setup) {
  expect_caught(bug, budget, [&](auto seed) { return run(setup, seed).safety.violations > 0; });
  RunSetup guarded = setup;
  guarded.guard = GuardMode::on;
  expect_caught(
      bug, 5 * budget, [&](auto seed) { return judge(run(guarded, seed).guard).violations > 0; },
      5 * budget);
}

inline void expect_blocks(Bug bug, std::uint64_t budget, const RunSetup& setup) {
  expect_caught(bug, budget, [&](auto seed) { return run(setup, seed).end != RunEnd::finished; });
}

// On the RDMA device of this machine. A crowd with sections far longer than a verb needs no chosen
// order.
inline void expect_breaks_exclusion_on_hardware(Bug bug, RunSetup setup) {
  if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
  setup.client_nodes = 3;
  setup.clients_per_node = 1;  // dslr's small counters have no room for more
  setup.operations = 6;
  setup.hold = milliseconds(5);
  setup.guard = GuardMode::on;
  constexpr std::uint64_t kRuns = 20;
  std::uint64_t monitor = 0;
  std::uint64_t guard = 0;  // the first run in which each finds it
  {
    const Active active(bug);
    for (std::uint64_t seed = 1; seed <= kRuns && (monitor == 0 || guard == 0); ++seed) {
      const Outcome outcome = run(setup, seed);
      if (monitor == 0 && outcome.safety.violations > 0) monitor = seed;
      if (guard == 0 && judge(outcome.guard).violations > 0) guard = seed;
    }
  }
  EXPECT_NE(monitor, 0U) << "the monitor does not see the bug";
  EXPECT_NE(guard, 0U) << "the guard words do not show the bug";
  std::printf("%s: the monitor caught it in run %d, the guard words in run %d\n", bug.name,
              static_cast<int>(monitor), static_cast<int>(guard));
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Outcome outcome = run(setup, seed);
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
    EXPECT_EQ(judge(outcome.guard).violations, 0U) << judge(outcome.guard).violation;
    EXPECT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
  }
}

// ---- a search of every order ----

// Two clients, every assignment of modes and nodes; or these modes, with one node per client.
inline explore::Campaign searched(const char* protocol, std::vector<std::string> modes = {}) {
  explore::Campaign campaign;
  campaign.base.protocol = protocol;
  if (!modes.empty()) {
    campaign.clients = static_cast<std::uint32_t>(modes.size());
    campaign.base.operations = static_cast<std::uint32_t>(modes.front().size());
    campaign.placement = explore::Placement::spread;
    campaign.base.modes = std::move(modes);
  }
  return campaign;
}

// Found within so many states, as this kind of violation.
inline void expect_found(Bug bug, explore::Violation violation, std::uint64_t states,
                         explore::Campaign campaign) {
  campaign.budget = states;
  std::vector<explore::Trace> traces;
  {
    const Active active(bug);
    const explore::Verdict broken = explore::run(campaign);
    for (const explore::Trace& each : broken.counterexamples) {
      std::printf("%s in %zu moves (%s), %s\n", name_of(each.counterexample.violation),
                  each.counterexample.path.size(), describe(each.setup).c_str(),
                  each.counterexample.text.c_str());
      if (each.counterexample.violation == violation) traces.push_back(each);
    }
    std::printf("%llu states of %llu%s\n", static_cast<unsigned long long>(broken.states),
                static_cast<unsigned long long>(states), broken.exhausted ? ", exhausted" : "");
    ASSERT_FALSE(traces.empty()) << bug.name << " stays unseen";
    EXPECT_TRUE(replay(traces.front()).fits);
  }
  EXPECT_FALSE(replay(traces.front()).fits) << "the trace does not rest on the bug";
  campaign.budget = 10 * states;
  const explore::Verdict shipped = explore::run(campaign);
  EXPECT_TRUE(shipped.counterexamples.empty())
      << shipped.counterexamples.front().counterexample.text;
  EXPECT_TRUE(shipped.exhausted || shipped.states >= campaign.budget) << shipped.cut;
  std::printf("as shipped: %llu states%s\n", static_cast<unsigned long long>(shipped.states),
              shipped.exhausted ? ", exhausted" : "");
}

}  // namespace latchlab::testing
