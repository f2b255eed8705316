// What searches show of the dslr lock.

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

TEST(dslr, claims_first_come_first_served_in_one_era) {
  const auto small = lock("dslr", {"ticket_bits=4"});
  EXPECT_EQ(small->bypass_bound(kX, kX, 8), 0U);
  EXPECT_EQ(small->bypass_bound(kX, kX, 9), std::nullopt);
}

TEST(dslr, bypasses_no_client_in_one_era) {
  expect_claim_kept(about("dslr", 2, 2));
  expect_claim_kept(about("dslr", 3, 1));
  expect_claim_kept(with_sets(about("dslr", 2, 3), {"ticket_bits=4"}));
}

TEST(dslr, needs_to_check_for_its_turn_first) {
  expect_needed_and_enough({.protocol = "dslr",
                            .repair = "overtaken=before_turn",
                            .violation = Violation::deadlock,
                            .moves = 13,
                            .states = 500,
                            .modes = {"XS", "SX"}});
}

TEST(dslr, needs_a_reset_to_send_all_clients_back) {
  expect_needed_and_enough({.protocol = "dslr",
                            .repair = "repair=own_ticket",
                            .violation = Violation::mutual_exclusion,
                            .moves = 12,
                            .states = 50'000,
                            .modes = {"XX", "SX", "SX"},
                            .crashes = 1});
}

TEST(dslr, needs_tickets_over_the_limit_to_stay) {
  expect_needed_and_enough({.protocol = "dslr",
                            .repair = "over_limit=undo",
                            .violation = Violation::deadlock,
                            .moves = 11,
                            .states = 2'000,
                            .modes = {"SS", "SS"},
                            .crashes = 1});
}

// ---- slots and updates ----

TEST(dslr, claims_order_for_updates_but_not_of_readers_beside_them) {
  constexpr LockMode kU = LockMode::update;
  const auto six = lock("dslr", {"counters=six"});
  EXPECT_EQ(six->bypass_bound(kX, kU, 4), 0U);
  EXPECT_EQ(six->bypass_bound(kS, kU, 4), std::nullopt);
  EXPECT_EQ(lock("dslr")->bypass_bound(kS, kU, 4), 0U);  // an update counts as a writer here
}

TEST(dslr, has_shorter_eras_with_slots) {
  const auto slots = lock("dslr", {"ticket_bits=5", "max_slots=3"});
  EXPECT_EQ(slots->bypass_bound(kX, kX, 6), 0U);
  EXPECT_EQ(slots->bypass_bound(kX, kX, 7), std::nullopt);
  EXPECT_EQ(slots->limits().max_clients, 4U);
}

void expect_sound(std::vector<std::string> sets, std::vector<std::string> modes,
                  std::uint32_t crashes = 0) {
  Campaign campaign = with_sets(about("dslr", static_cast<std::uint32_t>(modes.size()),
                                      static_cast<std::uint32_t>(modes.front().size())),
                                std::move(sets));
  campaign.base.modes = std::move(modes);
  campaign.base.crashes = crashes;
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
  std::printf("%llu states\n", static_cast<unsigned long long>(verdict.states));
}

TEST(dslr, keeps_updates_apart_and_beside_readers) {
  const std::vector<std::string> six = {"counters=six"};
  expect_sound(six, {"PX", "SU"});
  expect_sound(six, {"PP", "US"});
  expect_sound(six, {"P", "S", "X"});
  expect_sound(six, {"U", "P", "S"});
  expect_sound(six, {"P", "S"}, 1);
  expect_sound(six, {"PS", "SP"}, 1);
}

TEST(dslr, keeps_to_eras_that_end_in_the_middle_of_slots) {
  const std::vector<std::string> two = {"ticket_bits=4", "max_slots=2", "reserve=100us"};
  expect_sound(two, {"XX", "SX"});
  expect_sound(two, {"X", "S"}, 1);
  expect_sound({"ticket_bits=5", "max_slots=3", "reserve=200us"}, {"SSSS", "SSSS"});
}

}  // namespace
}  // namespace latchlab::explore
