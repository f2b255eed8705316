// What the queue between nodes tells the holder: since when clients of other nodes wait.

#include <gtest/gtest.h>

#include <vector>

#include "core/protocols/declock/client.h"
#include "core/protocols/lock.h"
#include "tests/modes.h"

namespace latchlab::declock_tests {
namespace {

using cql::Format;
using cql::Header;

constexpr Format kFour(4, 3);
constexpr cql::Owner kMe = 7;

struct Entry {
  bool writes = true;
  cql::Owner owner = 1;
  std::uint32_t time = 0;
};

std::uint64_t packed(std::uint64_t index, const Entry& entry) {
  return kFour.pack(cql::Entry{entry.writes, entry.owner, kFour.version(index), entry.time});
}

// The waiting clients, from the second place on; the first client holds the lock and has no entry.
class Queue {
 public:
  explicit Queue(Header header) : words_(5, kFour.initial()), head_(header.head) {
    words_[0] = kFour.pack(header);
  }
  Queue& at(std::uint32_t place, const Entry& entry) {
    const std::uint64_t index = head_ + place;
    words_[1 + kFour.slot(index)] = packed(index, entry);
    return *this;
  }
  // 1 + the earliest time, or 0.
  std::uint64_t waiting(LockMode mode, const cql::TimeOrder& times = {}) const {
    return declock::remote_waiters_since(kFour, words_, mode, is_mine, times);
  }
  std::uint64_t behind_readers(std::uint32_t began) const {
    return declock::waiting_behind_readers(kFour, words_, is_mine, {}, began);
  }

 private:
  static bool is_mine(cql::Owner owner) { return owner == kMe; }

  std::vector<std::uint64_t> words_;
  std::uint64_t head_ = 0;
};

TEST(DecLockRemoteWaiters, finds_no_waiter_behind_a_lone_writer) {
  EXPECT_EQ(Queue(Header{6, 1, 1}).waiting(kX), 0U);
}

TEST(DecLockRemoteWaiters, finds_the_earliest_waiter_behind_a_writer) {
  Queue queue(Header{6, 3, 3});
  EXPECT_EQ(queue.waiting(kX), 0U);  // not written yet
  EXPECT_EQ(queue.at(2, {true, 2, 30}).waiting(kX), 31U);
  EXPECT_EQ(queue.at(1, {true, 1, 40}).waiting(kX), 31U);
}

TEST(DecLockRemoteWaiters, ignores_clients_ahead_of_the_node) {
  Queue queue(Header{6, 4, 4});
  queue.at(1, {true, 1, 10}).at(2, {true, kMe, 20}).at(3, {true, 2, 30});
  EXPECT_EQ(queue.waiting(kX), 31U);
}

TEST(DecLockRemoteWaiters, ignores_entries_of_earlier_rounds) {
  Queue queue(Header{6, 2, 2});
  Queue old(Header{2, 2, 2});
  EXPECT_EQ(old.at(1, {true, 1, 10}).waiting(kX), 11U);
  queue.at(1, {true, 1, 30});
  EXPECT_EQ(queue.waiting(kX), 31U);
}

// Readers ahead of the first writer hold the lock, with an entry or without one.
TEST(DecLockRemoteWaiters, ignores_readers_that_hold_the_lock_beside_a_reader) {
  Queue queue(Header{6, 3, 0});
  EXPECT_EQ(queue.at(1, {false, 1, 10}).waiting(kS), 0U);
}

TEST(DecLockRemoteWaiters, counts_from_the_first_writer_on_behind_a_reader) {
  Queue queue(Header{6, 4, 1});
  queue.at(1, {false, 1, 10}).at(2, {true, 2, 40}).at(3, {false, 3, 30});
  EXPECT_EQ(queue.waiting(kS), 31U);
}

TEST(DecLockRemoteWaiters, counts_readers_behind_a_writer) {
  EXPECT_EQ(Queue(Header{6, 2, 1}).at(1, {false, 1, 10}).waiting(kX), 11U);
}

// ---- what late readers see that begin their look at 35 ----

TEST(DecLockRemoteWaiters, ignores_a_writer_that_the_header_does_not_count) {
  EXPECT_EQ(Queue(Header{6, 3, 0}).behind_readers(35), 0U);
}

TEST(DecLockRemoteWaiters, counts_a_writer_without_an_entry_as_waiting_since_the_reader_s_look) {
  EXPECT_EQ(Queue(Header{6, 2, 1}).behind_readers(35), 36U);
  Queue two(Header{6, 3, 2});
  EXPECT_EQ(two.at(1, {true, 1, 40}).behind_readers(35), 36U);
}

TEST(DecLockRemoteWaiters, finds_the_earliest_writer_with_a_written_entry) {
  Queue all(Header{6, 2, 1});
  EXPECT_EQ(all.at(1, {true, 1, 40}).behind_readers(35), 41U);
  Queue two(Header{6, 3, 2});
  EXPECT_EQ(two.at(1, {true, 1, 30}).behind_readers(35), 31U);
}

TEST(DecLockRemoteWaiters, reports_no_waiter_to_late_readers_during_a_reset) {
  EXPECT_EQ(Queue(Header{6, 2, 2, 5}).behind_readers(35), 0U);
}

// Notifications may carry fewer entries; a look reads all of them.
TEST(DecLockRemoteWaiters, finds_the_earliest_waiter_whatever_notifications_carry) {
  Queue queue(Header{6, 3, 3});
  queue.at(1, {true, 1, 40}).at(2, {true, 2, 30});
  for (const auto notified : {cql::Notified::next, cql::Notified::next_written})
    EXPECT_EQ(queue.waiting(kX, {.notified = notified}), 31U);
}

TEST(DecLockRemoteWaiters, reports_no_waiter_during_a_reset) {
  EXPECT_EQ(Queue(Header{6, 2, 2, 5}).at(1, {true, 1, 10}).waiting(kX), 0U);
  EXPECT_EQ(Queue(Header{6, 5, 5}).at(1, {true, 1, 10}).waiting(kX), 0U);
}

// ---- what a notification carries: a writer releases and wakes the first client behind it ----

std::uint64_t carried(cql::Notified notified, const std::vector<cql::Entry>& behind) {
  std::vector<std::uint64_t> words(4, kFour.initial());
  for (std::uint32_t i = 0; i < behind.size(); ++i)
    if (behind[i].owner != 0) words[kFour.slot(i + 1)] = kFour.pack(behind[i]);
  const auto count = static_cast<std::uint32_t>(behind.size());
  const cql::Behind left = cql::behind(Header{0, count + 1, count + 1}, true, false);
  return earliest(kFour, left, 1, words, {.notified = notified});
}
constexpr cql::Entry kAt10{true, 1, 0, 10};
constexpr cql::Entry kAt20{true, 2, 0, 20};
constexpr cql::Entry kAt30{true, 3, 0, 30};
constexpr cql::Entry kNotWritten{};

TEST(DecLockNotification, carries_the_earliest_time) {
  EXPECT_EQ(carried(cql::Notified::earliest, {kAt10, kAt30, kAt20}), 21U);
  EXPECT_EQ(carried(cql::Notified::earliest, {kAt10, kNotWritten, kAt20}), 21U);
  EXPECT_EQ(carried(cql::Notified::earliest, {kAt10}), 0U);
}
TEST(DecLockNotification, carries_the_time_of_the_next_entry_alone_as_published) {
  EXPECT_EQ(carried(cql::Notified::next, {kAt10, kAt30, kAt20}), 31U);
  EXPECT_EQ(carried(cql::Notified::next, {kAt10, kNotWritten, kAt20}), 0U);
  EXPECT_EQ(carried(cql::Notified::next, {kAt10}), 0U);
}
TEST(DecLockNotification, carries_the_time_of_the_next_entry_that_is_written) {
  EXPECT_EQ(carried(cql::Notified::next_written, {kAt10, kAt30, kAt20}), 31U);
  EXPECT_EQ(carried(cql::Notified::next_written, {kAt10, kNotWritten, kAt20}), 21U);
}

}  // namespace
}  // namespace latchlab::declock_tests
