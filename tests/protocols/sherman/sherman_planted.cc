// sherman, broken on purpose.

#include "tests/protocols/planted.h"
#include "tests/protocols/sherman/chains.h"
#include "tests/protocols/sherman/write_back.h"

namespace latchlab::sherman_tests {
namespace {

using explore::Violation;
using testing::Bug;

constexpr Bug kOnceMore{"sherman_hands_over_once_more"};  // than max_handovers says
constexpr Bug kFreesToo{"sherman_hands_over_and_frees"};
constexpr Bug kForgets{"sherman_forgets_its_neighbour"};         // which stays asleep
constexpr Bug kForgetsLeader{"sherman_forgets_who_leads_next"};  // likewise
constexpr Bug kEarly{"sherman_hands_over_before_its_write"};
constexpr Bug kNoGlobalLock{"sherman_leads_without_the_lock"};  // enters without a CAS

RunSetup broken() {
  RunSetup setup = neighbours("sherman", 2, 2);
  setup.max_steps = 5'000;
  return setup;
}
explore::Campaign one_node(std::vector<std::string> modes) {
  explore::Campaign campaign = testing::searched("sherman", std::move(modes));
  campaign.placement = explore::Placement::together;
  return campaign;
}

TEST(sherman_planted, a_chain_with_one_handover_too_many) {
  testing::expect_caught(kOnceMore, 20, [](std::uint64_t seed) {
    return watch(neighbours("sherman", 2, 5, {{"max_handovers", number(2)}}), seed).longest > 2;
  });
}

TEST(sherman_planted, a_lock_that_is_handed_over_and_released_too) {
  testing::expect_breaks_exclusion(kFreesToo, 20, broken());
}

TEST(sherman_planted, a_local_waiter_that_is_never_woken) {
  testing::expect_blocks(kForgets, 20, broken());
  testing::expect_found(kForgets, Violation::deadlock, 5'000, one_node({"X", "X"}));
}

TEST(sherman_planted, a_local_waiter_that_is_woken_before_the_last_write_has_landed) {
  testing::expect_caught(kEarly, 50, [](std::uint64_t seed) {
    return lost_writes("sherman", {{"max_handovers", number(2)}}, 1, seed) > 0;
  });
}

TEST(sherman_planted, a_local_waiter_that_is_not_told_to_lead) {
  testing::expect_blocks(kForgetsLeader, 20, broken());
  explore::Campaign campaign = one_node({"X", "X"});
  campaign.base.sets = {"max_handovers=0"};
  testing::expect_found(kForgetsLeader, Violation::deadlock, 5'000, campaign);
}

TEST(sherman_planted, a_leader_that_enters_without_the_lock) {
  testing::expect_breaks_exclusion(kNoGlobalLock, 20, broken());
}

TEST(sherman_planted, a_search_finds_a_leader_that_enters_without_the_lock) {
  testing::expect_found(kNoGlobalLock, Violation::mutual_exclusion, 1'000,
                        testing::searched("sherman", {"X", "X"}));
}

TEST(sherman_planted, a_leader_that_enters_without_the_lock_on_hardware) {
  testing::expect_breaks_exclusion_on_hardware(kNoGlobalLock, broken());
}

}  // namespace
}  // namespace latchlab::sherman_tests
