// The common part of locks whose ranges a server's CPU keeps, broken on purpose.

#include "tests/protocols/range_server/searched.h"

namespace latchlab::range_server_tests {
namespace {

using explore::Violation;

constexpr Bug kBehind{"common_keeps_waiting_for_who_has_left"};  // another one blocks it
constexpr Bug kDropped{"common_drops_a_late_range"};             // that crosses the withdrawal
constexpr Bug kForgotten{"common_forgets_a_withdrawn_range"};    // that overtakes its request
constexpr Bug kFreed{"common_frees_a_late_range"};               // and the client takes it

RunSetup impatient(const char* protocol) {
  RunSetup setup;
  setup.protocol = protocol;
  setup.impatient = true;
  return setup;
}

TEST(range_server_planted, a_retrying_client_is_not_notified_when_another_holder_releases) {
  for (const char* const protocol : {"list_cpu", "maple_tree"})
    expect_blocks(kBehind, 20, stretches(protocol, 2));
}
TEST(range_server_planted, a_search_finds_a_client_that_is_not_notified) {
  expect_found(kBehind, Violation::deadlock, 20'000, searched("list_cpu", {"X", "X", "X"}));
}

TEST(range_server_planted, a_client_drops_a_grant_that_crosses_its_withdrawal) {
  expect_caught(kDropped, 20,
                [](auto seed) { return !run(impatient("interval_tree"), seed).free; });
}
TEST(range_server_planted, the_server_forgets_a_withdrawal_that_overtakes_its_request) {
  expect_caught(kForgotten, 20, [](auto seed) { return !run(impatient("maple_tree"), seed).free; });
}
TEST(range_server_planted, the_server_frees_a_grant_that_the_client_takes) {
  expect_breaks_exclusion(kFreed, 20, impatient("list_cpu"));
}
TEST(range_server_planted, the_server_frees_a_grant_that_the_client_takes_on_hardware) {
  expect_breaks_exclusion_on_hardware(kFreed, impatient("list_cpu"));
}

// Clients time out only in timed searches. A leg takes 1 us or 3 us.
TEST(range_server_planted, a_timed_search_finds_a_grant_that_is_freed) {
  explore::Campaign campaign = searched("interval_tree", {"XX", "XX"});
  campaign.base.time = {
      {microseconds(1), microseconds(3)}, {}, microseconds(20), microseconds(3), milliseconds(10)};
  expect_found(kFreed, Violation::mutual_exclusion, 100'000, campaign);
}

}  // namespace
}  // namespace latchlab::range_server_tests
