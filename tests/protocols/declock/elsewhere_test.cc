// What the queue between nodes tells one that has the lock: since when others wait.

#include "core/protocols/declock/elsewhere.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/protocols/lock.h"

namespace latchlab::declock_tests {
namespace {

using cql::Format;
using cql::Header;

constexpr Format kFour(4, 3);
constexpr LockMode kX = LockMode::exclusive;
constexpr LockMode kS = LockMode::shared;
constexpr cql::Owner kMe = 7;

struct Entry {
  bool writes = true;
  cql::Owner owner = 1;
  std::uint32_t time = 0;
};

std::uint64_t packed(std::uint64_t index, const Entry& entry) {
  return kFour.pack(cql::Entry{entry.writes, entry.owner, kFour.version(index), entry.time});
}

// Who waits, from the second place on; the first has got in at once, and has no entry.
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
  std::uint64_t waiting(LockMode mode) const {
    const auto mine = [](cql::Owner owner) { return owner == kMe; };
    return declock::waiting_elsewhere(kFour, words_, mode, mine, {});
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint64_t head_ = 0;
};

TEST(DecLockElsewhere, is_nobody_behind_a_writer_alone) {
  EXPECT_EQ(Queue(Header{6, 1, 1}).waiting(kX), 0U);
}

TEST(DecLockElsewhere, is_the_earliest_behind_a_writer) {
  Queue queue(Header{6, 3, 3});
  EXPECT_EQ(queue.waiting(kX), 0U);  // not written yet
  EXPECT_EQ(queue.at(2, {true, 2, 30}).waiting(kX), 31U);
  EXPECT_EQ(queue.at(1, {true, 1, 40}).waiting(kX), 31U);
}

TEST(DecLockElsewhere, does_not_count_who_was_there_before_the_node) {
  Queue queue(Header{6, 4, 4});
  queue.at(1, {true, 1, 10}).at(2, {true, kMe, 20}).at(3, {true, 2, 30});
  EXPECT_EQ(queue.waiting(kX), 31U);
}

TEST(DecLockElsewhere, does_not_count_entries_of_earlier_rounds) {
  Queue queue(Header{6, 2, 2});
  Queue old(Header{2, 2, 2});
  EXPECT_EQ(old.at(1, {true, 1, 10}).waiting(kX), 11U);
  queue.at(1, {true, 1, 30});
  EXPECT_EQ(queue.waiting(kX), 31U);
}

// Readers before the first writer are inside, with an entry or without.
TEST(DecLockElsewhere, does_not_count_readers_beside_a_reader) {
  Queue queue(Header{6, 3, 0});
  EXPECT_EQ(queue.at(1, {false, 1, 10}).waiting(kS), 0U);
}

TEST(DecLockElsewhere, counts_from_the_first_writer_on_behind_a_reader) {
  Queue queue(Header{6, 4, 1});
  queue.at(1, {false, 1, 10}).at(2, {true, 2, 40}).at(3, {false, 3, 30});
  EXPECT_EQ(queue.waiting(kS), 31U);
}

TEST(DecLockElsewhere, counts_readers_behind_a_writer) {
  EXPECT_EQ(Queue(Header{6, 2, 1}).at(1, {false, 1, 10}).waiting(kX), 11U);
}

TEST(DecLockElsewhere, is_not_looked_for_while_the_lock_is_reset) {
  EXPECT_EQ(Queue(Header{6, 2, 2, 5}).at(1, {true, 1, 10}).waiting(kX), 0U);
  EXPECT_EQ(Queue(Header{6, 5, 5}).at(1, {true, 1, 10}).waiting(kX), 0U);
}

}  // namespace
}  // namespace latchlab::declock_tests
