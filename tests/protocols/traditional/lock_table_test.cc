// The lock table of servers that manage their locks by CPU.

#include "core/protocols/common/lock_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace latchlab::served {
namespace {

using ::testing::ElementsAre;

constexpr RemoteAddr kLock{NodeId{1}, 64};

Asked by(std::uint32_t client, LockMode mode = LockMode::exclusive) {
  return {kLock, {ClientId{client}, 1}, mode};
}
Asked reader(std::uint32_t client) {
  return by(client, LockMode::shared);
}
PendingCall call_of(const Asked& asked) {
  return {pack(kAcquire, asked), asked.who.client.value + 1ULL};
}

class LockTableTest : public ::testing::Test {
 protected:
  bool wait(const Asked& asked) {
    if (table_.try_enter(asked)) return false;
    table_.wait(asked, call_of(asked));
    return true;
  }
  std::vector<std::uint32_t> let_in() {
    std::vector<std::uint32_t> clients;
    while (const auto call = table_.let_next_in(kLock))
      clients.push_back(unpack(call->request).who.client.value);
    return clients;
  }
  LockTable table_;
};

TEST(Served, requests_decode_to_what_was_asked) {
  const Asked asked(RemoteAddr{NodeId{3}, 4096}, {ClientId{7}, 9}, LockMode::shared);
  const Asked again = unpack(pack(kWithdraw, asked));
  EXPECT_EQ(again.entry, asked.entry);
  EXPECT_EQ(again.who, asked.who);
  EXPECT_EQ(again.mode, LockMode::shared);
}

TEST(Served, entries_decode_to_holders_and_waiters) {
  EXPECT_EQ(decode_entry(true, 0), "free");
  EXPECT_EQ(decode_entry(true, entry_word(1, 0, 2)), "writers=1 readers=0 waiting=2");
  EXPECT_EQ(decode_entry(true, entry_word(0, 300, 0)), "writers=0 readers=300 waiting=0");
  EXPECT_EQ(decode_entry(false, 0), "not shown");
}

TEST_F(LockTableTest, grants_readers_together_and_writers_alone) {
  EXPECT_TRUE(table_.try_enter(reader(0)));
  EXPECT_TRUE(table_.try_enter(reader(1)));
  EXPECT_FALSE(table_.try_enter(by(2)));
  EXPECT_TRUE(table_.leave(reader(0)));
  EXPECT_FALSE(table_.try_enter(by(2)));
  EXPECT_TRUE(table_.leave(reader(1)));
  EXPECT_TRUE(table_.try_enter(by(2)));
  EXPECT_FALSE(table_.try_enter(reader(0)));
}

TEST_F(LockTableTest, grants_all_readers_at_the_head_together_and_no_client_behind_a_writer) {
  EXPECT_FALSE(wait(by(0)));
  for (const std::uint32_t client : {1, 2}) EXPECT_TRUE(wait(reader(client)));
  EXPECT_TRUE(wait(by(3)));
  EXPECT_TRUE(wait(reader(4)));
  EXPECT_EQ(table_.entry_word_of(kLock), entry_word(1, 0, 4));
  table_.leave(by(0));
  EXPECT_THAT(let_in(), ElementsAre(1, 2));
  EXPECT_EQ(table_.entry_word_of(kLock), entry_word(0, 2, 2));
  table_.leave(reader(1));
  EXPECT_THAT(let_in(), ElementsAre());
  table_.leave(reader(2));
  EXPECT_THAT(let_in(), ElementsAre(3));
}

TEST_F(LockTableTest, grants_readers_when_the_writer_before_them_withdraws) {
  EXPECT_FALSE(wait(reader(0)));
  EXPECT_TRUE(wait(by(1)));
  EXPECT_TRUE(wait(reader(2)));
  const std::optional<PendingCall> call = table_.withdraw(by(1));
  ASSERT_TRUE(call);
  EXPECT_EQ(call->ticket, 2U);
  EXPECT_THAT(let_in(), ElementsAre(2));
  EXPECT_FALSE(table_.withdraw(by(1)));
}

TEST_F(LockTableTest, distinguishes_acquisitions_of_one_client) {
  EXPECT_TRUE(table_.try_enter(by(0)));
  Asked other = by(0);
  other.who.number = 2;
  EXPECT_FALSE(table_.holds(other));
  EXPECT_FALSE(table_.leave(other));
  EXPECT_TRUE(table_.holds(by(0)));
}

TEST_F(LockTableTest, counts_how_often_each_waiting_writer_is_passed) {
  EXPECT_FALSE(wait(reader(0)));
  EXPECT_FALSE(table_.waiting(kLock));
  EXPECT_TRUE(wait(by(1)));
  table_.pass(reader(2));
  EXPECT_TRUE(wait(by(3)));
  table_.pass(reader(4));
  EXPECT_EQ(table_.waiting(kLock)->passed, 2U);
  EXPECT_TRUE(table_.waiting(kLock)->beside_readers);
  table_.withdraw(by(1));
  EXPECT_EQ(table_.waiting(kLock)->passed, 1U) << "that of the next one";
}

TEST_F(LockTableTest, keeps_no_state_of_unused_locks) {
  EXPECT_FALSE(wait(by(0)));
  EXPECT_TRUE(wait(by(1)));
  table_.withdraw(by(1));
  EXPECT_EQ(table_.locks_in_use(), 1U);
  table_.leave(by(0));
  EXPECT_EQ(table_.locks_in_use(), 0U);
  EXPECT_EQ(table_.entry_word_of(kLock), 0U);
}

}  // namespace
}  // namespace latchlab::served
