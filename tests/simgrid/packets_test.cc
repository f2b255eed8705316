// What verbs take on the wire: their headers count, in both directions, on every link of the way;
// and what switches do whose queues are full.

#include "backends/simgrid/packets.h"

#include <algorithm>

#include "backends/simgrid/line.h"
#include "backends/simgrid/platform.h"
#include "tests/simgrid/fixture.h"
#include "tests/simgrid/network.h"

namespace latchlab::simtest {
namespace {

using sim::answer_packets;
using sim::femtoseconds_per_byte;
using sim::request_packets;

constexpr std::int64_t kInfiniband = 26;
constexpr std::int64_t kRoceV2 = 82;

NicModel with_overhead(std::int64_t bytes) {
  NicModel nic = plain_nic();
  nic.packet_overhead = bytes;
  return nic;
}

Verb masked_cas(std::uint32_t bytes) {
  Verb verb;
  verb.kind = VerbKind::masked_cas;
  verb.bytes = bytes;
  return verb;
}

TEST(Packets, have_the_headers_of_their_operation_and_of_the_link_layer) {
  const NicModel ib = with_overhead(kInfiniband);
  EXPECT_EQ(request_packets(ib, faa_verb(kWord, 1)).wire, 54U);
  EXPECT_EQ(answer_packets(ib, faa_verb(kWord, 1)).wire, 38U);
  EXPECT_EQ(request_packets(ib, read_verb(kWord)).wire, 42U);
  EXPECT_EQ(answer_packets(ib, read_verb(kWord)).wire, 38U);
  EXPECT_EQ(request_packets(ib, write_verb(kWord, 1)).wire, 50U);
  EXPECT_EQ(answer_packets(ib, write_verb(kWord, 1)).wire, 30U);
  EXPECT_EQ(request_packets(ib, masked_cas(16)).wire, 26U + 12 + 4 * 16);
  EXPECT_EQ(answer_packets(ib, masked_cas(16)).wire, 46U);
  EXPECT_EQ(request_packets(with_overhead(kRoceV2), faa_verb(kWord, 1)).wire, 110U);
}

TEST(Packets, of_a_long_payload_each_have_a_header) {
  const NicModel ib = with_overhead(kInfiniband);
  EXPECT_EQ(answer_packets(ib, read_verb(kWord, 4096)).wire, 4096U + 26 + 4);
  EXPECT_EQ(answer_packets(ib, read_verb(kWord, 4104)).wire, 4104U + 2 * 26 + 2 * 4);
  NicModel short_packets = ib;
  short_packets.mtu = 1024;
  EXPECT_EQ(answer_packets(short_packets, read_verb(kWord, 4096)).wire, 4096U + 4 * 26 + 2 * 4);
}

// ---- one line ----

TEST(Line, carries_one_packet_after_the_other) {
  sim::Line line(femtoseconds_per_byte(8'000'000'000));
  EXPECT_EQ(line.takes(10), nanoseconds(10));
  EXPECT_EQ(line.pass(kStart, nanoseconds(10)), kStart);
  EXPECT_EQ(line.pass(kStart + nanoseconds(4), nanoseconds(10)), kStart + nanoseconds(10));
  EXPECT_EQ(line.pass(kStart + nanoseconds(50), nanoseconds(10)), kStart + nanoseconds(50));
  // An earlier one does not wait for what comes later.
  EXPECT_EQ(line.pass(kStart + nanoseconds(30), nanoseconds(10)), kStart + nanoseconds(30));
  EXPECT_EQ(line.free(), kStart + nanoseconds(70));
}

TEST(Line, counts_packets_but_neither_gaps_nor_pauses) {
  sim::Line line(femtoseconds_per_byte(8'000'000'000));
  line.pass(kStart, nanoseconds(40), nanoseconds(10));
  line.pause(kStart + microseconds(1));
  EXPECT_EQ(line.carried(kStart + nanoseconds(10)), nanoseconds(10));
  line.reset_stats(kStart + nanoseconds(500));
  EXPECT_EQ(line.carried(kStart + microseconds(2)), Duration{});
  EXPECT_EQ(line.pass(kStart + nanoseconds(600), nanoseconds(10)), kStart + microseconds(1));
}

// 8 ns a byte.
class Wires : public SimWorld {
 protected:
  Wires() {
    nic().packet_overhead = kInfiniband;
    nic().link_bits_per_s = 1'000'000'000;
  }
  static constexpr Duration kByte = nanoseconds(8);

  static Verb write_of(RemoteAddr to, NodeId from, std::uint32_t bytes) {
    Verb verb = write_verb(to, 0);
    verb.bytes = bytes;
    verb.local = {from, 0};
    return verb;
  }
  static Verb read_of(NodeId target, NodeId reader, std::uint32_t bytes) {
    Verb verb = read_verb({target, 0}, bytes);
    verb.local = {reader, 0};
    return verb;
  }
  // Many clients of `from` issue the verb at once.
  void burst(const Verb& verb, NodeId from, int count) {
    for (int i = 0; i < count; ++i) all_.push_back(&shoot(verb, kStart, from));
  }
  // Runs; returns from the first end to the last one.
  Duration spread() {
    EXPECT_EQ(run(), RunEnd::finished);
    const auto [first, last] =
        std::ranges::minmax_element(all_, {}, [](const Shot* shot) { return shot->done; });
    for (const Shot* shot : all_) EXPECT_TRUE(shot->completion.ok());
    return (*last)->done - (*first)->done;
  }
  std::vector<Shot*> all_;
};

TEST_F(Wires, bound_the_rate_of_verbs_that_carry_little) {
  for (std::uint64_t i = 0; i < 100; ++i)
    burst(faa_verb(on_server(8 * i), 1), i % 2 == 0 ? kHere : kThere, 1);
  // The requests of both nodes meet at the server's port.
  EXPECT_EQ(spread(), kByte * 54 * 99);
}

TEST_F(Wires, bound_the_rate_of_answers) {
  burst(read_of(kServer, kHere, 1024), kHere, 50);
  burst(read_of(kThere, kHere, 1024), kHere, 50);
  // Those of two nodes meet at their requester's port.
  EXPECT_EQ(spread(), kByte * (1024 + 30) * 99);
}

TEST_F(Wires, delay_a_verb_by_what_they_are_slower_than_the_measured_ones) {
  const Duration at_that_rate = travel() + nic().serve_atomic_8 + nic().hold_8;
  nic().measured_bits_per_s = 80'000'000'000;
  EXPECT_EQ(time_of(faa_verb(kWord, 1)), at_that_rate + picoseconds(7'900) * (54 + 38));
}

TEST_F(Wires, carry_both_directions_at_once) {
  burst(read_of(kThere, kHere, 1024), kHere, 50);
  burst(write_of(on_server(0), kHere, 1024), kHere, 50);
  const Duration one_direction = kByte * (1024 + 42) * 50;
  const Duration found = spread();
  EXPECT_GE(found, one_direction - kByte * 1100);
  EXPECT_LT(found, one_direction + kByte * 50 * (42 + 30) + microseconds(10));
}

TEST_F(Wires, between_switches_are_shared) {
  // Two leaf switches with one uplink each.
  TopologySpec& topology = options().topology;
  topology.kind = TopologyKind::fat_tree;
  topology.down = {2, 2};
  topology.up = topology.parallel = {1, 1};
  options().bulk.model = BulkModel::flows;
  burst(write_of(on_server(0), kThere, 1024), kThere, 50);
  burst(write_of({kHere, 0}, kElsewhere, 1024), kElsewhere, 50);
  const Duration found = spread();
  EXPECT_GE(found, kByte * (1024 + 42) * 98);
  EXPECT_LE(found, kByte * (1024 + 42) * 101);
}

// Two clients of one QP's worth each: what waits for a link keeps its order with what comes behind.
TEST_F(Wires, keep_the_order_of_a_qp_while_its_verbs_wait) {
  burst(write_of(on_server(0), kThere, 1024), kThere, 40);
  Verbs& client = add_client();
  std::vector<std::uint64_t> seen;
  run_alone(client, [](Verbs& verbs, std::vector<std::uint64_t>& values) -> Task<void> {
    Batch batch(verbs);
    for (int i = 0; i < 30; ++i) batch.add(faa_verb(kWord, 1));
    co_await batch.run();
    for (int i = 0; i < 30; ++i) values.push_back(batch.result(i).value.lo);
  }(client, seen));
  ASSERT_EQ(seen.size(), 30U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
}

// ---- queues of switches ----

class SwitchQueues : public Wires {
 protected:
  SwitchQueues() {
    nic().ack_timeout = milliseconds(1);
    nic().ack_retries = 7;
  }
  // Three nodes write to the server at once. Returns how many writes took longer than the timeout,
  // how long the last one took, and how long two writes of one of the nodes to another one took,
  // during the burst and after it.
  Numbers incast(std::int64_t queue_bytes, QueueFull full) {
    options().switch_queue = {queue_bytes, full};
    for (const NodeId node : {kHere, kThere, kElsewhere})
      burst(write_of(on_server(0), node, 1024), node, 20);
    const Verb other = write_of({kThere, 0}, kHere, 64);
    const Shot& beside = shoot(other, kStart + microseconds(200), kHere);
    const Shot& after = shoot(other, kStart + microseconds(900), kHere);
    spread();
    const auto late = std::ranges::count_if(
        all_, [&](const Shot* shot) { return shot->took() > nic().ack_timeout; });
    const auto slowest = std::ranges::max(all_, {}, [](const Shot* shot) { return shot->took(); });
    return {late, slowest->took().ps, beside.took().ps, after.took().ps};
  }
};

TEST_F(SwitchQueues, without_a_limit_lose_nothing) {
  const Numbers found = incast(0, QueueFull::drop);
  EXPECT_EQ(found[0], 0);
  EXPECT_LT(found[1], (kByte * 1066 * 61 + microseconds(5)).ps);
}

TEST_F(SwitchQueues, that_are_full_drop_packets_which_are_sent_again) {
  const Numbers found = incast(8 * 1066, QueueFull::drop);
  // The port takes a third of the burst, and the queue eight packets.
  EXPECT_GT(found[0], 20);
  EXPECT_LT(found[0], 40);
  expect_conservation();
}

TEST_F(SwitchQueues, that_pause_the_senders_hold_up_what_these_send_to_others) {
  const Numbers endless = in_child([&] { return incast(0, QueueFull::pause); });
  const Numbers found = incast(8 * 1066, QueueFull::pause);
  ASSERT_EQ(endless.size(), 4U);
  EXPECT_EQ(found[0], 0);
  // The server's port is as busy as before.
  EXPECT_NEAR(static_cast<double>(found[1]), static_cast<double>(endless[1]),
              0.1 * static_cast<double>(endless[1]));
  EXPECT_GT(found[2], 2 * endless[2]);
  EXPECT_EQ(found[3], endless[3]);
}

}  // namespace
}  // namespace latchlab::simtest
