// The traditional lock manager, broken on purpose.

#include "tests/protocols/planted.h"

namespace latchlab::testing {
namespace {

constexpr Bug kDropped{"traditional_drops_a_late_grant"};      // that crosses the withdrawal
constexpr Bug kForgotten{"traditional_forgets_a_withdrawal"};  // that overtakes its request
constexpr Bug kFreed{"traditional_frees_a_late_grant"};        // and the client takes it

RunSetup impatient_traditional() {
  RunSetup setup;
  setup.protocol = "traditional";
  setup.shared_percent = 30;
  setup.impatient = true;
  return setup;
}

void expect_taken_at_the_end(Bug bug) {
  expect_caught(bug, 20, [](auto seed) { return !run(impatient_traditional(), seed).free; });
}

TEST(traditional_planted, a_client_drops_a_grant_that_crosses_its_withdrawal) {
  expect_taken_at_the_end(kDropped);
}

TEST(traditional_planted, the_server_forgets_a_withdrawal_that_overtakes_its_request) {
  expect_taken_at_the_end(kForgotten);
}

TEST(traditional_planted, the_server_frees_a_grant_that_the_client_takes) {
  expect_breaks_exclusion(kFreed, 20, impatient_traditional());
}

TEST(traditional_planted, the_server_frees_a_grant_that_the_client_takes_on_hardware) {
  expect_breaks_exclusion_on_hardware(kFreed, impatient_traditional());
}

// Clients time out only in timed searches. Every leg takes 1 us, except some of 9 us.
explore::Campaign traditional_campaign(std::vector<std::string> modes) {
  explore::Campaign campaign = searched("traditional", std::move(modes));
  campaign.base.time = {{microseconds(1)}, {}, microseconds(20), microseconds(3), milliseconds(10)};
  return campaign;
}

TEST(traditional_planted, a_timed_search_finds_a_grant_that_is_freed) {
  explore::Campaign campaign = traditional_campaign({"XX", "XX"});
  campaign.base.time.latencies.push_back(microseconds(3));
  expect_found(kFreed, explore::Violation::mutual_exclusion, 100'000, campaign);
}

TEST(traditional_planted, a_timed_search_finds_a_grant_that_is_dropped) {
  explore::Campaign campaign = traditional_campaign({"X", "X"});
  campaign.base.time.latencies.push_back(microseconds(3));
  expect_found(kDropped, explore::Violation::not_free, 100'000, campaign);
}

}  // namespace
}  // namespace latchlab::testing
