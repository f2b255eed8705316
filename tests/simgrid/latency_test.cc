// An unloaded verb takes the sum of the constants on its path, to the picosecond.

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class Latency : public SimWorld {};

TEST_F(Latency, read_takes_the_round_trip_and_its_time_at_the_responder) {
  const Duration expected = travel() + nic().serve_read + nic().read;
  EXPECT_EQ(time_of(read_verb(kWord)), expected);
  EXPECT_EQ(time_of(read_verb(kWord, 16)), expected);
}

TEST_F(Latency, write_takes_the_round_trip_and_its_time_at_the_responder) {
  EXPECT_EQ(time_of(write_verb(kWord, 1)), travel() + nic().serve_write + nic().write);
}

TEST_F(Latency, eight_byte_atomic_takes_its_pipeline_and_its_hold) {
  const Duration taken = travel() + nic().serve_atomic_8;
  EXPECT_EQ(time_of(cas_verb(kWord, 0, 1)), taken + nic().hold_8);
  EXPECT_EQ(time_of(cas_verb(kWord, 0, 1)), taken + nic().hold_8_failed);
  EXPECT_EQ(time_of(faa_verb(kWord, 1)), taken + nic().hold_8);
  EXPECT_EQ(time_of(masked_cas_verb(kWord, 8, {7, 0}, kAllOnes, {}, kAllOnes)),
            taken + nic().hold_8_failed);
}

TEST_F(Latency, sixteen_byte_atomic_has_its_own_times) {
  const Duration expected = travel() + nic().serve_atomic_16 + nic().hold_16 + nic().atomic_16;
  EXPECT_EQ(time_of(masked_faa_verb(kWord, 16, {1, 1}, {})), expected);
  EXPECT_EQ(time_of(masked_cas_verb(kWord, 16, {9, 9}, kAllOnes, {}, kAllOnes)), expected);
}

TEST_F(Latency, verb_to_the_own_node_takes_the_loopback) {
  const Duration expected = nic().post + nic().loopback_one_way * 2 + nic().completion +
                            nic().serve_atomic_8 + nic().hold_8;
  EXPECT_EQ(time_of(faa_verb({kHere, 256}, 1)), expected);
}

TEST_F(Latency, link_between_client_nodes_is_longer_if_the_scenario_says_so) {
  options().client_link_latency = microseconds(3);
  const Duration usual = travel() + nic().serve_write + nic().write;
  EXPECT_EQ(time_of(write_verb({kThere, 256}, 1)), usual + microseconds(6));
  EXPECT_EQ(time_of(write_verb(kWord, 1)), usual);
  EXPECT_EQ(
      time_of(write_verb(kWord, 1), kServer),
      nic().post + nic().loopback_one_way * 2 + nic().completion + nic().serve_write + nic().write);
}

TEST_F(Latency, long_payload_adds_its_time_on_the_wire) {
  constexpr std::uint32_t kLong = 4096;
  const Duration wire = beyond_short(kLong);
  Verb fetch = read_verb(kWord, kLong);
  fetch.local = {kHere, 8192};
  EXPECT_EQ(time_of(fetch), travel() + nic().serve_read + nic().read + wire);
  Verb push = write_verb(kWord, 0);
  push.bytes = kLong;
  push.local = {kHere, 8192};
  EXPECT_EQ(time_of(push), travel() + nic().serve_write + nic().write + wire);
}

Task<void> timed_sends(Verbs& verbs, Backend& backend, std::vector<EndpointAddr> targets,
                       std::vector<Duration>& took) {
  for (const EndpointAddr target : targets) {
    const Time begin = backend.true_now();
    const Message message = numbered(1);
    const VerbStatus status = co_await verbs.send(target, message);
    EXPECT_EQ(status, VerbStatus::ok);
    took.push_back(backend.true_now() - begin);
  }
}

TEST_F(Latency, send_pays_for_a_change_of_target_only) {
  Verbs& sender = add_client();
  const EndpointAddr one = add_client(kThere).open_endpoint(8);
  const EndpointAddr two = add_client(kElsewhere).open_endpoint(8);
  std::vector<Duration> took;
  run_alone(sender, timed_sends(sender, world(), {one, one, two, two, one}, took));
  const Duration same = travel() + nic().serve_send;
  const Duration turned = same + nic().dc_connect;
  EXPECT_EQ(took, (std::vector<Duration>{turned, same, turned, same, turned}));
}

TEST_F(Latency, send_within_a_node_does_not_use_the_network) {
  Verbs& sender = add_client();
  const EndpointAddr neighbour = add_client().open_endpoint(8);
  std::vector<Duration> took;
  run_alone(sender, timed_sends(sender, world(), {neighbour, neighbour}, took));
  const Duration same =
      nic().post + nic().intra_node_message * 2 + nic().serve_send + nic().completion;
  EXPECT_EQ(took, (std::vector<Duration>{same + nic().dc_connect, same}));
}

Task<void> receive_at(Verbs& verbs, Backend& backend, EndpointAddr own, Time& seen) {
  co_await verbs.receive(own, {});
  seen = backend.true_now();
}

Task<void> send_one(Verbs& verbs, Backend& backend, EndpointAddr target, Time& done) {
  const Message message = numbered(1);
  co_await verbs.send(target, message);
  done = backend.true_now();
}

// Its sender gets the completion as before: a message is acknowledged when it has arrived.
TEST_F(Latency, receiver_sees_a_message_once_it_has_landed_and_been_handled) {
  nic().receive = nanoseconds(200);
  nic().handle_message = nanoseconds(70);
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(4);
  Verbs& sender = add_client();
  Time seen, done;
  spawn(receiver, receive_at(receiver, world(), inbox, seen));
  spawn(sender, send_one(sender, world(), inbox, done));
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration arrives = nic().post + nic().dc_connect + nic().one_way + nic().serve_send;
  EXPECT_EQ(seen - kStart, arrives + nic().receive + nic().completion + nic().handle_message);
  EXPECT_EQ(done - kStart, arrives + nic().one_way + nic().completion);
}

TEST_F(Latency, waiting_message_takes_handling_only_and_arriving_one_lands_first) {
  nic().receive = nanoseconds(200);
  nic().handle_message = nanoseconds(70);
  const Duration arrives = nic().post + nic().dc_connect + nic().one_way + nic().serve_send;
  const Duration lands = arrives + nic().receive;
  std::vector<Time> seen(2);
  const std::vector<Duration> looks = {lands + microseconds(5), arrives + nanoseconds(1)};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    Verbs& receiver = add_client(i == 0 ? kThere : kHere);
    const EndpointAddr inbox = receiver.open_endpoint(4);
    Verbs& sender = add_client(i == 0 ? kHere : kElsewhere);
    spawn(receiver, receive_at(receiver, world(), inbox, seen[i]), kStart + looks[i]);
    static Time done;
    spawn(sender, send_one(sender, world(), inbox, done));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(seen[0] - kStart, looks[0] + nic().handle_message);
  EXPECT_EQ(seen[1] - kStart, lands + nic().completion + nic().handle_message);
}

TEST_F(Latency, receiver_sees_a_message_one_way_after_the_send) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(1);
  std::vector<Duration> took;
  Time seen;
  spawn(sender, timed_sends(sender, world(), {inbox}, took));
  spawn(receiver, [](Verbs& verbs, Backend& backend, EndpointAddr own, Time& date) -> Task<void> {
    const WaitOutcome got = co_await verbs.receive(own, {});
    date = backend.true_now();
    EXPECT_EQ(got.message.received_latest, date - nanoseconds(50));
  }(receiver, world(), inbox, seen));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(seen - kStart,
            nic().post + nic().dc_connect + nic().one_way + nic().serve_send + nic().completion);
}

struct Echo final : CallHandler {
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    Reply reply;
    reply.words[0] = pending.request.words[0];
    verbs.reply(pending, reply);
    co_return;
  }
};

Task<void> timed_call(Verbs& verbs, Backend& backend, Duration& took) {
  const Time begin = backend.true_now();
  const Request request;
  const Reply reply = co_await verbs.call(kServer, request);
  EXPECT_TRUE(reply.ok());
  took = backend.true_now() - begin;
}

TEST_F(Latency, call_takes_a_round_trip_and_the_servers_cpu) {
  Echo echo;
  world().serve_calls(add_server(), echo);
  Verbs& client = add_client();
  Duration took;
  run_alone(client, timed_call(client, world(), took));
  EXPECT_EQ(took, travel() + nic().serve_send + nic().call_service);
}

TEST_F(Latency, calls_queue_for_the_servers_cores) {
  nic().request_gap = {};
  Echo echo;
  world().serve_calls(add_server(), echo);
  std::vector<Duration> took(6);
  for (Duration& each : took) {
    Verbs& client = add_client();
    spawn(client, timed_call(client, world(), each));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  // Two cores: pairs leave one service time apart; the pipeline delays the second call a little.
  const Duration first = travel() + nic().serve_send + nic().call_service;
  EXPECT_EQ(took[0], first);
  EXPECT_EQ(took[1], first + nic().serve_send);
  EXPECT_EQ(took[2], first + nic().call_service);
  EXPECT_EQ(took[3], first + nic().call_service + nic().serve_send);
  EXPECT_EQ(took[4], first + nic().call_service * 2);
  EXPECT_EQ(took[5], first + nic().call_service * 2 + nic().serve_send);
}

TEST_F(Latency, jitter_lengthens_each_leg_by_at_most_its_bound) {
  nic().jitter = nanoseconds(20);
  const Duration least = travel() + nic().serve_atomic_8 + nic().hold_8;
  Duration shortest = kForever;
  Duration longest;
  for (int i = 0; i < 200; ++i) {
    const Duration took = time_of(faa_verb(kWord, 1));
    shortest = std::min(shortest, took);
    longest = std::max(longest, took);
  }
  EXPECT_GE(shortest, least);
  EXPECT_LT(shortest, least + nanoseconds(10));
  EXPECT_LE(longest, least + nanoseconds(40));
  EXPECT_GT(longest, least + nanoseconds(30));
}

}  // namespace
}  // namespace latchlab::simtest
