// The dslr_plus lock, broken on purpose. It shares its state machine with dslr.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kLeaves{"dslr_plus_leaves_the_reset"};     // no client ends the era
constexpr Bug kKeeps{"dslr_plus_keeps_its_ticket"};      // a ticket that it did not get
constexpr Bug kAtOnce{"dslr_plus_resets_over_readers"};  // other clients still hold tickets

TEST(dslr_plus_planted, a_search_finds_an_era_that_no_client_ends) {
  expect_found(kLeaves, explore::Violation::deadlock, 20'000,
               searched("dslr_plus", {"SSS", "SSS"}));
}

TEST(dslr_plus_planted, a_search_finds_a_ticket_that_is_not_taken_back) {
  expect_found(kKeeps, explore::Violation::deadlock, 20'000, searched("dslr_plus", {"SSS", "SSS"}));
}

TEST(dslr_plus_planted, a_search_finds_a_reset_while_readers_hold_tickets) {
  expect_found(kAtOnce, explore::Violation::mutual_exclusion, 20'000,
               searched("dslr_plus", {"SSSX", "SSSX"}));
}

}  // namespace
}  // namespace latchlab::testing
