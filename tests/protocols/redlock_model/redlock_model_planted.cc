// The lock of Redis, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kSetsAlways{"redlock_model_sets_what_is_there"};  // SET without NX
constexpr Bug kDeletesAny{"redlock_model_deletes_any_key"};     // DEL without comparing the value
constexpr Bug kFromTheAnswer{"redlock_model_validity_from_the_answer"};  // not from before the SET
constexpr Bug kNoDrift{"redlock_model_ignores_drift"};  // clocks are assumed to agree
constexpr Bug kHalf{"redlock_model_half_is_a_quorum"};

RunSetup mixed_redlock() {
  RunSetup setup;
  setup.protocol = "redlock_model";
  return setup;
}

TEST(redlock_model_planted, a_set_without_nx) {
  expect_breaks_exclusion(kSetsAlways, 20, mixed_redlock());
}
TEST(redlock_model_planted, a_search_finds_a_set_without_nx) {
  expect_found(kSetsAlways, explore::Violation::mutual_exclusion, 1'000, searched("redlock_model"));
}

// A client that is refused deletes the holder's key.
TEST(redlock_model_planted, a_search_finds_a_deletion_that_does_not_compare_the_value) {
  expect_found(kDeletesAny, explore::Violation::mutual_exclusion, 1'000, searched("redlock_model"));
}

TEST(redlock_model_planted, a_search_finds_a_majority_of_half_the_masters) {
  explore::Campaign campaign = searched("redlock_model", {"X", "X"});
  campaign.base.servers = 2;
  campaign.base.sets = {"masters=all"};
  expect_found(kHalf, explore::Violation::mutual_exclusion, 5'000, campaign);
}

// Keys live for 20 us, and sections take longer.
explore::Campaign redlock_campaign(std::vector<Duration> legs, const char* factor) {
  explore::Campaign campaign = searched("redlock_model", {"X", "X"});
  campaign.base.sets = {"ttl=20us", "drift_least=0ns", "retry_delay=4us", factor};
  campaign.base.time = {std::move(legs), {}, microseconds(30), {}, microseconds(90)};
  return campaign;
}

// Answers are slow.
TEST(redlock_model_planted, a_timed_search_finds_a_grant_that_counts_from_the_answer) {
  expect_found(kFromTheAnswer, explore::Violation::mutual_exclusion, 50'000,
               redlock_campaign({microseconds(1), microseconds(4)}, "drift_factor_ppm=10000"));
}

// A client whose clock is slow by 10 %.
TEST(redlock_model_planted, a_timed_search_finds_a_lock_that_ignores_clock_error) {
  explore::Campaign campaign = redlock_campaign({nanoseconds(200)}, "drift_factor_ppm=100000");
  campaign.base.time.drift_ppm = {-100'000, 0};
  expect_found(kNoDrift, explore::Violation::mutual_exclusion, 50'000, campaign);
}

}  // namespace
}  // namespace latchlab::testing
