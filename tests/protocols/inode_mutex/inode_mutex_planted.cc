// inode_mutex, broken on purpose.

#include "tests/protocols/range_server/searched.h"

namespace latchlab::range_server_tests {
namespace {

using explore::Violation;

constexpr Bug kLast{"inode_mutex_serves_the_last_first"};
constexpr Bug kForgets{"inode_mutex_forgets_who_waits"};
constexpr Bug kQueue{"inode_mutex_looks_at_the_queue_alone"};  // not at the holder

TEST(inode_mutex_planted, a_search_finds_a_bypassed_client) {
  expect_found(kLast, Violation::bypassed, 50'000, searched("inode_mutex", {"X", "X", "X"}));
}

TEST(inode_mutex_planted, a_release_that_grants_no_waiter) {
  expect_blocks(kForgets, 20, stretches("inode_mutex", 1));
}
TEST(inode_mutex_planted, a_search_finds_a_release_that_grants_no_waiter) {
  expect_found(kForgets, Violation::deadlock, 5'000, searched("inode_mutex", {"X", "X"}));
}

TEST(inode_mutex_planted, a_client_that_finds_an_empty_queue_is_granted_beside_the_holder) {
  RunSetup setup;
  setup.protocol = "inode_mutex";
  expect_breaks_exclusion(kQueue, 20, setup);
}
TEST(inode_mutex_planted, a_search_finds_a_client_granted_beside_the_holder) {
  expect_found(kQueue, Violation::mutual_exclusion, 5'000, searched("inode_mutex", {"X", "X"}));
}

}  // namespace
}  // namespace latchlab::range_server_tests
