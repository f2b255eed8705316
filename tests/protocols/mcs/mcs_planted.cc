// The mcs lock, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kEarlyHandover{"mcs_early_handover"};  // before the critical section ends
constexpr Bug kTwice{"mcs_hands_over_twice"};        // the second Handover is not received

TEST(mcs_planted, a_handover_before_the_section_ends) {
  RunSetup setup;
  setup.protocol = "mcs";
  setup.max_steps = 5'000;
  expect_breaks_exclusion(kEarlyHandover, 20, setup);
}

TEST(mcs_planted, a_handover_before_the_section_ends_on_hardware) {
  RunSetup setup;
  setup.protocol = "mcs";
  expect_breaks_exclusion_on_hardware(kEarlyHandover, setup);
}

TEST(mcs_planted, a_search_finds_a_handover_before_the_section_ends) {
  expect_found(kEarlyHandover, explore::Violation::mutual_exclusion, 500, searched("mcs"));
}

TEST(mcs_planted, a_message_that_is_not_received) {
  RunSetup setup;
  setup.protocol = "mcs";
  setup.client_nodes = 2;
  setup.clients_per_node = 1;
  expect_caught(kTwice, 5, [&](auto seed) { return run(setup, seed).unreceived.messages > 0; });
}

}  // namespace
}  // namespace latchlab::testing
