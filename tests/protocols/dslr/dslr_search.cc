// What searches show of the dslr lock.

#include "tests/explore/locks.h"

namespace latchlab::explore {
namespace {

TEST(dslr, claims_first_come_first_served_in_one_era) {
  const auto small = lock("dslr", {"ticket_bits=4"});
  EXPECT_EQ(small->bypass_bound(kX, kX, 8), 0U);
  EXPECT_EQ(small->bypass_bound(kX, kS, 8), 0U);
  EXPECT_EQ(small->bypass_bound(kS, kX, 8), 0U);
  EXPECT_EQ(small->bypass_bound(kS, kS, 8), std::nullopt);
  EXPECT_EQ(small->bypass_bound(kX, kX, 9), std::nullopt);
}

TEST(dslr, bypasses_nobody_in_one_era) {
  expect_claim_kept(about("dslr", 2, 2));
  expect_claim_kept(about("dslr", 3, 1));
  expect_claim_kept(with_sets(about("dslr", 2, 3), {"ticket_bits=4"}));
}

TEST(dslr, needs_to_test_for_the_turn_first) {
  expect_needed_and_enough({.protocol = "dslr",
                            .repair = "overtaken=before_turn",
                            .wrong = Wrong::deadlock,
                            .moves = 13,
                            .states = 500,
                            .modes = {"XS", "SX"}});
}

TEST(dslr, needs_to_send_everyone_back) {
  expect_needed_and_enough({.protocol = "dslr",
                            .repair = "repair=own_ticket",
                            .wrong = Wrong::mutual_exclusion,
                            .moves = 12,
                            .states = 50'000,
                            .modes = {"XX", "SX", "SX"},
                            .crashes = 1});
}

TEST(dslr, needs_tickets_over_the_limit_to_stay) {
  expect_needed_and_enough({.protocol = "dslr",
                            .repair = "over_limit=undo",
                            .wrong = Wrong::deadlock,
                            .moves = 11,
                            .states = 2'000,
                            .modes = {"SS", "SS"},
                            .crashes = 1});
}

}  // namespace
}  // namespace latchlab::explore
