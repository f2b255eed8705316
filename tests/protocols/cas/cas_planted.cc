// The cas lock, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kFreedByANonHolder{"cas_release_by_non_holder"};

RunSetup impatient_cas() {
  RunSetup setup;
  setup.protocol = "cas";
  setup.impatient = true;
  return setup;
}

TEST(cas_planted, a_client_that_gives_up_frees_the_lock) {
  expect_breaks_exclusion(kFreedByANonHolder, 20, impatient_cas());
}

TEST(cas_planted, a_client_that_gives_up_frees_the_lock_on_hardware) {
  expect_breaks_exclusion_on_hardware(kFreedByANonHolder, impatient_cas());
}

// Clients give up only in timed searches. Every leg of a verb takes 1 us.
TEST(cas_planted, a_timed_search_finds_a_client_that_gives_up) {
  explore::Campaign campaign = searched("cas", {"XX", "XX"});
  campaign.base.time = {{microseconds(1)}, {}, microseconds(20), microseconds(5), milliseconds(10)};
  expect_found(kFreedByANonHolder, explore::Violation::mutual_exclusion, 1'000, campaign);
}

// The WRITE that releases the lock is 8 bytes longer than the lock.
TEST(cas_planted, a_search_finds_a_release_that_overwrites_the_next_lock) {
  expect_found(Bug{"cas_release_too_wide"}, explore::Violation::foreign, 500, searched("cas"));
}

}  // namespace
}  // namespace latchlab::testing
