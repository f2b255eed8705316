// A server that crashes and returns without its memory: the results of verbs posted before and
// during the outage, and what other nodes learn.

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

constexpr Time kFails = kStart + microseconds(100);
constexpr Duration kOutage = milliseconds(20);
constexpr Time kReturns = kFails + kOutage;

class Returns : public SimWorld {
 protected:
  Returns() { nic().ack_timeout = milliseconds(67); }
  void fail_for_a_while(Time date = kFails, Duration outage = kOutage) {
    world().at(date, [this, outage] {
      world().hardware_faults()->crash_server(kServer, outage, [this] { ++back_; });
    });
  }
  Time noticed() { return kFails + options().detection_delay; }
  int back_ = 0;
};

TEST_F(Returns, its_memory_has_the_initial_image) {
  shoot(write_verb(kWord, 7));
  world().at(kFails - picoseconds(1), [this] { EXPECT_EQ(world().peek(kWord), 7U); });
  fail_for_a_while();
  const Shot& after = shoot(faa_verb(kWord, 1), kReturns);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_TRUE(after.completion.ok());
  EXPECT_EQ(after.completion.value.lo, 0U);
  EXPECT_EQ(world().peek(kWord), 1U);
  EXPECT_EQ(back_, 1);
  expect_conservation();
}

// The requesters' NICs would retry for half a second.
TEST_F(Returns, verbs_in_flight_fail_when_the_crash_is_detected) {
  fail_for_a_while();
  const Shot& before = shoot(faa_verb(kWord, 1), kFails - nanoseconds(200));
  const Shot& early = shoot(faa_verb(kWord, 1), kFails + microseconds(1), kThere);
  const Shot& late = shoot(faa_verb(kWord, 1), noticed() + milliseconds(1), kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  for (const Shot* shot : {&before, &early, &late})
    EXPECT_EQ(shot->completion.status, VerbStatus::peer_failed);
  EXPECT_EQ(before.done, noticed());
  EXPECT_EQ(early.done, noticed());
  EXPECT_LT(late.took(), travel() * 2);
  EXPECT_EQ(world().peek(kWord), 0U);
  expect_conservation();
}

// Verbs on one QP that are still on the wire when the server is back.
TEST_F(Returns, verbs_posted_before_its_return_do_not_reach_it) {
  fail_for_a_while();
  Shot& last = shoot(faa_verb(kWord, 1), kReturns - nanoseconds(10));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(last.completion.status, VerbStatus::peer_failed);
  EXPECT_EQ(world().peek(kWord), 0U);
}

// Atomics that hold a slot, and those behind them, during an outage that is shorter than the hold.
TEST_F(Returns, atomic_from_before_the_crash_does_not_write_into_the_new_memory) {
  nic().hold_8 = microseconds(5);
  fail_for_a_while(kStart + microseconds(3), microseconds(1));
  const Shot& inside = shoot(faa_verb(kWord, 1));
  const Shot& behind = shoot(faa_verb(kWord, 1), kStart, kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(inside.completion.status, VerbStatus::peer_failed);
  EXPECT_EQ(behind.completion.status, VerbStatus::peer_failed);
  EXPECT_EQ(world().peek(kWord), 0U);
  expect_conservation();
}

Task<void> note_lives(Verbs& verbs, std::vector<std::pair<Time, std::uint32_t>>& seen,
                      Backend& backend) {
  for (;;) {
    const ServerLife life = verbs.life_of(kServer);
    seen.emplace_back(backend.true_now(), life.changes);
    if (life.changes == 4) co_return;
    WaitSet change;
    change.server = kServer;
    change.life = life;
    const WaitOutcome woke = co_await verbs.first_of(change);
    EXPECT_EQ(woke.by, Woke::membership);
  }
}

// The second outage is over before any node detects it: so both events are reported at once.
TEST_F(Returns, other_nodes_learn_of_the_crash_when_it_is_detected_and_of_the_return_at_once) {
  fail_for_a_while();
  const Time again = kReturns + milliseconds(5);
  fail_for_a_while(again, milliseconds(1));
  std::vector<std::pair<Time, std::uint32_t>> seen;
  Verbs& verbs = add_client();
  spawn(verbs, note_lives(verbs, seen, world()));
  EXPECT_EQ(run(), RunEnd::finished);
  const std::vector<std::pair<Time, std::uint32_t>> expected = {
      {kStart, 0}, {noticed(), 1}, {kReturns, 2}, {again + milliseconds(1), 4}};
  EXPECT_EQ(seen, expected);
}

struct Counting final : CallHandler {
  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    ++served;
    if (keeps) co_return;
    verbs.reply(pending, Reply{});
  }
  int served = 0;
  bool keeps = false;
};

Task<void> call_once(Verbs& verbs, VerbStatus& status) {
  const Request request;
  const Reply reply = co_await verbs.call(kServer, request);
  status = reply.status;
}

TEST_F(Returns, earlier_calls_fail_and_a_new_server_part_answers_later_ones) {
  Counting old, fresh;
  old.keeps = true;
  world().serve_calls(add_server(), old);
  world().at(kFails, [&] {
    world().hardware_faults()->crash_server(kServer, kOutage,
                                            [&] { world().serve_calls(add_server(), fresh); });
  });
  VerbStatus before = VerbStatus::ok, meanwhile = VerbStatus::ok, after = VerbStatus::flushed;
  Verbs& one = add_client();
  Verbs& two = add_client();
  Verbs& three = add_client();
  spawn(one, call_once(one, before));
  spawn(two, call_once(two, meanwhile), kFails + milliseconds(1));
  spawn(three, call_once(three, after), kReturns);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(before, VerbStatus::peer_failed);
  EXPECT_EQ(meanwhile, VerbStatus::peer_failed);
  EXPECT_EQ(after, VerbStatus::ok);
  EXPECT_EQ(old.served, 1);
  EXPECT_EQ(fresh.served, 1);
  expect_conservation();
}

}  // namespace
}  // namespace latchlab::simtest
