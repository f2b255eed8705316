// Queues of a node's clients: which client leads, which ones wait, and when the lock is released.

#include "tests/protocols/sherman/local_queue.h"

#include <gmock/gmock.h>

namespace latchlab::local_queue_tests {
namespace {

using ::testing::ElementsAre;

TEST_F(LocalQueue, is_led_by_the_client_that_finds_it_empty) {
  EXPECT_EQ(join(writer(1)), leads);
  EXPECT_EQ(join(writer(2)), waits);
  EXPECT_EQ(queues_.join(LockId{8}, writer(2)), leads);
}

TEST_F(LocalQueue, hands_over_first_come_first_served) {
  for (const std::uint32_t client : {3, 1, 2}) join(writer(client));
  expect_handed_to(1);
  expect_handed_to(2);
  EXPECT_EQ(leave().left, must_free);
  EXPECT_FALSE(freed().any);
}

TEST_F(LocalQueue, uses_no_memory_for_a_lock_without_clients) {
  join(writer(1));
  EXPECT_EQ(queues_.locks_in_use(), 1U);
  leave();
  EXPECT_EQ(queues_.locks_in_use(), 1U);
  freed();
  EXPECT_EQ(queues_.locks_in_use(), 0U);
}

TEST_F(LocalQueue, keeps_a_client_waiting_that_joins_while_the_lock_is_released) {
  join(writer(1));
  EXPECT_EQ(leave().left, must_free);
  EXPECT_EQ(join(writer(2)), waits);
  EXPECT_EQ(freed().waiter.client, ClientId{2});
}

TEST_F(LocalQueue, hands_over_up_to_the_bound_and_counts_from_zero_after_a_release) {
  stays_ = LocalQueues::at_most(2);
  for (std::uint32_t client = 0; client < 8; ++client) join(writer(client));
  expect_handed_to(1);
  expect_handed_to(2);
  expect_led_by(3);
  expect_handed_to(4);
  expect_handed_to(5);
  expect_led_by(6);
}

// A client waits at any time. Returns the numbers of handovers between two releases of the lock.
std::vector<std::uint64_t> chains(LocalQueues& queues, LockId lock, std::uint64_t bound,
                                  std::size_t how_many, const Waiter& who) {
  std::vector<std::uint64_t> lengths(1);
  EXPECT_EQ(queues.join(lock, who), leads);
  EXPECT_EQ(queues.join(lock, who), waits);
  while (lengths.size() <= how_many && lengths.back() <= bound) {
    EXPECT_EQ(queues.join(lock, who), waits);
    if (queues.leave(lock, LocalQueues::at_most(bound)).left == handed_on) {
      ++lengths.back();
    } else {
      EXPECT_TRUE(queues.freed(lock).any);
      lengths.push_back(0);
    }
  }
  lengths.pop_back();
  return lengths;
}

TEST_F(LocalQueue, hands_over_as_often_after_a_join_as_after_a_release) {
  for (const std::uint64_t bound : {0, 1, 2, 7})
    for (const Waiter& who : {writer(1), reader(1)}) {
      LocalQueues queues;
      EXPECT_THAT(chains(queues, kLock, bound, 3, who), ElementsAre(bound, bound, bound));
    }
}

// During the chain of one lock the chain of another lock begins, and becomes as long as any.
TEST_F(LocalQueue, counts_the_handovers_of_each_lock_separately) {
  stays_ = LocalQueues::at_most(2);
  for (std::uint32_t client = 0; client < 4; ++client) join(writer(client));
  expect_handed_to(1);
  EXPECT_THAT(chains(queues_, LockId{8}, 2, 2, writer(9)), ElementsAre(2, 2));
  expect_handed_to(2);
  expect_led_by(3);
}

// A chain that ends because no client waits leaves no state behind.
TEST_F(LocalQueue, counts_from_zero_after_the_lock_was_given_up) {
  stays_ = LocalQueues::at_most(2);
  join(writer(0));
  join(writer(1));
  expect_handed_to(1);
  EXPECT_EQ(leave().left, must_free);
  EXPECT_FALSE(freed().any);
  EXPECT_THAT(chains(queues_, kLock, 2, 2, writer(2)), ElementsAre(2, 2));
}

// Readers that join readers are no handovers.
TEST_F(LocalQueue, does_not_count_admitted_readers_as_handovers) {
  stays_ = LocalQueues::at_most(1);
  join(reader(1));
  join(reader(2));
  EXPECT_THAT(admit(), ElementsAre(ClientId{2}));
  EXPECT_EQ(join(reader(3)), enters);
  for (const Waiter& each : {writer(4), reader(5), reader(6)}) join(each);
  EXPECT_EQ(leave(readers_first).left, others_stay);
  EXPECT_EQ(leave(readers_first).left, others_stay);
  expect_handed_to(5, readers_first);
  expect_led_by(6, readers_first);
}

TEST_F(LocalQueue, never_hands_over_if_handovers_are_disabled) {
  stays_ = LocalQueues::never();
  for (std::uint32_t client = 0; client < 3; ++client) join(writer(client));
  expect_led_by(1);
  expect_led_by(2);
}

TEST_F(LocalQueue, hands_over_by_the_caller_s_rule_for_the_next_client) {
  stays_ = [](const LocalQueues::Candidate& each) { return each.next.since <= 5; };
  for (const Waiter& each : {writer(0), writer(1, 4), writer(2, 5), writer(3, 6)}) join(each);
  expect_handed_to(1);
  expect_handed_to(2);
  expect_led_by(3);
}

}  // namespace
}  // namespace latchlab::local_queue_tests
