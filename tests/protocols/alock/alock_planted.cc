// The ALock, broken on purpose.

#include "tests/protocols/alock/cohorts.h"
#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

using alock_tests::cohorts;
using explore::Violation;

// A leader does not name itself the victim.
constexpr Bug kNoVictim{"alock_writes_no_victim"};
// A leader names itself the victim only after it has checked whether it must wait.
constexpr Bug kLateVictim{"alock_yields_after_it_looked"};
// A cohort passes on its budget undiminished.
constexpr Bug kSpendsNothing{"alock_spends_no_budget"};
// A client that receives no budget enters at once.
constexpr Bug kKeepsOn{"alock_does_not_compete_again"};
// A release whose CAS fails ends without a handover.
constexpr Bug kForgets{"alock_forgets_its_successor"};
// The next request of a client starts with the successor of its last request.
constexpr Bug kOldSuccessor{"alock_keeps_its_old_successor"};
// The exchange of a CPU falls between the two halves of an RNIC's CAS (Table 1).
constexpr Bug kMixedAtomics{"alock_empties_the_local_tail_by_rnic"};

explore::Campaign searched_beside(std::uint32_t clients, std::uint32_t operations,
                                  std::uint32_t nodes, std::vector<std::string> sets = {}) {
  explore::Campaign campaign = searched("alock");
  campaign.clients = clients;
  campaign.nodes = nodes;
  campaign.base.colocated = true;
  campaign.base.operations = operations;
  campaign.base.sets = std::move(sets);
  return campaign;
}

TEST(alock_planted, leaders_that_name_no_victim) {
  expect_breaks_exclusion(kNoVictim, 40, cohorts(2, 1));
}
TEST(alock_planted, leaders_that_name_a_victim_after_they_looked) {
  expect_breaks_exclusion(kLateVictim, 40, cohorts(2, 1));
}
TEST(alock_planted, a_release_that_forgets_its_successor) {
  expect_blocks(kForgets, 20, cohorts(2, 2));
}
TEST(alock_planted, a_local_tail_that_is_emptied_by_an_rnic_cas) {
  expect_blocks(kMixedAtomics, 100, cohorts(1, 3));
}

// A client of the other cohort waits for more than two turns.
bool hogs(std::uint64_t seed) {
  RunSetup setup = cohorts(2, 3, "paper");
  setup.operations = 12;
  setup.params = {
      {"enqueue", text("exchange")}, {"remote_budget", number(2)}, {"local_budget", number(2)}};
  alock_tests::Turns turns;
  (void)alock_tests::run_watched(setup, seed, turns);
  return std::max(turns.longest(0), turns.longest(1)) > 4;
}
TEST(alock_planted, a_budget_that_never_runs_out) {
  expect_caught(kSpendsNothing, 20, hogs);
}
TEST(alock_planted, a_client_without_budget_that_does_not_compete) {
  expect_caught(kKeepsOn, 20, hogs);
}

TEST(alock_planted, leaders_that_name_no_victim_on_hardware) {
  expect_breaks_exclusion_on_hardware(kNoVictim, cohorts(3, 1));
}

// ---- searches ----

TEST(alock_planted, a_search_finds_leaders_that_name_no_victim) {
  expect_found(kNoVictim, Violation::mutual_exclusion, 20'000, searched_beside(2, 1, 2));
}
TEST(alock_planted, a_search_finds_leaders_that_name_a_victim_after_they_looked) {
  expect_found(kLateVictim, Violation::mutual_exclusion, 20'000, searched_beside(2, 1, 2));
}
TEST(alock_planted, a_search_finds_a_release_that_forgets_its_successor) {
  expect_found(kForgets, Violation::deadlock, 5'000, searched("alock", {"X", "X"}));
}
TEST(alock_planted, a_search_finds_a_request_that_starts_with_an_old_successor) {
  expect_found(kOldSuccessor, Violation::deadlock, 40'000, searched_beside(3, 2, 1));
}
TEST(alock_planted, a_search_finds_a_local_tail_that_is_emptied_by_an_rnic_cas) {
  expect_found(kMixedAtomics, Violation::deadlock, 5'000, searched_beside(2, 1, 1));
}
TEST(alock_planted, a_search_finds_a_budget_that_never_runs_out) {
  expect_found(kSpendsNothing, Violation::bypassed, 400'000,
               searched_beside(3, 2, 3, {"enqueue=exchange", "remote_budget=1"}));
}

}  // namespace
}  // namespace latchlab::testing
