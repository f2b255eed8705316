// Effects as a listener receives them: when, after which wait, and the contents of memory at that
// time.

#include "core/world/effects.h"

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

struct Heard {
  const Verbs* by;
  OpKind kind;
  Time at, queued, began;
  std::uint64_t memory;
};

class Effects : public SimWorld, protected EffectSink {
 protected:
  void listen() {
    EffectSource* const source = effect_source(world());
    ASSERT_NE(source, nullptr);
    source->tell_effects(this);
  }
  void took_effect(const Effect& effect) override {
    heard.push_back({effect.op.owner, effect.op.kind, world().true_now(), effect.queued,
                     effect.began, world().peek(effect.op.verb.addr)});
  }
  void arrived(const Operation& op) override {
    arrivals.push_back({op.owner, op.kind, world().true_now(), kNever, kNever,
                        op.kind == OpKind::send ? op.message.words[0] : op.call.request.words[0]});
  }
  // The time at which a verb that is posted at the start has left the pipeline.
  Time at_the_unit(Duration serve) { return kStart + nic().post + nic().one_way + serve; }

  std::vector<Heard> heard;
  std::vector<Heard> arrivals;
};

TEST_F(Effects, of_atomics_on_one_word_are_a_hold_apart_and_have_their_waiting_time) {
  nic().request_gap = {};
  listen();
  shoot_all(std::vector<Verb>(3, faa_verb(kWord, 1)));
  EXPECT_EQ(run(), RunEnd::finished);
  ASSERT_EQ(heard.size(), 3U);
  for (std::int64_t i = 0; i < 3; ++i) {
    const Heard& each = heard[static_cast<std::size_t>(i)];
    EXPECT_EQ(each.queued, at_the_unit(nic().serve_atomic_8 * (i + 1)));
    EXPECT_EQ(each.began, at_the_unit(nic().serve_atomic_8) + nic().hold_8 * i);
    EXPECT_EQ(each.at, each.began + nic().hold_8);
    EXPECT_EQ(each.memory, static_cast<std::uint64_t>(i) + 1);
  }
}

TEST_F(Effects, of_verbs_without_a_slot_have_no_wait) {
  listen();
  const Shot& shot = shoot(write_verb(kWord, 7));
  EXPECT_EQ(run(), RunEnd::finished);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].queued, kNever);
  EXPECT_EQ(heard[0].began, kNever);
  EXPECT_EQ(heard[0].at, at_the_unit(nic().serve_write));
  EXPECT_LT(heard[0].at, shot.done);
  EXPECT_EQ(heard[0].memory, 7U);
}

TEST_F(Effects, of_failing_swaps_are_reported_and_those_of_refused_verbs_are_not) {
  listen();
  world().poke(kWord, 1);
  shoot(cas_verb(kWord, 0, 2));
  shoot(faa_verb(on_server(kBytes), 1), kStart, kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].memory, 1U);
}

Task<void> store(Verbs& verbs) {
  co_await verbs.store({kHere, 1024}, 5);
}

TEST_F(Effects, of_a_cpu_are_reported) {
  listen();
  Verbs& client = add_client();
  run_alone(client, store(client));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].kind, OpKind::cpu);
  EXPECT_EQ(heard[0].by, &client);
  EXPECT_EQ(heard[0].memory, 5U);
}

Task<void> send_one(Verbs& verbs, EndpointAddr to) {
  const Message message = numbered(3);
  co_await verbs.send(to, message);
}

Task<void> receive_one(Verbs& verbs, EndpointAddr own, Time& got) {
  co_await verbs.receive(own, {});
  got = verbs.now();
}

TEST_F(Effects, of_messages_are_their_arrival) {
  nic().receive = nanoseconds(100);
  listen();
  Verbs& sender = add_client(kHere);
  Verbs& receiver = add_client(kThere);
  const EndpointAddr endpoint = receiver.open_endpoint(4);
  Time got;
  spawn(receiver, receive_one(receiver, endpoint, got));
  spawn(sender, send_one(sender, endpoint));
  EXPECT_EQ(run(), RunEnd::finished);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].by, &sender);
  EXPECT_EQ(arrivals[0].memory, numbered(3).words[0]);
  EXPECT_GE(got, arrivals[0].at + nic().receive);
}

TEST_F(Effects, do_not_change_the_run_and_stop_when_the_listener_is_removed) {
  listen();
  effect_source(world())->tell_effects(nullptr);
  shoot(faa_verb(kWord, 1));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_TRUE(heard.empty());
}

}  // namespace
}  // namespace latchlab::simtest
