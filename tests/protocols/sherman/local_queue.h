#pragma once
// Queues of a node's clients for one lock, with clients that join and leave as a test chooses.

#include <gtest/gtest.h>

#include <vector>

#include "core/protocols/common/local_queue.h"

namespace latchlab::local_queue_tests {

using enum LocalQueues::Joined;
using enum LocalQueues::Left;
using enum LocalQueues::Order;
using Exit = LocalQueues::Exit;
using Next = LocalQueues::Next;
using Waiter = LocalQueues::Waiter;

inline constexpr LockId kLock{7};

inline Waiter writer(std::uint32_t client, std::uint64_t since = 0) {
  return {ClientId{client}, LockMode::exclusive, {}, since};
}
inline Waiter reader(std::uint32_t client, std::uint64_t since = 0) {
  return {ClientId{client}, LockMode::shared, {}, since};
}
inline bool any_client(const LocalQueues::Candidate&) {
  return true;
}

class LocalQueue : public ::testing::Test {
 protected:
  LocalQueues::Joined join(const Waiter& who) { return queues_.join(kLock, who); }
  Exit leave(LocalQueues::Order order = as_they_came) {
    return queues_.leave(kLock, stays_, order);
  }
  Next freed(LocalQueues::Order order = as_they_came) { return queues_.freed(kLock, order); }
  std::vector<ClientId> admit(LocalQueues::Order order = as_they_came) {
    return queues_.admit(kLock, any_client, order);
  }
  // The lock is handed to this client and stays at the node.
  void expect_handed_to(std::uint32_t client, LocalQueues::Order order = as_they_came) {
    const Exit exit = leave(order);
    EXPECT_EQ(exit.left, handed_on);
    EXPECT_EQ(exit.next.client, ClientId{client});
  }
  void expect_led_by(std::uint32_t client, LocalQueues::Order order = as_they_came) {
    EXPECT_EQ(leave(order).left, must_free);
    const Next next = freed(order);
    EXPECT_TRUE(next.any);
    EXPECT_EQ(next.waiter.client, ClientId{client});
  }

  LocalQueues queues_;
  LocalQueues::Stays stays_ = LocalQueues::always();
};

}  // namespace latchlab::local_queue_tests
