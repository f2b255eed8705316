// ShiftLock, broken on purpose.

#include "tests/protocols/planted.h"
#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {
namespace {

using explore::Violation;
using testing::Bug;
using testing::expect_caught;
using testing::expect_found;
using testing::searched;

constexpr Bug kNoRelCntWait{"shiftlock_no_relcnt_wait"};  // a writer does not wait for RelCnt
constexpr Bug kNoEpochFlip{"shiftlock_no_epoch_flip"};    // the mode change leaves Epoch as it is
constexpr Bug kLateRelease{"shiftlock_late_release"};     // releases after its lock was recovered

std::vector<Script> crowd() {
  return {times(2, writes()), times(2, writes()), times(2, writes()), times(2, reads()),
          times(2, reads())};
}

TEST(shiftlock_planted, a_writer_that_does_not_wait_for_relcnt_breaks_exclusion) {
  expect_caught(kNoRelCntWait, 40, [](std::uint64_t seed) {
    Bench bench(without_recovery("repaired", 2), crowd(), seed);
    (void)bench.run();
    return bench.safety().violations > 0;
  });
}

TEST(shiftlock_planted, a_mode_change_without_flip_blocks_all_clients) {
  expect_caught(kNoEpochFlip, 40, [](std::uint64_t seed) {
    Bench bench(without_recovery("repaired", 1), crowd(), seed);
    return bench.run() == RunEnd::stuck;
  });
}

TEST(shiftlock_planted, a_release_after_recovery_is_a_late_effect) {
  expect_caught(kLateRelease, 60, [](std::uint64_t seed) {
    Bench bench(params_of("repaired"), {{}, times(2, writes()), times(2, reads())}, seed);
    bench.body = [](Bench& me, ClientId client) {
      return hold_until(me, client, LockMode::shared, kLeasesLater);
    };
    (void)bench.run();
    return bench.safety().late_effects > 0;
  });
}

TEST(shiftlock_planted, a_writer_that_does_not_wait_for_relcnt_breaks_exclusion_on_hardware) {
  testing::RunSetup setup;
  setup.protocol = "shiftlock";
  setup.shared_percent = 50;
  testing::expect_breaks_exclusion_on_hardware(kNoRelCntWait, setup);
}

// Not a bug but a parameter: the paper as printed.
TEST(shiftlock_planted, a_handover_without_epoch_hangs_readers) {
  const std::uint64_t budget = 300;
  ParamSet params = without_recovery("repaired", 1);
  params.set("chain_limit", std::string("handovers"));
  const auto stuck = [&](std::uint64_t seed) {
    Bench bench(params, {{writes()}, {writes()}, {writes()}, {writes()}, {reads()}}, seed);
    return bench.run() == RunEnd::stuck;
  };
  EXPECT_EQ(first_seed(10 * budget, stuck), 0u);
  params.set("handover_epoch", std::string("literal"));
  EXPECT_NE(first_seed(budget, stuck), 0u);
}

TEST(shiftlock_planted, a_search_finds_a_writer_that_does_not_wait_for_relcnt) {
  expect_found(kNoRelCntWait, Violation::mutual_exclusion, 500, searched("shiftlock"));
}

TEST(shiftlock_planted, a_search_finds_a_mode_change_without_flip) {
  expect_found(kNoEpochFlip, Violation::deadlock, 10'000, searched("shiftlock", {"X", "X", "S"}));
}

// A live holder exceeds its lease: in timed searches because it holds for longer, otherwise by a
// pause. With pauses the shipped lock is not sound in general (docs/verification.md: a client that
// is paused between its atomic's effect and the result). In this case it is, so that only the bug
// is found.
TEST(shiftlock_planted, a_search_finds_a_release_after_recovery) {
  explore::Campaign campaign = searched("shiftlock", {"S", "X"});
  campaign.base.pauses = 1;
  expect_found(kLateRelease, Violation::late_effect, 5'000, campaign);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests
