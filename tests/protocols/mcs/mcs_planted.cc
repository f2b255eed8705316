// The mcs lock, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kEarlyHandover{"mcs_early_handover"};  // before the critical section ends

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

}  // namespace
}  // namespace latchlab::testing
