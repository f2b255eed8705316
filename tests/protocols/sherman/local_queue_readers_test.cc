// Queues of a node's clients: which clients are admitted beside readers, how many, and which go
// first.

#include <gmock/gmock.h>

#include "tests/protocols/sherman/local_queue.h"

namespace latchlab::local_queue_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(LocalQueue, admits_readers_while_a_reader_holds_the_lock) {
  EXPECT_EQ(join(reader(1)), leads);
  EXPECT_EQ(join(reader(2)), waits);
  EXPECT_THAT(admit(), ElementsAre(ClientId{2}));
  EXPECT_EQ(join(reader(3)), enters);
  EXPECT_EQ(leave().left, others_stay);
  EXPECT_EQ(leave().left, others_stay);
  EXPECT_EQ(leave().left, must_free);
}

// The global lock is being released.
TEST_F(LocalQueue, keeps_readers_waiting_that_join_while_the_lock_is_released) {
  join(reader(1));
  admit();
  EXPECT_EQ(leave().left, must_free);
  EXPECT_EQ(join(reader(2)), waits);
  EXPECT_EQ(freed().waiter.client, ClientId{2});
}

TEST_F(LocalQueue, admits_readers_up_to_the_first_writer) {
  join(reader(1));
  for (const Waiter& each : {reader(2), writer(3), reader(4)}) join(each);
  EXPECT_THAT(admit(), ElementsAre(ClientId{2}));
  EXPECT_EQ(join(reader(5)), waits);
}

TEST_F(LocalQueue, admits_all_readers_if_they_go_first) {
  join(reader(1));
  for (const Waiter& each : {reader(2), writer(3), reader(4)}) join(each);
  EXPECT_THAT(admit(readers_first), ElementsAre(ClientId{2}, ClientId{4}));
  EXPECT_EQ(join(reader(5)), waits) << "a writer waits";
}

TEST_F(LocalQueue, admits_readers_as_long_as_its_caller_allows) {
  join(reader(1));
  for (const Waiter& each : {reader(2, 2), reader(3, 9), reader(4, 4)}) join(each);
  const auto before_5 = [](const LocalQueues::Candidate& each) { return each.next.since < 5; };
  EXPECT_THAT(queues_.admit(kLock, before_5), ElementsAre(ClientId{2}));
  EXPECT_EQ(join(reader(5)), waits) << "behind who was not let in";
}

// ---- late readers: admitted by a rule of the caller ----

LocalQueues::Rule before(std::uint64_t since) {
  return [since](const LocalQueues::Candidate& each) { return each.next.since < since; };
}

TEST_F(LocalQueue, admits_late_readers_by_the_caller_s_rule) {
  join(reader(1));
  admit();
  EXPECT_EQ(queues_.join(kLock, reader(2, 4), before(5)), enters);
  EXPECT_EQ(queues_.join(kLock, reader(3, 5), before(5)), waits);
  EXPECT_EQ(queues_.join(kLock, reader(4, 4), before(5)), waits) << "behind a reader that waits";
  EXPECT_EQ(leave().left, others_stay);
  expect_handed_to(3);
}

TEST_F(LocalQueue, tells_whether_a_late_reader_would_enter_and_changes_nothing) {
  EXPECT_FALSE(queues_.enters(kLock, reader(1), any_client)) << "it would lead";
  EXPECT_EQ(queues_.locks_in_use(), 0U);
  join(reader(1));
  EXPECT_FALSE(queues_.enters(kLock, reader(2), any_client)) << "no client has been admitted yet";
  admit();
  EXPECT_TRUE(queues_.enters(kLock, reader(2, 4), before(5)));
  EXPECT_FALSE(queues_.enters(kLock, reader(2, 5), before(5)));
  EXPECT_FALSE(queues_.enters(kLock, writer(2, 4), before(5)));
  EXPECT_TRUE(queues_.enters(kLock, reader(2), any_client));
  EXPECT_EQ(leave().left, must_free);
  EXPECT_FALSE(queues_.enters(kLock, reader(2), any_client)) << "the lock is on its way back";
}

// ---- a bound on holders: the first one counts, and readers that join others ----

TEST_F(LocalQueue, counts_holders_that_follow_each_other) {
  for (const std::uint64_t most : {1, 2, 4}) {
    LocalQueues queues;
    for (std::uint32_t client = 0; client < 6; ++client) queues.join(kLock, writer(client));
    for (std::uint64_t i = 1; i < most; ++i)
      EXPECT_EQ(queues.leave(kLock, LocalQueues::at_most_holders(most)).left, handed_on);
    EXPECT_EQ(queues.leave(kLock, LocalQueues::at_most_holders(most)).left, must_free);
    EXPECT_TRUE(queues.freed(kLock).any);
    EXPECT_EQ(queues.leave(kLock, LocalQueues::at_most_holders(most)).left,
              most == 1 ? must_free : handed_on)
        << "it counts anew";
  }
}

TEST_F(LocalQueue, counts_admitted_and_late_readers_as_holders) {
  const LocalQueues::Rule four = LocalQueues::at_most_holders(4);
  for (std::uint32_t client = 0; client < 3; ++client) join(reader(client));
  EXPECT_THAT(queues_.admit(kLock, four), ElementsAre(ClientId{1}, ClientId{2}));
  EXPECT_EQ(queues_.join(kLock, reader(3), four), enters);
  EXPECT_EQ(leave().left, others_stay);
  EXPECT_EQ(queues_.join(kLock, reader(4), four), waits) << "that one has left, and counts";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(leave().left, others_stay);
  EXPECT_EQ(queues_.leave(kLock, four).left, must_free);
}

TEST_F(LocalQueue, admits_no_more_readers_than_may_hold_the_lock) {
  for (std::uint32_t client = 0; client < 6; ++client) join(reader(client));
  EXPECT_THAT(queues_.admit(kLock, LocalQueues::at_most_holders(3)),
              ElementsAre(ClientId{1}, ClientId{2}));
}

TEST_F(LocalQueue, admits_no_reader_after_a_writer_has_come) {
  join(reader(1));
  EXPECT_THAT(admit(), IsEmpty());
  EXPECT_EQ(join(writer(2)), waits);
  EXPECT_EQ(join(reader(3)), waits);
}

TEST_F(LocalQueue, releases_the_lock_if_the_next_client_wants_another_mode) {
  join(reader(1));
  admit();
  join(writer(2));
  join(reader(3));
  expect_led_by(2);
  expect_led_by(3);
}

TEST_F(LocalQueue, puts_readers_first_if_the_caller_asks_for_it) {
  join(writer(1));
  for (const Waiter& each : {writer(2), reader(3)}) join(each);
  expect_led_by(3, readers_first);
  EXPECT_THAT(admit(readers_first), IsEmpty());
  expect_led_by(2, readers_first);
}

TEST_F(LocalQueue, hands_a_reader_s_lock_to_a_reader_that_goes_first) {
  join(reader(1));
  for (const Waiter& each : {writer(2), reader(3), reader(4)}) join(each);
  expect_handed_to(3, readers_first);
  EXPECT_EQ(join(reader(5)), waits) << "no client has been admitted yet";
  EXPECT_THAT(admit(readers_first), ElementsAre(ClientId{4}, ClientId{5}));
}

}  // namespace
}  // namespace latchlab::local_queue_tests
