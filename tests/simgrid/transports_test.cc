// The cost of a message over DC, RC and UD, and what can happen to it.

#include <algorithm>

#include "tests/non_empty.h"
#include "tests/simgrid/fixture.h"
#include "tests/simgrid/links.h"

namespace latchlab::simtest {
namespace {

class Transports : public Links {
 protected:
  Transports() { nic().request_gap = {}; }
  // From the requester's NIC to the receiver's.
  Duration there() { return nic().one_way + nic().serve_send; }
  Duration round() { return there() + nic().one_way + nic().completion; }
  EndpointAddr inbox(Transport transport, std::uint32_t recvs = 64, NodeId node = kThere) {
    receivers_.push_back(&add_client(node));
    return receivers_.back()->open_endpoint(recvs, transport);
  }
  Verbs& receiver(std::size_t index = 0) { return *receivers_[index]; }

 private:
  std::vector<Verbs*> receivers_;
};

struct SentBy {
  VerbStatus status = VerbStatus::ok;
  Time done;
};

Task<void> send_in_turn(Verbs& verbs, Backend& backend, std::vector<EndpointAddr> targets,
                        std::vector<SentBy>& log) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Message message = numbered(i + 1);
    const VerbStatus status = co_await verbs.send(targets[i], message);
    log.push_back({status, backend.true_now()});
  }
}

// All messages with one doorbell.
Task<void> send_together(Verbs& verbs, Backend& backend, std::vector<EndpointAddr> targets,
                         std::vector<SentBy>& log) {
  Batch batch(verbs);
  for (std::size_t i = 0; i < targets.size(); ++i) batch.add(targets[i], numbered(i + 1));
  co_await batch.run();
  for (std::size_t i = 0; i < targets.size(); ++i)
    log.push_back({batch.result(static_cast<int>(i)).status, backend.true_now()});
}

Task<void> take(Verbs& verbs, EndpointAddr own, Time from, Time until,
                std::vector<std::uint64_t>& seen) {
  if (const Duration left = from - verbs.now(); left.ps > 0) co_await verbs.sleep(left);
  for (;;) {
    const WaitOutcome got = co_await verbs.receive(own, {}, until);
    if (got.by != Woke::message) co_return;
    seen.push_back(got.message.words[0]);
  }
}

std::vector<EndpointAddr> alternating(EndpointAddr one, EndpointAddr two, std::size_t count) {
  std::vector<EndpointAddr> targets;
  for (std::size_t i = 0; i < count; ++i) targets.push_back(i % 2 == 0 ? one : two);
  return targets;
}

std::vector<std::uint64_t> numbers_to(std::uint64_t last) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 1; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

// ---- cost ----

TEST_F(Transports, dc_pays_for_each_change_of_target_and_rc_for_none) {
  const std::size_t kCount = 10;
  for (const Transport transport : {Transport::dc, Transport::rc}) {
    const EndpointAddr one = inbox(transport);
    const EndpointAddr two = inbox(transport, 64, kElsewhere);
    std::vector<SentBy> log;
    Verbs& sender = add_client();
    const Time begin = world().true_now();
    spawn(sender, send_in_turn(sender, world(), alternating(one, two, kCount), log), begin);
    EXPECT_EQ(run(), RunEnd::finished);
    const Duration turn = transport == Transport::dc ? nic().dc_connect : Duration{};
    const auto count = static_cast<std::int64_t>(kCount);
    EXPECT_EQ(log.back().done - begin, (nic().post + round() + turn) * count);
  }
}

TEST_F(Transports, dc_has_one_message_in_flight_and_rc_all_of_a_batch) {
  for (const Transport transport : {Transport::dc, Transport::rc}) {
    const EndpointAddr one = inbox(transport);
    const EndpointAddr two = inbox(transport, 64, kElsewhere);
    std::vector<SentBy> log;
    Verbs& sender = add_client();
    const Time begin = world().true_now();
    spawn(sender, send_together(sender, world(), alternating(one, two, 4), log), begin);
    EXPECT_EQ(run(), RunEnd::finished);
    const Duration took = log.back().done - begin;
    if (transport == Transport::dc) {
      EXPECT_EQ(took, nic().post + (round() + nic().dc_connect) * 4);
    } else {
      // They take turns at the port, for the time of a message each, and in the receivers'
      // pipelines.
      EXPECT_GE(took, nic().post + round());
      EXPECT_LE(took, nic().post + round() + nic().serve_send * 4);
    }
  }
}

TEST_F(Transports, rc_uses_a_qp_of_both_nics_for_each_pair) {
  nic().qp_cache = {{2, 1'000'000'000}, {3, 500'000'000}};  // the third QP halves all rates
  nic().serve_send = microseconds(1);
  std::vector<EndpointAddr> targets;
  for (int i = 0; i < 3; ++i) targets.push_back(inbox(Transport::rc));
  std::vector<SentBy> log;
  Verbs& sender = add_client();
  run_alone(sender, send_in_turn(sender, world(), targets, log));
  EXPECT_EQ(log[1].done - log[0].done, nic().post + round());
  EXPECT_EQ(log[2].done - log[1].done, nic().post + round() + nic().serve_send);
}

TEST_F(Transports, a_datagram_completes_when_it_has_left) {
  const EndpointAddr target = inbox(Transport::ud);
  std::vector<SentBy> log;
  std::vector<std::uint64_t> seen;
  Verbs& sender = add_client();
  spawn(sender, send_in_turn(sender, world(), {target, target}, log));
  spawn(receiver(), take(receiver(), target, kStart, kStart + microseconds(20), seen));
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration leaving = on_wire(sizeof(Message) + 8);  // it has a DETH
  const Duration each = nic().post + leaving + nic().completion;
  EXPECT_EQ(log[0].done, kStart + each);
  EXPECT_EQ(log[1].done, kStart + each * 2);
  EXPECT_EQ(seen, numbers_to(2));
  expect_all_given_back();
}

// ---- order and errors of RC ----

TEST_F(Transports, rc_keeps_its_order_if_a_receiver_has_no_recv) {
  const EndpointAddr target = inbox(Transport::rc_patient, 3);
  std::vector<SentBy> log;
  std::vector<std::uint64_t> seen;
  Verbs& sender = add_client();
  spawn(sender, send_together(sender, world(), std::vector<EndpointAddr>(12, target), log));
  spawn(receiver(),
        take(receiver(), target, kStart + microseconds(60), kStart + milliseconds(1), seen));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(seen, numbers_to(12));
  for (const SentBy& sent : non_empty(log)) EXPECT_EQ(sent.status, VerbStatus::ok);
  expect_conservation();
}

TEST_F(Transports, an_error_of_rc_flushes_only_the_messages_behind_it) {
  const EndpointAddr full = inbox(Transport::rc, 1);
  const EndpointAddr other = inbox(Transport::rc, 8, kElsewhere);
  std::vector<SentBy> log;
  Verbs& sender = add_client();
  spawn(sender,
        [](Verbs& verbs, Backend& backend, EndpointAddr one, EndpointAddr two,
           std::vector<SentBy>& all) -> Task<void> {
          std::vector<EndpointAddr> targets = {one, one, one, two};
          co_await send_together(verbs, backend, targets, all);
          std::vector<EndpointAddr> again = {two};
          co_await send_in_turn(verbs, backend, again, all);
        }(sender, world(), full, other, log));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(log[0].status, VerbStatus::ok);
  EXPECT_EQ(log[1].status, VerbStatus::receiver_not_ready);
  EXPECT_EQ(log[2].status, VerbStatus::flushed);
  EXPECT_EQ(log[3].status, VerbStatus::ok);
  EXPECT_EQ(log[4].done - log[3].done, nic().post + round()) << "no DCI to reset";
  expect_conservation();
}

TEST_F(Transports, a_connection_works_again_after_its_error) {
  const EndpointAddr target = inbox(Transport::rc, 1);
  std::vector<SentBy> log;
  std::vector<std::uint64_t> seen;
  Verbs& sender = add_client();
  spawn(sender, send_in_turn(sender, world(), {target, target, target}, log));
  spawn(receiver(),
        take(receiver(), target, kStart + microseconds(50), kStart + microseconds(90), seen));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(log[1].status, VerbStatus::receiver_not_ready);
  EXPECT_EQ(log[2].status, VerbStatus::ok);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 3}));
}

TEST_F(Transports, rc_resends_in_order_what_a_link_has_lost) {
  const EndpointAddr target = inbox(Transport::rc);
  std::vector<SentBy> log;
  std::vector<std::uint64_t> seen;
  Verbs& sender = add_client();
  spawn(sender, send_together(sender, world(), std::vector<EndpointAddr>(6, target), log));
  spawn(receiver(), take(receiver(), target, kStart, kStart + milliseconds(1), seen));
  // Some messages have arrived when the link goes down, and none has been acknowledged.
  const Time down = kStart + nic().post + there() + picoseconds(20'000);
  cut_port(kThere, down, down + microseconds(15));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(seen, numbers_to(6));
  for (const SentBy& sent : non_empty(log)) EXPECT_EQ(sent.status, VerbStatus::ok);
  EXPECT_GE(log.back().done - kStart, nic().ack_timeout);
  expect_all_given_back();
}

TEST_F(Transports, rc_over_a_link_that_stays_down_fails) {
  const EndpointAddr target = inbox(Transport::rc);
  std::vector<SentBy> log;
  Verbs& sender = add_client();
  spawn(sender, send_together(sender, world(), {target, target}, log));
  cut_port(kThere, kStart);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(log[0].status, VerbStatus::peer_failed);
  EXPECT_EQ(log[1].status, VerbStatus::flushed);
  expect_conservation();
}

// ---- what the network does to datagrams ----

TEST_F(Transports, datagrams_are_lost_at_the_rate_of_the_scenario_and_other_messages_never) {
  options().datagrams = {.loss_ppb = 200'000'000};
  const std::size_t kCount = 2'000;
  for (const Transport transport : {Transport::ud, Transport::rc, Transport::dc}) {
    const std::size_t index = transport == Transport::ud ? 0 : transport == Transport::rc ? 1 : 2;
    const EndpointAddr target = inbox(transport, kCount);
    std::vector<SentBy> log;
    std::vector<std::uint64_t> seen;
    Verbs& sender = add_client();
    const Time begin = world().true_now();
    spawn(sender, send_in_turn(sender, world(), std::vector<EndpointAddr>(kCount, target), log),
          begin);
    spawn(receiver(index), take(receiver(index), target, begin, begin + milliseconds(20), seen),
          begin);
    EXPECT_EQ(run(), RunEnd::finished);
    if (transport == Transport::ud) {
      EXPECT_NEAR(static_cast<double>(seen.size()), 0.8 * kCount, 0.03 * kCount);
      EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    } else {
      EXPECT_EQ(seen, numbers_to(kCount));
    }
    for (const SentBy& sent : non_empty(log)) EXPECT_EQ(sent.status, VerbStatus::ok);
  }
  expect_conservation();
}

TEST_F(Transports, datagrams_overtake_each_other_if_the_scenario_says_so) {
  options().datagrams = {.reorder_ppb = 100'000'000, .reorder_by = microseconds(20)};
  const std::size_t kCount = 500;
  const EndpointAddr target = inbox(Transport::ud, kCount);
  std::vector<SentBy> log;
  std::vector<std::uint64_t> seen;
  Verbs& sender = add_client();
  spawn(sender, send_in_turn(sender, world(), std::vector<EndpointAddr>(kCount, target), log));
  spawn(receiver(), take(receiver(), target, kStart, kStart + milliseconds(5), seen));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_FALSE(std::is_sorted(seen.begin(), seen.end()));
  std::size_t late = 0;
  for (std::size_t i = 1; i < seen.size(); ++i) late += seen[i] < seen[i - 1] ? 1 : 0;
  EXPECT_GT(late, kCount / 20);
  EXPECT_LT(late, kCount / 6);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, numbers_to(kCount)) << "late, not lost";
}

TEST_F(Transports, a_datagram_without_recv_or_receiver_is_lost_without_an_error) {
  const EndpointAddr small = inbox(Transport::ud, 1);
  const EndpointAddr dead = inbox(Transport::ud, 1);
  world().crash(ClientId{1}, CrashKind::process);
  std::vector<SentBy> log;
  std::vector<std::uint64_t> seen;
  Verbs& sender = add_client();
  spawn(sender, send_in_turn(sender, world(), {small, small, dead}, log));
  spawn(receiver(),
        take(receiver(), small, kStart + microseconds(20), kStart + microseconds(40), seen));
  EXPECT_EQ(run(), RunEnd::finished);
  for (const SentBy& sent : non_empty(log)) EXPECT_EQ(sent.status, VerbStatus::ok);
  EXPECT_EQ(seen, numbers_to(1));
}

}  // namespace
}  // namespace latchlab::simtest
