// Links that go down: the NIC retries. A verb succeeds if the link is back in time; otherwise it
// fails, after all retries and not before.

#include "tests/simgrid/links.h"

namespace latchlab::simtest {
namespace {

TEST_F(Links, verb_succeeds_with_the_retry_after_the_link_is_back) {
  cut_port(kServer, kStart, kStart + timeout_);
  const Shot& shot = shoot(faa_verb(kWord, 1));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_TRUE(shot.completion.ok());
  EXPECT_EQ(world().peek(kWord), 1U);
  EXPECT_GT(shot.took(), timeout_);
  EXPECT_LT(shot.took(), timeout_ + microseconds(5));
  expect_all_given_back();
}

TEST_F(Links, verb_fails_after_all_retries_and_not_before) {
  cut_port(kHere, kStart);
  const Shot& shot = shoot(read_verb(kWord));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(shot.completion.status, VerbStatus::peer_failed);
  EXPECT_GE(shot.took(), timeout_ * (retries_ + 1));
  EXPECT_LT(shot.took(), timeout_ * (retries_ + 1) + microseconds(5));
  expect_all_given_back();
}

TEST_F(Links, atomic_whose_response_is_lost_has_its_effect_once) {
  // It is executed at about 1.6 us; its response would be back at 2.7 us.
  cut_port(kServer, kStart + nanoseconds(1'800), kStart + timeout_);
  const Shot& shot = shoot(faa_verb(kWord, 1));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_TRUE(shot.completion.ok());
  EXPECT_EQ(shot.completion.value.lo, 0U);
  EXPECT_EQ(world().peek(kWord), 1U);
  EXPECT_GT(shot.took(), timeout_);
  expect_all_given_back();
}

TEST_F(Links, atomic_whose_response_never_arrives_fails_though_it_had_its_effect) {
  cut_port(kServer, kStart + nanoseconds(1'800));
  const Shot& shot = shoot(faa_verb(kWord, 1));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(shot.completion.status, VerbStatus::peer_failed);
  EXPECT_EQ(world().peek(kWord), 1U);
  expect_all_given_back();
}

TEST_F(Links, cut_between_two_nodes_does_not_affect_other_paths) {
  cut(kServer, kHere, kStart);
  const Shot& lost = shoot(read_verb(kWord));
  const Shot& fine = shoot(read_verb(kWord), kStart, kThere);
  const Shot& sideways = shoot(read_verb({kThere, 64}));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(lost.completion.status, VerbStatus::peer_failed);
  EXPECT_TRUE(fine.completion.ok());
  EXPECT_TRUE(sideways.completion.ok());
}

TEST_F(Links, node_reaches_itself_without_any_link) {
  cut_port(kHere, kStart);
  EXPECT_TRUE(shoot(faa_verb({kHere, 64}, 1)).completion.ok());
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().peek({kHere, 64}), 1U);
}

TEST_F(Links, link_that_went_down_twice_is_back_after_the_second_outage) {
  cut_port(kServer, kStart, kStart + microseconds(10));
  cut_port(kServer, kStart + microseconds(5), kStart + microseconds(30));
  const Shot& shot = shoot(read_verb(kWord));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_TRUE(shot.completion.ok());
  EXPECT_GT(shot.took(), timeout_ * 2);
}

TEST_F(Links, first_verb_of_a_failed_qp_names_the_peer_and_the_rest_are_flushed) {
  cut_port(kServer, kStart, kStart + milliseconds(1));
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Batch batch(verbs);
    batch.add(write_verb(kWord, 1));
    batch.add(faa_verb(kWord, 1));
    batch.add(read_verb(kWord));
    co_await batch.run();
    EXPECT_EQ(batch.result(0).status, VerbStatus::peer_failed);
    EXPECT_EQ(batch.result(1).status, VerbStatus::flushed);
    EXPECT_EQ(batch.result(2).status, VerbStatus::flushed);
    co_await verbs.sleep(milliseconds(2));
    const Verb again = faa_verb(kWord, 1);
    const Completion later = co_await verbs.issue(again);
    EXPECT_TRUE(later.ok());
  }(client));
  EXPECT_EQ(world().peek(kWord), 1U);
  expect_all_given_back();
}

TEST_F(Links, verbs_of_a_qp_keep_their_order_across_a_loss) {
  // The link is down in the middle of the stream, for less than the latency of one way, and again a
  // little later.
  cut_port(kServer, kStart + nanoseconds(1'300), kStart + nanoseconds(1'500));
  cut_port(kServer, kStart + nanoseconds(21'500), kStart + nanoseconds(21'900));
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    for (std::uint64_t i = 1; i <= 60; ++i) verbs.post(write_verb(kWord, i));
    const VerbStatus status = co_await verbs.flush();
    EXPECT_EQ(status, VerbStatus::ok);
    const Verb look = read_verb(kWord);
    const Completion last = co_await verbs.issue(look);
    EXPECT_EQ(last.value.lo, 60U);
  }(client));
  expect_all_given_back();
}

struct Mail {
  VerbStatus status = VerbStatus::ok;
  Duration took;
  std::uint64_t received = 0;
};

class Letters : public Links {
 protected:
  Mail post_one();
};

// One message from node 2 to node 3, whose receiver waits for 200 us.
Mail Letters::post_one() {
  Mail mail;
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(4);
  spawn(sender, [](Verbs& verbs, Backend& clock, EndpointAddr to, Mail& out) -> Task<void> {
    const Message message = numbered(9);
    out.status = co_await verbs.send(to, message);
    out.took = clock.true_now() - kStart;
  }(sender, world(), inbox, mail));
  spawn(receiver, [](Verbs& verbs, EndpointAddr own, Mail& out) -> Task<void> {
    for (;;) {
      WaitSet set;
      set.add(MessageWait{own, {}});
      set.deadline = Time{} + microseconds(200);
      const WaitOutcome got = co_await verbs.first_of(set);
      if (got.by != Woke::message) co_return;
      ++out.received;
    }
  }(receiver, inbox, mail));
  EXPECT_EQ(run(), RunEnd::finished);
  return mail;
}

TEST_F(Letters, arrive_once_when_the_link_is_back_in_time) {
  cut_port(kThere, kStart, kStart + timeout_);
  const Mail mail = post_one();
  EXPECT_EQ(mail.status, VerbStatus::ok);
  EXPECT_EQ(mail.received, 1U);
  EXPECT_GT(mail.took, timeout_);
  expect_all_given_back();
}

TEST_F(Letters, arrive_once_if_their_acknowledgement_is_lost) {
  // The message arrives at about 1.9 us (the initiator changes its target first), and is
  // acknowledged at 2.95 us.
  cut_port(kThere, kStart + nanoseconds(2'300), kStart + timeout_);
  const Mail mail = post_one();
  EXPECT_EQ(mail.status, VerbStatus::ok);
  EXPECT_EQ(mail.received, 1U);
  EXPECT_GT(mail.took, timeout_);
  expect_all_given_back();
}

TEST_F(Letters, fail_when_the_link_stays_down) {
  cut_port(kThere, kStart);
  const Mail mail = post_one();
  EXPECT_EQ(mail.status, VerbStatus::peer_failed);
  EXPECT_EQ(mail.received, 0U);
  EXPECT_GE(mail.took, timeout_ * (retries_ + 1));
  expect_all_given_back();
}

struct CountingServer final : CallHandler {
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    ++served;
    verbs.reply(pending, {});
    co_return;
  }
  int served = 0;
};

TEST_F(Links, call_is_retried_until_the_link_is_back) {
  CountingServer echo;
  world().serve_calls(add_server(), echo);
  cut_port(kServer, kStart, kStart + timeout_);
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Request request;
    const Reply reply = co_await verbs.call(kServer, request);
    EXPECT_TRUE(reply.ok());
  }(client));
  EXPECT_EQ(echo.served, 1);
  expect_all_given_back();
}

TEST_F(Links, call_that_fails_does_not_break_the_qp_of_an_earlier_verb_in_its_slot) {
  CountingServer echo;
  world().serve_calls(add_server(), echo);
  const Time back = kStart + microseconds(60) + timeout_ * (retries_ + 2);
  cut_port(kServer, kStart + microseconds(50), back);
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs, Duration until_back) -> Task<void> {
    EXPECT_TRUE((co_await verbs.read(on_server(0))).ok());
    co_await verbs.sleep(microseconds(55));
    const Request request;
    const Reply reply = co_await verbs.call(kServer, request);
    EXPECT_FALSE(reply.ok());
    co_await verbs.sleep(until_back);
    EXPECT_TRUE((co_await verbs.read(on_server(0))).ok());
  }(client, back - kStart));
  EXPECT_EQ(echo.served, 0);
  expect_all_given_back();
}

}  // namespace
}  // namespace latchlab::simtest
