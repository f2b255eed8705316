// Several messages in flight at once, and the transports of the endpoints that they go to.

#include <algorithm>

#include "tests/conformance/broken.h"

namespace latchlab::conformance {
namespace {

class MessageBatches : public Conformance {
 protected:
  void SetUp() override { LATCHLAB_NEEDS(Capability::reliable_messages); }
};
LATCHLAB_EVERY_BACKEND(MessageBatches);

Message tripled(std::uint64_t number) {
  Message message;
  message.words = {number, 3 * number, 0};
  return message;
}
bool is_whole(const Message& message) {
  return message.words[1] == 3 * message.words[0];
}

// Receives messages until none has come for a while.
Task<void> collect(Verbs& verbs, EndpointAddr own, std::size_t enough, Duration patience,
                   std::vector<std::uint64_t>& numbers) {
  while (numbers.size() < enough) {
    const WaitOutcome got = co_await verbs.receive(own, {}, verbs.now() + patience);
    if (got.by != Woke::message) co_return;
    EXPECT_TRUE(is_whole(got.message));
    numbers.push_back(got.message.words[0]);
  }
}

// Messages 1, 2, 3 ... to all targets in turn; `each` messages per target.
Task<void> send_batch(Verbs& verbs, std::vector<EndpointAddr> targets, std::uint64_t each) {
  Batch batch(verbs);
  std::vector<int> indices;
  for (std::uint64_t number = 1; number <= each; ++number)
    for (const EndpointAddr target : targets) indices.push_back(batch.add(target, tripled(number)));
  co_await batch.run();
  for (const int index : indices) EXPECT_EQ(batch.result(index).status, VerbStatus::ok);
  EXPECT_EQ(batch.status(), VerbStatus::ok);
}

void all_of_a_batch_arrive_in_order(Bench& bench) {
  Verbs& sender = bench.add_client();
  const Transport transports[] = {Transport::dc, Transport::rc, Transport::rc_patient};
  std::vector<EndpointAddr> inboxes;
  std::array<std::vector<std::uint64_t>, 3> received;
  for (std::size_t i = 0; i < 3; ++i) {
    Verbs& receiver = bench.add_client(i == 0 ? kHere : kThere);
    inboxes.push_back(receiver.open_endpoint(4, transports[i]));
    bench.spawn(receiver,
                collect(receiver, inboxes[i], 3, bench.lasting(milliseconds(20)), received[i]));
  }
  bench.spawn(sender, send_batch(sender, inboxes, 3));
  EXPECT_EQ(bench.run(), RunEnd::finished);
  for (const auto& numbers : received) EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3}));
}
TEST_P(MessageBatches, all_arrive_and_those_to_one_endpoint_in_order) {
  all_of_a_batch_arrive_in_order(*this);
}

void each_message_has_its_own_result(Bench& bench) {
  Verbs& sender = bench.add_client();
  Verbs& receiver = bench.add_client(kThere);
  const EndpointAddr narrow = receiver.open_endpoint(1, Transport::rc);
  const EndpointAddr wide = receiver.open_endpoint(4, Transport::rc);
  bench.spawn(receiver, [](Verbs& verbs, EndpointAddr own) -> Task<void> {
    for (std::uint64_t number = 3; number <= 4; ++number) {
      const WaitOutcome got = co_await verbs.receive(own, {});
      EXPECT_EQ(got.message.words[0], number);
    }
  }(receiver, wide));
  bench.spawn(sender, [](Verbs& verbs, EndpointAddr one, EndpointAddr four) -> Task<void> {
    Batch batch(verbs);
    const int first = batch.add(one, tripled(1));
    const int second = batch.add(one, tripled(2));  // finds no RECV
    const int third = batch.add(four, tripled(3));
    co_await batch.run();
    EXPECT_EQ(batch.result(first).status, VerbStatus::ok);
    EXPECT_EQ(batch.result(second).status, VerbStatus::receiver_not_ready);
    EXPECT_EQ(batch.result(third).status, VerbStatus::ok);
    EXPECT_EQ(batch.status(), VerbStatus::receiver_not_ready);
    const VerbStatus after = co_await verbs.send(four, tripled(4));
    EXPECT_EQ(after, VerbStatus::ok);
  }(sender, narrow, wide));
  EXPECT_EQ(bench.run(), RunEnd::finished);
}
TEST_P(MessageBatches, each_has_its_own_result) {
  each_message_has_its_own_result(*this);
}

// ---- detached ----

Task<void> post_batch(Verbs& verbs, std::vector<EndpointAddr> targets, std::uint64_t each) {
  {
    Batch batch(verbs);
    for (std::uint64_t number = 1; number <= each; ++number)
      for (const EndpointAddr target : targets) batch.add(target, tripled(number));
    batch.post();
  }
  const VerbStatus status = co_await verbs.flush();
  EXPECT_EQ(status, VerbStatus::ok);
}

void detached_messages_arrive_in_order(Bench& bench) {
  Verbs& sender = bench.add_client();
  std::vector<EndpointAddr> inboxes;
  std::array<std::vector<std::uint64_t>, 2> received;
  for (std::size_t i = 0; i < 2; ++i) {
    Verbs& receiver = bench.add_client(i == 0 ? kHere : kThere);
    inboxes.push_back(receiver.open_endpoint(4, Transport::rc));
    bench.spawn(receiver,
                collect(receiver, inboxes[i], 3, bench.lasting(milliseconds(20)), received[i]));
  }
  bench.spawn(sender, post_batch(sender, inboxes, 3));
  EXPECT_EQ(bench.run(), RunEnd::finished);
  for (const auto& numbers : received) EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3}));
}
TEST_P(MessageBatches, detached_messages_arrive_in_order) {
  detached_messages_arrive_in_order(*this);
}

// A message that finds no RECV is retried meanwhile.
void sender_of_detached_messages_goes_on(Bench& bench) {
  Verbs& sender = bench.add_client();
  Verbs& receiver = bench.add_client(kThere);
  const EndpointAddr patient = receiver.open_endpoint(1, Transport::rc_patient);
  const EndpointAddr wide = receiver.open_endpoint(4, Transport::rc);
  bench.spawn(sender, [](Verbs& verbs, EndpointAddr one, EndpointAddr four) -> Task<void> {
    {
      Batch batch(verbs);
      batch.add(one, tripled(1));
      batch.add(one, tripled(2));  // finds no RECV until the sender says so
      batch.post();
    }
    const VerbStatus after = co_await verbs.send(four, tripled(3));
    EXPECT_EQ(after, VerbStatus::ok);
    const VerbStatus all = co_await verbs.flush();
    EXPECT_EQ(all, VerbStatus::ok);
  }(sender, patient, wide));
  bench.spawn(receiver, [](Verbs& verbs, EndpointAddr one, EndpointAddr four) -> Task<void> {
    const WaitOutcome cue = co_await verbs.receive(four, {});
    EXPECT_EQ(cue.message.words[0], 3U);
    for (std::uint64_t number = 1; number <= 2; ++number) {
      const WaitOutcome got = co_await verbs.receive(one, {});
      EXPECT_EQ(got.message.words[0], number);
    }
  }(receiver, patient, wide));
  EXPECT_EQ(bench.run(), RunEnd::finished);
}
TEST_P(MessageBatches, detached_messages_do_not_delay_their_sender) {
  sender_of_detached_messages_goes_on(*this);
}

void error_of_a_detached_message_shows_at_flush(Bench& bench) {
  Verbs& sender = bench.add_client();
  Verbs& receiver = bench.add_client(kThere);
  const EndpointAddr narrow = receiver.open_endpoint(1, Transport::rc);
  bench.spawn(sender, [](Verbs& verbs, EndpointAddr one) -> Task<void> {
    {
      Batch batch(verbs);
      batch.add(one, tripled(1));
      batch.add(one, tripled(2));  // finds no RECV
      batch.post();
    }
    const VerbStatus first = co_await verbs.flush();
    EXPECT_EQ(first, VerbStatus::receiver_not_ready);
    const VerbStatus second = co_await verbs.flush();
    EXPECT_EQ(second, VerbStatus::ok);
  }(sender, narrow));
  EXPECT_EQ(bench.run(), RunEnd::finished);
}
TEST_P(MessageBatches, error_of_a_detached_message_shows_at_flush) {
  error_of_a_detached_message_shows_at_flush(*this);
}

// ---- datagrams ----

void sender_of_datagrams_goes_on(Bench& bench) {
  constexpr std::uint64_t kSent = 6;
  Verbs& sender = bench.add_client();
  Verbs& receiver = bench.add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(2, Transport::ud);
  const EndpointAddr cue = receiver.open_endpoint(1);
  std::vector<std::uint64_t> received;
  bench.spawn(sender, [](Verbs& verbs, EndpointAddr target, EndpointAddr start) -> Task<void> {
    for (std::uint64_t number = 1; number <= kSent; ++number) {
      const VerbStatus status = co_await verbs.send(target, tripled(number));
      EXPECT_EQ(status, VerbStatus::ok);
    }
    co_await verbs.send(start, tripled(0));
  }(sender, inbox, cue));
  bench.spawn(receiver,
              [](Verbs& verbs, EndpointAddr own, EndpointAddr start, Duration patience,
                 std::vector<std::uint64_t>& numbers) -> Task<void> {
                co_await verbs.receive(start, {});  // the receiver posts no RECV before this
                Task<void> collecting = collect(verbs, own, kSent, patience, numbers);
                co_await collecting;
              }(receiver, inbox, cue, bench.lasting(milliseconds(5)), received));
  EXPECT_EQ(bench.run(), RunEnd::finished);
  std::vector<std::uint64_t> once = received;
  std::sort(once.begin(), once.end());
  EXPECT_EQ(std::unique(once.begin(), once.end()), once.end()) << "a datagram arrived twice";
  for (const std::uint64_t number : received) EXPECT_TRUE(number >= 1 && number <= kSent);
}
TEST_P(MessageBatches, datagrams_without_a_recv_are_lost_and_the_others_are_intact) {
  LATCHLAB_NEEDS(Capability::datagrams);
  sender_of_datagrams_goes_on(*this);
}

// ---- and in backends that break these promises ----

Fault of_batches(std::function<void(Operation& first, Verbs& verbs)> change) {
  Fault fault;
  fault.posting = [change = std::move(change)](Operation& first, Verbs& verbs) {
    if (first.kind == OpKind::send && first.next != nullptr) change(first, verbs);
  };
  return fault;
}

TEST(BrokenMessages, that_are_lost_are_detected) {
  const Fault lost = of_batches([](Operation& first, Verbs& verbs) {
    first.next->target = verbs.open_endpoint(1, Transport::ud);
  });
  EXPECT_EQ(worlds_noticed(lost, all_of_a_batch_arrive_in_order), kAllSeeds);
}
TEST(BrokenMessages, that_overtake_each_other_are_detected) {
  const Fault reversed = of_batches([](Operation& first, Verbs&) {
    for (Operation* one = &first; one != nullptr; one = one->next)
      for (Operation* other = one->next; other != nullptr; other = other->next)
        if (one->target == other->target) std::swap(one->message, other->message);
  });
  EXPECT_EQ(worlds_noticed(reversed, all_of_a_batch_arrive_in_order), kAllSeeds);
}
TEST(BrokenMessages, that_share_one_result_are_detected) {
  const Fault together = of_batches([](Operation& first, Verbs&) {
    for (Operation* op = first.next; op != nullptr; op = op->next) op->target = first.target;
  });
  EXPECT_EQ(worlds_noticed(together, each_message_has_its_own_result), kAllSeeds);
}
TEST(BrokenMessages, datagrams_that_are_acknowledged_are_detected) {
  Fault reliable;
  reliable.opening = [](Transport wanted) { return is_datagram(wanted) ? Transport::rc : wanted; };
  EXPECT_EQ(worlds_noticed(reliable, sender_of_datagrams_goes_on), kAllSeeds);
}
TEST(BrokenMessages, that_are_changed_are_detected) {
  Fault changed;
  changed.posting = [](Operation& first, Verbs&) {
    if (first.kind == OpKind::send) first.message.words[1] = 0;
  };
  EXPECT_EQ(worlds_noticed(changed, all_of_a_batch_arrive_in_order), kAllSeeds);
}

}  // namespace
}  // namespace latchlab::conformance
