// What searches show of the dslr_plus lock.

#include "tests/explore/locks.h"

namespace latchlab::explore {
namespace {

TEST(dslr_plus, bypasses_no_client_in_one_era) {
  expect_claim_kept(about("dslr_plus", 2, 2));
  expect_claim_kept(about("dslr_plus", 3, 1));
}

// With nine acquisitions or more an era ends, a client has undone a ticket, and another era comes
// near its end.
const std::vector<std::string> kManyWriters(3, std::string(4, 'X'));

TEST(dslr_plus, needs_to_look_at_a_ticket_that_is_taken_again) {
  expect_needed_and_enough({.protocol = "dslr_plus",
                            .repair = "rejoin_ticket=unchecked",
                            .violation = Violation::deadlock,
                            .moves = 30,
                            .states = 200'000,
                            .modes = kManyWriters});
}

TEST(dslr_plus, needs_to_try_again_when_one_ticket_is_left) {
  expect_needed_and_enough({.protocol = "dslr_plus",
                            .repair = "rejoin_at=two_tickets",
                            .violation = Violation::deadlock,
                            .moves = 26,
                            .states = 200'000,
                            .modes = kManyWriters});
}

}  // namespace
}  // namespace latchlab::explore
