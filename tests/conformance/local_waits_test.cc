// Local waits: words in own memory, several conditions at once, deadlines, membership.

#include "tests/conformance/conformance.h"

namespace latchlab::conformance {
namespace {

class LocalWaits : public Conformance {
 protected:
  void SetUp() override { LATCHLAB_NEEDS(Capability::local_words); }
};
LATCHLAB_EVERY_BACKEND(LocalWaits);

constexpr RemoteAddr own_word(std::uint64_t index) {
  return {kHere, 1024 + 8 * index};
}

WordWait non_zero(RemoteAddr word) {
  WordWait wait;
  wait.word = word;
  wait.until = [](std::uint64_t value) { return value != 0; };
  return wait;
}

Task<void> expect_word(Verbs& verbs, RemoteAddr word, std::uint64_t value) {
  const WaitOutcome outcome = co_await verbs.await_local(non_zero(word));
  EXPECT_EQ(outcome.by, Woke::word);
  EXPECT_EQ(outcome.value, value);
}

TEST_P(LocalWaits, write_of_a_peer_wakes_the_waiter) {
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  spawn(waiter, expect_word(waiter, own_word(0), 5));
  spawn(writer, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(microseconds(10));
    co_await verbs.write(own_word(0), 5);
  }(writer));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(LocalWaits, atomic_of_a_peer_wakes_the_waiter) {
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  spawn(waiter, expect_word(waiter, own_word(0), 2));
  spawn(writer, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(microseconds(10));
    co_await verbs.fetch_add(own_word(0), 2);
  }(writer));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(LocalWaits, wide_atomic_wakes_a_waiter_on_either_of_its_words) {
  LATCHLAB_NEEDS(Capability::masked_atomics_16);
  Verbs& writer = add_client(kThere);
  for (const std::uint64_t word : {4, 5}) {
    Verbs& waiter = add_client();
    spawn(waiter, expect_word(waiter, own_word(word), word));
  }
  spawn(writer, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(microseconds(10));
    co_await verbs.masked_fetch_add(own_word(4), 16, Words{4, 5}, Words{});
  }(writer));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(LocalWaits, cpu_store_of_a_client_on_the_same_node_wakes_the_waiter) {
  Verbs& waiter = add_client();
  Verbs& neighbour = add_client();
  spawn(waiter, expect_word(waiter, own_word(1), 6));
  spawn(neighbour, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(microseconds(10));
    co_await verbs.store(own_word(1), 6);
  }(neighbour));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(LocalWaits, condition_that_already_holds_ends_the_wait) {
  Verbs& waiter = add_client();
  world().poke(own_word(2), 9);
  run_alone(waiter, expect_word(waiter, own_word(2), 9));
}

TEST_P(LocalWaits, wait_ends_at_its_deadline) {
  Verbs& waiter = add_client();
  run_alone(waiter, [](Verbs& verbs) -> Task<void> {
    const Time deadline = verbs.now() + microseconds(30);
    const WaitOutcome outcome = co_await verbs.await_local(non_zero(own_word(0)), deadline);
    EXPECT_EQ(outcome.by, Woke::deadline);
    EXPECT_EQ(outcome.index, 0);
    EXPECT_GE(verbs.now(), deadline);
  }(waiter));
}

TEST_P(LocalWaits, wait_for_the_first_of_four_words_names_the_one_that_changed) {
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  spawn(waiter, [](Verbs& verbs) -> Task<void> {
    WaitSet set;
    for (std::uint64_t i = 0; i < 4; ++i) set.add(non_zero(own_word(i)));
    const WaitOutcome outcome = co_await verbs.first_of(set);
    EXPECT_EQ(outcome.by, Woke::word);
    EXPECT_EQ(outcome.index, 2);
    EXPECT_EQ(outcome.value, 8U);
  }(waiter));
  spawn(writer, [](Verbs& verbs) -> Task<void> { co_await verbs.write(own_word(2), 8); }(writer));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(LocalWaits, wait_for_messages_and_words_leaves_the_other_event_for_later) {
  LATCHLAB_NEEDS(Capability::reliable_messages);
  Verbs& waiter = add_client();
  Verbs& peer = add_client(kThere);
  const EndpointAddr inbox = waiter.open_endpoint(2);
  spawn(waiter, [](Verbs& verbs, EndpointAddr own) -> Task<void> {
    bool word = false;
    bool message = false;
    for (int i = 0; i < 2; ++i) {
      WaitSet set;
      if (!message) set.add(MessageWait{own, {}});
      if (!word) set.add(non_zero(own_word(0)));
      const WaitOutcome outcome = co_await verbs.first_of(set);
      (outcome.by == Woke::message ? message : word) = true;
      if (outcome.by == Woke::message) {
        EXPECT_EQ(outcome.message.words[0], 4U);
      }
    }
    EXPECT_TRUE(word && message);
  }(waiter, inbox));
  spawn(peer, [](Verbs& verbs, EndpointAddr target) -> Task<void> {
    Message message;
    message.words[0] = 4;
    co_await verbs.send(target, message);
    co_await verbs.write(own_word(0), 1);
  }(peer, inbox));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(LocalWaits, change_of_membership_wakes_the_waiter) {
  LATCHLAB_NEEDS(Capability::membership);
  LATCHLAB_NEEDS(Capability::client_crash);
  Verbs& waiter = add_client();
  Verbs& victim = add_client(kThere);
  spawn(victim, [](Verbs& verbs) -> Task<void> {
    co_await verbs.receive(verbs.open_endpoint(1), {});
  }(victim));
  spawn(waiter, [](Verbs& verbs, Backend& backend) -> Task<void> {
    const Membership before = verbs.membership();
    EXPECT_TRUE(before.is_alive(ClientId{1}));
    WaitSet set;
    set.membership_after = before.version;
    backend.crash(ClientId{1}, CrashKind::client);
    const WaitOutcome outcome = co_await verbs.first_of(set);
    EXPECT_EQ(outcome.by, Woke::membership);
    const Membership after = verbs.membership();
    EXPECT_GT(after.version, before.version);
    EXPECT_FALSE(after.is_alive(ClientId{1}));
    EXPECT_TRUE(after.is_alive(ClientId{0}));
  }(waiter, world()));
  EXPECT_EQ(run(), RunEnd::finished);
}

}  // namespace
}  // namespace latchlab::conformance
