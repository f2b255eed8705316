// Endpoints and messages, and what happens when no client receives them.

#include "tests/conformance/conformance.h"

namespace latchlab::conformance {
namespace {

class Messages : public Conformance {
 protected:
  void SetUp() override { LATCHLAB_NEEDS(Capability::reliable_messages); }
};
LATCHLAB_EVERY_BACKEND(Messages);

Message numbered(std::uint64_t number, std::uint64_t type = 1) {
  Message message;
  message.type = type;
  message.generation = 9;
  message.lock = LockId{77};
  message.words[0] = number;
  return message;
}

Task<void> send_numbers(Verbs& verbs, EndpointAddr target, std::uint64_t count) {
  for (std::uint64_t i = 1; i <= count; ++i) {
    const VerbStatus status = co_await verbs.send(target, numbered(i));
    EXPECT_EQ(status, VerbStatus::ok);
  }
}

TEST_P(Messages, endpoint_addresses_pack_into_forty_bits_and_differ) {
  Verbs& one = add_client();
  Verbs& two = add_client();
  const EndpointAddr first = one.open_endpoint(4);
  const EndpointAddr second = one.open_endpoint(4);
  const EndpointAddr third = two.open_endpoint(4);
  for (const EndpointAddr addr : {first, second, third}) {
    EXPECT_NE(addr.packed(), 0U);
    EXPECT_LT(addr.packed(), 1ULL << 40);
    EXPECT_EQ(EndpointAddr::unpack(addr.packed()), addr);
    EXPECT_EQ(addr.node, kHere);
  }
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
}

TEST_P(Messages, messages_between_two_endpoints_arrive_once_and_in_order) {
  constexpr std::uint64_t kCount = 20;
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(4);
  spawn(sender, send_numbers(sender, inbox, kCount));
  spawn(receiver, [](Verbs& verbs, EndpointAddr own) -> Task<void> {
    for (std::uint64_t i = 1; i <= kCount; ++i) {
      const WaitOutcome got = co_await verbs.receive(own, {});
      EXPECT_EQ(got.by, Woke::message);
      EXPECT_EQ(got.message.words[0], i);
      EXPECT_EQ(got.message.generation, 9U);
      EXPECT_EQ(got.message.lock.value, 77U);
      EXPECT_LE(got.message.received_earliest, got.message.received_latest);
      EXPECT_LE(got.message.received_earliest, verbs.now());
    }
  }(receiver, inbox));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Messages, message_that_a_filter_passes_over_stays_queued_in_order) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(8);
  spawn(sender, send_numbers(sender, inbox, 5));
  spawn(receiver, [](Verbs& verbs, EndpointAddr own) -> Task<void> {
    const WaitOutcome fourth =
        co_await verbs.receive(own, [](const Message& message) { return message.words[0] == 4; });
    EXPECT_EQ(fourth.message.words[0], 4U);
    const std::vector<std::uint64_t> rest = {1, 2, 3, 5};
    for (const std::uint64_t expected : rest) {
      const WaitOutcome got = co_await verbs.receive(own, {});
      EXPECT_EQ(got.message.words[0], expected);
    }
  }(receiver, inbox));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Messages, two_endpoints_of_one_client_have_separate_messages) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr first = receiver.open_endpoint(4);
  const EndpointAddr second = receiver.open_endpoint(4);
  spawn(sender, [](Verbs& verbs, EndpointAddr one, EndpointAddr two) -> Task<void> {
    co_await verbs.send(one, numbered(1));
    co_await verbs.send(two, numbered(2));
  }(sender, first, second));
  spawn(receiver, [](Verbs& verbs, EndpointAddr one, EndpointAddr two) -> Task<void> {
    const WaitOutcome later = co_await verbs.receive(two, {});
    EXPECT_EQ(later.message.words[0], 2U);
    const WaitOutcome earlier = co_await verbs.receive(one, {});
    EXPECT_EQ(earlier.message.words[0], 1U);
  }(receiver, first, second));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Messages, unreceived_messages_take_recvs) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr full = receiver.open_endpoint(2);
  const EndpointAddr not_full = receiver.open_endpoint(3);
  spawn(sender, [](Verbs& verbs, EndpointAddr one, EndpointAddr other) -> Task<void> {
    co_await send_numbers(verbs, one, 2);
    co_await send_numbers(verbs, other, 2);
  }(sender, full, not_full));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().unreceived().messages, 4U);
  EXPECT_EQ(world().unreceived().full, 1U);
}

TEST_P(Messages, receive_ends_at_its_deadline) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const EndpointAddr inbox = verbs.open_endpoint(1);
    const Time deadline = verbs.now() + microseconds(50);
    const WaitOutcome outcome = co_await verbs.receive(inbox, {}, deadline);
    EXPECT_EQ(outcome.by, Woke::deadline);
    EXPECT_GE(verbs.now(), deadline);
    const WaitOutcome poll = co_await verbs.receive(inbox, {}, verbs.now());
    EXPECT_EQ(poll.by, Woke::deadline);
  }(client));
}

TEST_P(Messages, sender_without_a_recv_gets_an_error_and_succeeds_once_there_is_one) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(2);
  const EndpointAddr cue = receiver.open_endpoint(1);
  spawn(sender, [](Verbs& verbs, EndpointAddr target, EndpointAddr start) -> Task<void> {
    VerbStatus status = VerbStatus::ok;
    for (std::uint64_t i = 1; i <= 2; ++i) {
      status = co_await verbs.send(target, numbered(i));
      EXPECT_EQ(status, VerbStatus::ok);
    }
    status = co_await verbs.send(target, numbered(99));
    EXPECT_EQ(status, VerbStatus::receiver_not_ready);
    co_await verbs.send(start, numbered(0));
    do {
      status = co_await verbs.send(target, numbered(3));
    } while (status == VerbStatus::receiver_not_ready);
    EXPECT_EQ(status, VerbStatus::ok);
  }(sender, inbox, cue));
  spawn(receiver, [](Verbs& verbs, EndpointAddr own, EndpointAddr start) -> Task<void> {
    co_await verbs.receive(start, {});
    for (std::uint64_t i = 1; i <= 3; ++i) {
      const WaitOutcome got = co_await verbs.receive(own, {});
      EXPECT_EQ(got.message.words[0], i);
    }
  }(receiver, inbox, cue));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Messages, reliable_endpoint_makes_its_sender_wait_for_a_recv) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(1, Transport::dc_patient);
  spawn(sender, [](Verbs& verbs, EndpointAddr target) -> Task<void> {
    for (std::uint64_t i = 1; i <= 2; ++i) {
      const VerbStatus status = co_await verbs.send(target, numbered(i));
      EXPECT_EQ(status, VerbStatus::ok);
    }
  }(sender, inbox));
  spawn(receiver, [](Verbs& verbs, EndpointAddr own) -> Task<void> {
    co_await verbs.sleep(milliseconds(50));  // longer than a sender that gives up would retry
    for (std::uint64_t i = 1; i <= 2; ++i) {
      const WaitOutcome got = co_await verbs.receive(own, {});
      EXPECT_EQ(got.message.words[0], i);
    }
  }(receiver, inbox));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Messages, datagram_without_a_recv_is_lost_and_its_sender_continues) {
  LATCHLAB_NEEDS(Capability::datagrams);
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(1, Transport::ud);
  spawn(sender, [](Verbs& verbs, EndpointAddr target) -> Task<void> {
    for (std::uint64_t i = 1; i <= 3; ++i) {
      const VerbStatus status = co_await verbs.send(target, numbered(i));
      EXPECT_EQ(status, VerbStatus::ok);
    }
  }(sender, inbox));
  int received = 0;
  spawn(receiver, [](Verbs& verbs, EndpointAddr own, int& count) -> Task<void> {
    co_await verbs.sleep(milliseconds(50));
    for (;;) {
      const WaitOutcome got = co_await verbs.receive(own, {}, verbs.now() + milliseconds(1));
      if (got.by != Woke::message) co_return;
      ++count;
    }
  }(receiver, inbox, received));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_LE(received, has(Capability::timing) ? 1 : 3);
}

Task<void> wait_for_ever(Verbs& verbs, EndpointAddr own) {
  co_await verbs.receive(own, {});
}

// An inbox with two RECVs, of client 1, which has crashed.
EndpointAddr inbox_of_the_dead(Bench& bench, CrashKind kind) {
  Verbs& victim = bench.add_client(kThere);
  const EndpointAddr inbox = victim.open_endpoint(2);
  bench.spawn(victim, wait_for_ever(victim, inbox));
  bench.world().crash(ClientId{1}, kind);
  return inbox;
}

TEST_P(Messages, crashed_client_uses_up_its_recvs_unread) {
  LATCHLAB_NEEDS(Capability::client_crash);
  Verbs& sender = add_client();
  const EndpointAddr inbox = inbox_of_the_dead(*this, CrashKind::client);
  run_alone(sender, [](Verbs& verbs, EndpointAddr target) -> Task<void> {
    const VerbStatus first = co_await verbs.send(target, numbered(1));
    EXPECT_EQ(first, VerbStatus::ok);
    const VerbStatus second = co_await verbs.send(target, numbered(2));
    EXPECT_EQ(second, VerbStatus::ok);
    const VerbStatus third = co_await verbs.send(target, numbered(3));
    EXPECT_EQ(third, VerbStatus::receiver_not_ready);
  }(sender, inbox));
}

TEST_P(Messages, crashed_process_does_not_acknowledge) {
  LATCHLAB_NEEDS(Capability::client_crash);
  Verbs& sender = add_client();
  const EndpointAddr inbox = inbox_of_the_dead(*this, CrashKind::process);
  run_alone(sender, [](Verbs& verbs, EndpointAddr target) -> Task<void> {
    const VerbStatus status = co_await verbs.send(target, numbered(1));
    EXPECT_EQ(status, VerbStatus::peer_failed);
  }(sender, inbox));
}

}  // namespace
}  // namespace latchlab::conformance
