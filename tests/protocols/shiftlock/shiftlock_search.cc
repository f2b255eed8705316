// What searches show of ShiftLock. Of the repairs that are removed one at a time here, reset_epoch,
// reset_compare, message_lock_id and message_number are left out: searches of three clients with
// two operations and a crash found no violation without them.

#include "tests/explore/locks.h"
#include "tests/explore/verdicts.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(Shiftlock, claims_that_a_reader_waits_for_the_writers_of_one_chain) {
  const auto chains = lock("shiftlock", {"max_consecutive_writers=3"});
  EXPECT_EQ(chains->bypass_bound(kS, kX, ~0ULL), 2U);
  const auto tries = lock("shiftlock", {"trivial_tries=2"});
  EXPECT_EQ(tries->bypass_bound(kX, kX, ~0ULL), std::nullopt);
}

TEST(Shiftlock, bypasses_no_more_than_it_claims) {
  expect_claim_kept(about("shiftlock", 2, 2));
  expect_claim_kept(about("shiftlock", 3, 1));
}

TEST(Shiftlock, bypasses_no_more_than_it_claims_in_chains_of_two) {
  expect_claim_kept(with_sets(about("shiftlock", 3, 1), {"max_consecutive_writers=2"}));
}

TEST(Shiftlock, needs_epoch_in_mode_changed) {
  expect_needed_and_enough({.protocol = "shiftlock",
                            .repair = "mode_changed_epoch=literal",
                            .violation = Violation::deadlock,
                            .moves = 21,
                            .states = 200'000,
                            .modes = {"X", "X", "X", "S"},
                            .sets = {"recovery=false"}});
}

TEST(Shiftlock, needs_epoch_in_handover) {
  expect_needed_and_enough({.protocol = "shiftlock",
                            .repair = "handover_epoch=literal",
                            .violation = Violation::deadlock,
                            .moves = 28,
                            .states = 300'000,
                            .modes = {"XX", "XS", "XX"},
                            .sets = {"recovery=false", "chain_limit=handovers"},
                            .besides = {Violation::bypassed}});
}

// ---- paused clients ----

Verdict while_standing_still(std::vector<std::string> sets) {
  Campaign campaign = with_sets(about("shiftlock", 2, 2), std::move(sets));
  campaign.placement = Placement::spread;
  campaign.base.modes = {"XX", "XX"};
  campaign.base.pauses = 1;
  campaign.base.between_atomics = true;
  campaign.base.timeouts = 20;
  return run(campaign);
}

// The pause is not in the middle of an atomic, but after a ModeChanged has arrived.
TEST(Shiftlock, as_printed_derives_a_lease_from_an_unchanged_relcnt) {
  const Verdict verdict = while_standing_still({"late_turn=trust"});
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::mutual_exclusion});
  expect_replayable(verdict, "stands still from here on");
}

TEST(Shiftlock, survives_writers_paused_between_atomics_that_change_the_mode) {
  expect_sound(while_standing_still({}));
}

TEST(Shiftlock, survives_writers_paused_between_atomics_that_hand_over) {
  expect_sound(while_standing_still({"max_consecutive_writers=8"}));
}

// One recovery in between does not restore RelCnt: Figure 2b, as the paper describes it, is not
// found.
TEST(Shiftlock, survives_writers_paused_between_atomics_if_clients_recover) {
  expect_sound(while_standing_still({"max_consecutive_writers=8", "recovered_by=client"}));
}

}  // namespace
}  // namespace latchlab::explore
