// Receivers without a RECV, peers that are gone, and the cost of both for the sender.

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class SlowReceivers : public SimWorld {
 protected:
  // One attempt, up to the receiver's NIC.
  Duration there() { return nic().one_way + nic().serve_send; }
};

struct Sent {
  VerbStatus status = VerbStatus::ok;
  Duration took;
};

Task<void> send_some(Verbs& verbs, Backend& backend, EndpointAddr target, std::size_t count,
                     std::vector<Sent>& log) {
  for (std::size_t i = 1; i <= count; ++i) {
    const Time begin = backend.true_now();
    const Message message = numbered(i);
    const VerbStatus status = co_await verbs.send(target, message);
    log.push_back({status, backend.true_now() - begin});
  }
}

Task<void> take_some(Verbs& verbs, EndpointAddr own, Duration pause, std::size_t count,
                     std::vector<std::uint64_t>& seen) {
  co_await verbs.sleep(pause);
  for (std::size_t i = 0; i < count; ++i) {
    const WaitOutcome got = co_await verbs.receive(own, {});
    seen.push_back(got.message.words[0]);
  }
}

Task<void> send_words(Verbs& verbs, EndpointAddr target) {
  Message message;
  message.type = 7;
  message.lock = LockId{5};
  message.words = {11, 22, 33};
  co_await verbs.send(target, message);
}

TEST_F(SlowReceivers, all_fields_of_a_message_are_in_the_fingerprint) {
  Verbs& sender = add_client();
  const EndpointAddr inbox = add_client(kThere).open_endpoint(1);
  run_alone(sender, send_words(sender, inbox));
  const Duration arrives = nic().post + nic().dc_connect + there();
  RunFingerprint expected;  // of actor 1
  expected.add(static_cast<std::uint64_t>(arrives.ps), {1, inbox.packed(), 7, 5, 11, 22, 33});
  EXPECT_EQ(world().fingerprint().text(), expected.text());
}

TEST_F(SlowReceivers, sender_gives_up_after_its_retries) {
  Verbs& sender = add_client();
  const EndpointAddr inbox = add_client(kThere).open_endpoint(1);
  std::vector<Sent> log;
  run_alone(sender, send_some(sender, world(), inbox, 2, log));
  EXPECT_EQ(log[0].status, VerbStatus::ok);
  EXPECT_EQ(log[1].status, VerbStatus::receiver_not_ready);
  EXPECT_EQ(log[1].took, nic().post + there() * 4 + (nic().one_way + nic().rnr_timer) * 3 +
                             nic().one_way + nic().completion);
}

TEST_F(SlowReceivers, message_arrives_once_a_recv_is_posted_again) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(1);
  std::vector<Sent> log;
  std::vector<std::uint64_t> seen;
  spawn(sender, send_some(sender, world(), inbox, 2, log));
  spawn(receiver, take_some(receiver, inbox, microseconds(20), 2, seen));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(log[1].status, VerbStatus::ok);
  // Refused at 4 and 16 us, received at 28 us.
  EXPECT_EQ(log[1].took, nic().post + there() * 3 + (nic().one_way + nic().rnr_timer) * 2 +
                             nic().one_way + nic().completion);
}

TEST_F(SlowReceivers, receiver_on_the_same_node_is_retried_in_the_same_way) {
  Verbs& sender = add_client();
  const EndpointAddr inbox = add_client().open_endpoint(1);
  std::vector<Sent> log;
  run_alone(sender, send_some(sender, world(), inbox, 2, log));
  EXPECT_EQ(log[1].status, VerbStatus::receiver_not_ready);
  EXPECT_EQ(log[1].took, nic().post + (nic().intra_node_message + nic().serve_send) * 4 +
                             (nic().intra_node_message + nic().rnr_timer) * 3 +
                             nic().intra_node_message + nic().completion);
}

TEST_F(SlowReceivers, failure_resets_the_initiator_before_the_next_send) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(1);
  std::vector<Sent> log;
  std::vector<std::uint64_t> seen;
  spawn(sender, send_some(sender, world(), inbox, 3, log));
  spawn(receiver, take_some(receiver, inbox, microseconds(60), 1, seen));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(log[1].status, VerbStatus::receiver_not_ready);
  EXPECT_EQ(log[2].status, VerbStatus::ok);
  EXPECT_EQ(log[2].took,
            nic().dc_reset + nic().dc_connect + there() + nic().one_way + nic().completion);
}

TEST_F(SlowReceivers, messages_behind_a_refused_one_do_not_overtake_it) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(1);
  std::vector<Sent> log;
  std::vector<std::uint64_t> seen;
  spawn(sender,
        [](Verbs& verbs, Backend& backend, EndpointAddr to, std::vector<Sent>& all) -> Task<void> {
          Task<void> first = send_some(verbs, backend, to, 3, all);
          Task<void> second = send_some(verbs, backend, to, 2, all);
          first.start();
          second.start();
          while (all.size() < 5) co_await verbs.sleep(microseconds(1));
        }(sender, world(), inbox, log));
  spawn(receiver, take_some(receiver, inbox, microseconds(20), 5, seen));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 1, 2, 2, 3}));
}

TEST_F(SlowReceivers, dead_process_is_detected_after_all_acknowledgement_timeouts) {
  Verbs& sender = add_client();
  const EndpointAddr inbox = add_client(kThere).open_endpoint(4);
  world().crash(ClientId{1}, CrashKind::process);
  std::vector<Sent> log;
  run_alone(sender, send_some(sender, world(), inbox, 1, log));
  EXPECT_EQ(log[0].status, VerbStatus::peer_failed);
  EXPECT_EQ(log[0].took, nic().post + nic().dc_connect + there() + nic().ack_timeout * 3);
}

TEST_F(SlowReceivers, process_that_dies_after_its_client_stops_acknowledging_too) {
  Verbs& sender = add_client();
  const EndpointAddr inbox = add_client(kThere).open_endpoint(4);
  world().crash(ClientId{1}, CrashKind::client);
  std::vector<Sent> log;
  run_alone(sender, send_some(sender, world(), inbox, 1, log));
  EXPECT_EQ(log[0].status, VerbStatus::ok);
  world().crash(ClientId{1}, CrashKind::process);
  Verbs& other = add_client();
  spawn(other, send_some(other, world(), inbox, 1, log), world().true_now());
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(log[1].status, VerbStatus::peer_failed);
}

TEST_F(SlowReceivers, verb_to_a_dead_node_fails_after_all_acknowledgement_timeouts) {
  add_client(kThere);
  world().crash(ClientId{0}, CrashKind::node);
  const Shot& shot = shoot(write_verb({kThere, 0}, 1));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(shot.completion.status, VerbStatus::peer_failed);
  EXPECT_EQ(shot.took(), nic().post + nic().one_way + nic().serve_write + nic().ack_timeout * 3);
}

}  // namespace
}  // namespace latchlab::simtest
