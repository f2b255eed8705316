// Calls with a deadline: the caller gets an error at the deadline, and the call continues at the
// server.

#include <utility>
#include <vector>

#include "backends/simgrid/simulator.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class Deadlines : public SimWorld {};

// Replies to each call after the next of these delays, with the words of the call.
struct Slow final : CallHandler {
  explicit Slow(std::vector<Duration> lengths) : after(std::move(lengths)) {}
  std::vector<Duration> after;
  std::uint64_t served = 0;
  std::uint64_t answered = 0;

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    const std::uint64_t number = served++;
    co_await verbs.sleep(after[number % after.size()]);
    Reply reply;
    reply.words[0] = pending.request.words[0];
    verbs.reply(pending, reply);
    ++answered;
  }
};

struct LateAnswer {
  Reply reply;
  Time date;
};

Task<void> call_in_turn(Verbs& verbs, Backend& backend, std::vector<Duration> patience,
                        std::vector<LateAnswer>& answers) {
  for (std::size_t i = 0; i < patience.size(); ++i) {
    Request request;
    request.words[0] = 100 + i;
    const Time deadline = patience[i] == kForever ? kNever : verbs.now() + patience[i];
    const Reply reply = co_await verbs.call(kServer, request, deadline);
    answers.push_back({reply, backend.true_now()});
  }
}

Duration round_trip(const NicModel& nic) {
  return nic.post + nic.one_way * 2 + nic.completion + nic.serve_send + nic.call_service;
}

TEST_F(Deadlines, end_a_call_whose_reply_has_not_come) {
  Slow slow({microseconds(50)});
  world().serve_calls(add_server(), slow);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  spawn(caller, call_in_turn(caller, world(), {microseconds(20)}, answers));
  EXPECT_EQ(run(), RunEnd::finished);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].reply.status, VerbStatus::timed_out);
  EXPECT_EQ(answers[0].date, kStart + microseconds(20));
  EXPECT_EQ(slow.answered, 0U);
  expect_conservation();
}

TEST_F(Deadlines, do_not_affect_a_call_that_is_answered_in_time) {
  Slow slow({microseconds(5)});
  world().serve_calls(add_server(), slow);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  run_alone(caller, call_in_turn(caller, world(), {microseconds(20), kForever}, answers));
  const Duration one = round_trip(nic()) + microseconds(5);
  EXPECT_TRUE(answers[0].reply.ok() && answers[1].reply.ok());
  EXPECT_EQ(answers[0].date, kStart + one);
  EXPECT_EQ(answers[1].date, kStart + one * 2);
}

TEST_F(Deadlines, drop_a_late_reply) {
  Slow slow({microseconds(50), microseconds(1)});
  world().serve_calls(add_server(), slow);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  // The third call is still waiting when the reply to the first arrives, and must not receive it.
  run_alone(caller,
            call_in_turn(caller, world(), {microseconds(20), microseconds(30), kForever}, answers));
  EXPECT_EQ(answers[0].reply.status, VerbStatus::timed_out);
  EXPECT_EQ(answers[1].reply.words[0], 101U);
  EXPECT_EQ(answers[2].reply.words[0], 102U);
  EXPECT_EQ(slow.answered, 3U) << "the late reply is answered as any other";
  EXPECT_EQ(static_cast<sim::Simulator&>(world()).slots_in_use(), 0U);
  expect_conservation();
}

TEST_F(Deadlines, do_not_end_the_next_call_in_the_same_slot) {
  Slow slow({microseconds(1), microseconds(40)});
  world().serve_calls(add_server(), slow);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  run_alone(caller, call_in_turn(caller, world(), {microseconds(20), microseconds(100)}, answers));
  EXPECT_TRUE(answers[0].reply.ok());
  EXPECT_TRUE(answers[1].reply.ok());
}

TEST_F(Deadlines, are_times_on_the_callers_clock_and_move_with_it) {
  Slow slow({milliseconds(1)});
  world().serve_calls(add_server(), slow);
  std::vector<std::vector<LateAnswer>> answers(2);
  for (std::size_t i = 0; i < 2; ++i) {
    Verbs& caller = add_client(i == 0 ? kHere : kThere);
    spawn(caller, call_in_turn(caller, world(), {microseconds(100)}, answers[i]));
  }
  world().at(kStart + microseconds(10), [this] {
    world().cpu_faults()->disturb_clock(kHere, microseconds(30), {});
    world().cpu_faults()->disturb_clock(kThere, microseconds(-30), {});
  });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(answers[0].at(0).date, kStart + microseconds(70));
  EXPECT_EQ(answers[1].at(0).date, kStart + microseconds(130));
}

TEST_F(Deadlines, of_a_caller_that_crashes_while_it_waits_end_nothing) {
  Slow slow({microseconds(50)});
  world().serve_calls(add_server(), slow);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  spawn(caller, call_in_turn(caller, world(), {microseconds(20)}, answers));
  Verbs& other = add_client();
  spawn(other, call_in_turn(other, world(), {kForever, kForever}, answers));
  world().at(kStart + microseconds(10), [this] { world().crash(ClientId{0}, CrashKind::client); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(answers.size(), 2U);
  for (const LateAnswer& answer : answers) EXPECT_TRUE(answer.reply.ok());
  EXPECT_EQ(slow.answered, 3U);
  expect_conservation();
}

TEST_F(Deadlines, of_a_caller_that_crashes_after_it_gave_up_drop_the_late_reply) {
  Slow slow({microseconds(50)});
  world().serve_calls(add_server(), slow);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  spawn(caller, call_in_turn(caller, world(), {microseconds(20), kForever}, answers));
  Verbs& other = add_client();
  spawn(other, call_in_turn(other, world(), {kForever, kForever}, answers));
  world().at(kStart + microseconds(30), [this] { world().crash(ClientId{0}, CrashKind::client); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(answers.size(), 3U);
  EXPECT_EQ(slow.answered, 4U);
  expect_conservation();
}

// The times at which the server took up calls, and which of them was the first effect of a request.
struct Watch final : CallHandler, FirstEffect::Listener {
  explicit Watch(Backend& backend) : world(backend) {}
  Backend& world;
  std::vector<Time> came;
  std::vector<Time> first;

  Task<void> serve(Verbs& verbs, PendingCall pending) override {
    came.push_back(world.true_now());
    verbs.reply(pending, Reply{});
    co_return;
  }
  void first_effect(ClientId) override { first.push_back(world.true_now()); }
};

void ask(Verbs& caller, Watch& watch) {
  caller.first_effect() = FirstEffect{};
  caller.first_effect().arm();
  caller.first_effect().listener = &watch;
}

// Two calls that time out before they arrive, and one that does not.
TEST_F(Deadlines, leave_the_first_effect_to_the_first_call_of_a_request) {
  Watch watch(world());
  world().serve_calls(add_server(), watch);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  ask(caller, watch);
  const Duration soon = nic().one_way / 10;
  run_alone(caller, call_in_turn(caller, world(), {soon, soon, kForever}, answers));
  ASSERT_EQ(watch.came.size(), 3U);
  EXPECT_EQ(watch.first, std::vector<Time>{watch.came[0]});
}

TEST_F(Deadlines, keep_late_calls_from_being_the_first_effect_of_the_next_request) {
  Watch watch(world());
  world().serve_calls(add_server(), watch);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  ask(caller, watch);
  const Duration soon = nic().one_way / 10;
  world().at(kStart + soon + soon / 2, [&] { ask(caller, watch); });
  run_alone(caller, call_in_turn(caller, world(), {soon, soon, kForever}, answers));
  ASSERT_EQ(watch.came.size(), 3U);
  EXPECT_EQ(watch.first, std::vector<Time>{watch.came[1]}) << "of which the second call is";
}

TEST_F(Deadlines, are_reported_before_the_failure_of_a_dead_server) {
  Slow slow({milliseconds(10)});
  world().serve_calls(add_server(), slow);
  std::vector<LateAnswer> answers;
  Verbs& caller = add_client();
  spawn(caller, call_in_turn(caller, world(), {microseconds(20), kForever}, answers));
  world().at(kStart + microseconds(10), [this] { world().hardware_faults()->crash_node(kServer); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(answers[0].reply.status, VerbStatus::timed_out);
  EXPECT_EQ(answers[1].reply.status, VerbStatus::peer_failed);
  expect_conservation();
}

}  // namespace
}  // namespace latchlab::simtest
