// Nodes with RNICs and clocks of their own, and nodes that share an RNIC.

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

constexpr Duration kWire = picoseconds(100) * kBulkBytes;

NicModel slow_nic() {
  NicModel nic = plain_nic();
  nic.name = "slow";
  nic.link_bits_per_s /= 4;
  nic.post = nanoseconds(300);
  nic.one_way = nanoseconds(1600);
  nic.completion = nanoseconds(70);
  nic.read = nanoseconds(350);
  nic.serve_read = nanoseconds(26);
  nic.hold_8 = nanoseconds(2000);
  nic.call_service = microseconds(7);
  return nic;
}

Verb long_read(NodeId from, NodeId reader, std::uint32_t bytes = kBulkBytes) {
  Verb verb = read_verb({from, 0}, bytes);
  verb.local = {reader, 0};
  return verb;
}

// kThere and kElsewhere have slow RNICs.
class OwnNics : public SimWorld {
 protected:
  OwnNics() {
    options().groups = {{slow_, {}}};
    planned(kThere).group = planned(kElsewhere).group = 1;
  }
  const NicModel slow_ = slow_nic();
  const Duration between_ = (slow_.one_way + nic().one_way) / 2;
};

TEST_F(OwnNics, requester_and_responder_each_use_their_own_constants) {
  EXPECT_EQ(time_of(read_verb(kWord)), travel() + nic().serve_read + nic().read);
  EXPECT_EQ(time_of(read_verb(kWord), kThere),
            slow_.post + between_ * 2 + slow_.completion + nic().serve_read + nic().read);
  EXPECT_EQ(time_of(read_verb({kThere, 64})),
            nic().post + between_ * 2 + nic().completion + slow_.serve_read + slow_.read);
  EXPECT_EQ(time_of(read_verb({kThere, 64}), kElsewhere),
            slow_.post + slow_.one_way * 2 + slow_.completion + slow_.serve_read + slow_.read);
  EXPECT_EQ(time_of(faa_verb({kThere, 64}, 1)),
            nic().post + between_ * 2 + nic().completion + slow_.serve_atomic_8 + slow_.hold_8);
}

struct Clerk final : CallHandler {
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    verbs.reply(pending, Reply{});
    co_return;
  }
};

TEST_F(OwnNics, calls_are_served_by_the_cpu_of_their_server) {
  Clerk clerk;
  for (const NodeId node : {kServer, kThere}) world().serve_calls(add_server(node), clerk);
  Duration usual;
  Duration slow;
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs, Backend& backend, Duration& one, Duration& two) -> Task<void> {
    const Time begin = backend.true_now();
    co_await verbs.call(kServer, Request{});
    const Time middle = backend.true_now();
    co_await verbs.call(kThere, Request{});
    one = middle - begin;
    two = backend.true_now() - middle;
  }(client, world(), usual, slow));
  EXPECT_NEAR(
      (slow - usual).nanoseconds(),
      (slow_.call_service - nic().call_service + (between_ - nic().one_way) * 2).nanoseconds(), 10);
}

TEST_F(OwnNics, memory_is_allocated_by_the_cpu_of_its_server) {
  Verbs& client = add_client();
  Duration took;
  run_alone(client, [](Verbs& verbs, Backend& backend, Duration& length) -> Task<void> {
    const Time begin = backend.true_now();
    co_await verbs.allocate(kThere, 64);
    length = backend.true_now() - begin;
  }(client, world(), took));
  EXPECT_EQ(took, nic().post + between_ * 2 + slow_.call_service);
}

TEST_F(OwnNics, reads_in_flight_are_limited_by_both_ends) {
  options().groups[0].nic.outstanding = 1;
  Verbs& client = add_client();
  Duration took;
  run_alone(client, [](Verbs& verbs, Backend& backend, Duration& length) -> Task<void> {
    const Time begin = backend.true_now();
    Batch two(verbs);
    two.add(read_verb({kThere, 64}));
    two.add(read_verb({kThere, 72}));
    co_await two.run();
    length = backend.true_now() - begin;
  }(client, world(), took));
  const Duration alone =
      nic().post + between_ * 2 + nic().completion + slow_.serve_read + slow_.read;
  EXPECT_EQ(took, alone * 2 - nic().post);
}

TEST_F(OwnNics, of_one_world_have_the_capabilities_of_the_weakest) {
  options().groups[0].nic.masked_bytes = 8;
  EXPECT_TRUE(world().capabilities().has(Capability::masked_atomics_8));
  EXPECT_EQ(world().capabilities().first_missing({Capability::masked_atomics_16}),
            "masked_atomics_16 (slow has no masked atomics of 16 bytes)");
}

TEST_F(OwnNics, port_sends_at_its_own_rate_and_long_payloads_arrive_at_the_slower_rate) {
  constexpr std::uint32_t kSome = 4096;  // not bulk
  const Shot& one = shoot(long_read(kServer, kThere, kSome), kStart, kThere);
  const Shot& two = shoot(long_read(kServer, kElsewhere, kSome), kStart, kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration alone = slow_.post + between_ * 2 + slow_.completion + nic().serve_read +
                         nic().read + beyond_short(kSome) * 4;
  EXPECT_EQ(one.took(), alone);
  EXPECT_EQ(two.took(), alone + on_wire(kSome + 4));  // the server's port was busy for that long
}

class BulkBetweenNics : public OwnNics, public testing::WithParamInterface<BulkModel> {
 protected:
  BulkBetweenNics() { options().bulk.model = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Models, BulkBetweenNics,
                         testing::Values(BulkModel::shared_ports, BulkModel::flows),
                         [](const auto& made) {
                           return made.param == BulkModel::flows ? "flows" : "shared_ports";
                         });

// Two slow ports together use half of the server's bandwidth.
TEST_P(BulkBetweenNics, slow_readers_do_not_wait_for_each_other) {
  const Shot& one = shoot(long_read(kServer, kThere), kStart, kThere);
  const Shot& two = shoot(long_read(kServer, kElsewhere), kStart, kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration alone =
      slow_.post + between_ * 2 + slow_.completion + nic().serve_read + nic().read + kWire * 4;
  EXPECT_NEAR(one.took().nanoseconds(), alone.nanoseconds(), 10);
  EXPECT_NEAR(two.took().nanoseconds(), alone.nanoseconds(), 10);
}

TEST_P(BulkBetweenNics, payload_from_a_slow_port_takes_longer) {
  const Shot& shot = shoot(long_read(kThere, kHere));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(shot.took(), nic().post + between_ * 2 + nic().completion + slow_.serve_read +
                             slow_.read + (kWire + on_wire(8)) * 4);
}

TEST_F(OwnNics, clocks_are_those_of_the_group) {
  options().groups[0].clocks.offset = seconds(1);
  EXPECT_EQ(world().local_now(kHere), kStart);
  EXPECT_NE(world().local_now(kThere), kStart);
  EXPECT_NE(world().local_now(kThere), world().local_now(kElsewhere));
}

// kThere shares the RNIC of kHere.
class SharedNic : public SimWorld {
 protected:
  SharedNic() { planned(kThere).rnic = kHere; }
};

TEST_F(SharedNic, verbs_between_its_nodes_loop_back) {
  options().client_link_latency = microseconds(3);  // a link that these nodes do not use
  EXPECT_EQ(
      time_of(write_verb({kThere, 64}, 1)),
      nic().post + nic().loopback_one_way * 2 + nic().completion + nic().serve_write + nic().write);
  EXPECT_EQ(world().peek({kThere, 64}), 1U);  // each node has memory of its own
  EXPECT_EQ(world().peek({kHere, 64}), 0U);
  EXPECT_EQ(time_of(write_verb(kWord, 1), kThere), travel() + nic().serve_write + nic().write);
}

TEST_F(SharedNic, its_nodes_take_turns_at_the_port) {
  const Shot& one = shoot(read_verb(kWord), kStart, kHere);
  const Shot& two = shoot(read_verb(kWord), kStart, kThere);
  const Shot& other = shoot(read_verb(kWord), kStart, kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_LT(one.took(), two.took());
  EXPECT_GE(two.took(), one.took() + nic().request_gap);
  EXPECT_LT(other.took(), two.took());  // though it was posted last
}

TEST_F(SharedNic, its_nodes_share_slots_and_window_of_atomics) {
  nic().window = 1;
  const Shot& one = shoot(faa_verb({kHere, 64}, 1), kStart, kElsewhere);
  const Shot& two = shoot(faa_verb({kThere, 1032}, 1), kStart, kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_GE(two.took(), one.took() + nic().hold_8);
}

class BulkBehindOneNic : public SharedNic, public testing::WithParamInterface<BulkModel> {
 protected:
  BulkBehindOneNic() { options().bulk.model = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Models, BulkBehindOneNic,
                         testing::Values(BulkModel::shared_ports, BulkModel::flows),
                         [](const auto& made) {
                           return made.param == BulkModel::flows ? "flows" : "shared_ports";
                         });

TEST_P(BulkBehindOneNic, its_nodes_share_the_port) {
  const Shot& one = shoot(long_read(kServer, kHere), kStart, kHere);
  const Shot& two = shoot(long_read(kElsewhere, kThere), kStart, kThere);  // from another port
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration both = travel() + nic().serve_read + nic().read + kWire * 2;
  EXPECT_NEAR(one.took().nanoseconds(), both.nanoseconds(), 10);
  EXPECT_NEAR(two.took().nanoseconds(), both.nanoseconds(), 10);
}

TEST_P(BulkBehindOneNic, long_payloads_between_its_nodes_do_not_use_the_port) {
  const Shot& across = shoot(long_read(kHere, kThere), kStart, kThere);
  const Shot& away = shoot(long_read(kServer, kHere), kStart, kHere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(across.took(), nic().post + nic().loopback_one_way * 2 + nic().completion +
                               nic().serve_read + nic().read);
  EXPECT_NEAR(away.took().nanoseconds(),
              (travel() + nic().serve_read + nic().read + kWire).nanoseconds(), 20);
}

TEST_F(SharedNic, link_that_is_down_disconnects_its_nodes_from_others_but_not_from_each_other) {
  world().hardware_faults()->set_link(kHere, kNoNode, false);
  const Shot& away = shoot(read_verb(kWord), kStart, kThere);
  const Shot& across = shoot(read_verb({kHere, 64}), kStart, kThere);
  const Shot& other = shoot(read_verb(kWord), kStart, kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(away.completion.status, VerbStatus::peer_failed);
  EXPECT_TRUE(across.completion.ok());
  EXPECT_TRUE(other.completion.ok());
}

TEST_F(SharedNic, node_that_crashes_does_not_affect_the_nic_of_the_others) {
  world().at(kStart, [this] { world().hardware_faults()->crash_node(kHere); });
  const Shot& dead = shoot(read_verb({kHere, 64}), kStart, kElsewhere);
  const Shot& alive = shoot(read_verb({kThere, 64}), kStart + microseconds(300), kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(dead.completion.status, VerbStatus::peer_failed);
  EXPECT_TRUE(alive.completion.ok());
}

}  // namespace
}  // namespace latchlab::simtest
