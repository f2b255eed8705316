// ShiftLock broken on purpose: each defect is caught by the check named here within its budget of
// seeds, and the lock as shipped survives ten times that budget.

#include <cstdio>

#include "core/protocols/common/planted.h"
#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {
namespace {

using Finding = std::function<bool(std::uint64_t seed)>;

class ShiftlockPlanted : public ::testing::Test {
 protected:
  void TearDown() override { planted::active = planted::Bug::none; }

  static void report(std::uint64_t caught, std::uint64_t budget) {
    EXPECT_NE(caught, 0u) << "the bug stays unseen";
    std::printf("caught by seed %llu of %llu\n", static_cast<unsigned long long>(caught),
                static_cast<unsigned long long>(budget));
  }

  void caught_within(std::uint64_t budget, planted::Bug bug, const Finding& finding) {
    planted::active = bug;
    report(first_seed(budget, finding), budget);
    planted::active = planted::Bug::none;
    EXPECT_EQ(first_seed(10 * budget, finding), 0u) << "the lock as shipped shows it too";
  }
};

std::vector<Script> crowd() {
  return {times(2, writes()), times(2, writes()), times(2, writes()), times(2, reads()),
          times(2, reads())};
}

// Check: mutual exclusion.
TEST_F(ShiftlockPlanted, a_writer_that_does_not_wait_for_relcnt_breaks_exclusion) {
  caught_within(40, planted::Bug::shiftlock_no_relcnt_wait, [](std::uint64_t seed) {
    Bench bench(without_recovery("repaired", 2), crowd(), seed);
    (void)bench.run();
    return bench.safety().violations > 0;
  });
}

// Check: progress.
TEST_F(ShiftlockPlanted, a_mode_change_without_flip_leaves_everybody_stuck) {
  caught_within(40, planted::Bug::shiftlock_no_epoch_flip, [](std::uint64_t seed) {
    Bench bench(without_recovery("repaired", 1), crowd(), seed);
    return bench.run() == RunEnd::stuck;
  });
}

// Check: late effects.
TEST_F(ShiftlockPlanted, a_release_after_recovery_is_a_late_effect) {
  caught_within(60, planted::Bug::shiftlock_late_release, [](std::uint64_t seed) {
    Bench bench(params_of("repaired"), {{}, times(2, writes()), times(2, reads())}, seed);
    bench.body = [](Bench& me, ClientId client) {
      return hold_until(me, client, LockMode::shared, kLeasesLater);
    };
    (void)bench.run();
    return bench.safety().late_effects > 0;
  });
}

// Check: progress. Not a flag but a parameter: the paper as printed.
TEST_F(ShiftlockPlanted, a_handover_without_epoch_hangs_readers) {
  const std::uint64_t budget = 300;
  ParamSet params = without_recovery("repaired", 1);
  params.set("chain_limit", std::string("handovers"));
  const Finding stuck = [&](std::uint64_t seed) {
    Bench bench(params, {{writes()}, {writes()}, {writes()}, {writes()}, {reads()}}, seed);
    return bench.run() == RunEnd::stuck;
  };
  EXPECT_EQ(first_seed(10 * budget, stuck), 0u);
  params.set("handover_epoch", std::string("literal"));
  report(first_seed(budget, stuck), budget);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests
