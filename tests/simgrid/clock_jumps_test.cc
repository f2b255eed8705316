// Clocks that jump back below the start of the run: the remaining waiting time does not change.

#include <fmt/core.h>

#include "core/protocols/registry.h"
#include "tests/simgrid/fixture.h"
#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

class ClockJumps : public SimWorld {
 protected:
  void jump_below_zero() {
    world().at(kStart + microseconds(10),
               [this] { world().cpu_faults()->disturb_clock(kHere, seconds(-3'600), {}); });
  }
};

constexpr Time kAfter = kStart + microseconds(20);

Task<void> sleep_then_note(Verbs& verbs, Backend& backend, Duration length, Time& done) {
  co_await verbs.sleep(length);
  EXPECT_LT(verbs.now(), Time{});
  done = backend.true_now();
}

Task<void> receive_then_note(Verbs& verbs, Backend& backend, EndpointAddr inbox, Duration length,
                             Time& done) {
  EXPECT_LT(verbs.now(), Time{});
  const WaitOutcome outcome = co_await verbs.receive(inbox, {}, verbs.now() + length);
  EXPECT_EQ(outcome.by, Woke::deadline);
  done = backend.true_now();
}

TEST_F(ClockJumps, sleeps_under_a_clock_below_zero_have_the_right_length) {
  jump_below_zero();
  Verbs& client = add_client();
  Time done;
  spawn(client, sleep_then_note(client, world(), microseconds(7), done), kAfter);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done, kAfter + microseconds(7));
}

TEST_F(ClockJumps, current_sleeps_are_not_shortened_or_prolonged) {
  jump_below_zero();
  Verbs& client = add_client();
  Time done;
  spawn(client, sleep_then_note(client, world(), microseconds(30), done));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done, kStart + microseconds(30));
}

TEST_F(ClockJumps, deadlines_under_a_clock_below_zero_are_reached) {
  jump_below_zero();
  Verbs& client = add_client();
  const EndpointAddr inbox = client.open_endpoint(1);
  Time done;
  spawn(client, receive_then_note(client, world(), inbox, microseconds(7), done), kAfter);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(done, kAfter + microseconds(7));
}

Task<void> probe_then_note(Verbs& verbs, Backend& backend, Duration pause, Time& done) {
  RemoteWait wait;
  wait.add(read_verb(on_server(1024)));
  wait.pacing = [pause](const ProbeValues&, std::uint64_t) { return pause; };
  wait.classify = [](const ProbeValues& seen) {
    return seen[0].lo == 1 ? Verdict::done : Verdict::pending;
  };
  const Time before = backend.true_now();
  auto waiting = verbs.await_remote(wait);
  co_await waiting;
  done = Time{} + (backend.true_now() - before);
}

TEST_F(ClockJumps, probes_under_a_clock_below_zero_keep_their_pauses) {
  jump_below_zero();
  world().at(kAfter + microseconds(20), [this] { world().poke(on_server(1024), 1); });
  Verbs& client = add_client();
  Time done;
  spawn(client, probe_then_note(client, world(), microseconds(40), done), kAfter);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_GT(done, Time{} + microseconds(40));
  EXPECT_LT(done, Time{} + microseconds(60));
}

// ---- whole runs ----

class Jumped : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, Jumped, testing::ValuesIn(remote_protocol_names()),
                         [](const auto& made) { return made.param; });

// Locks that are not fair may starve clients in so short a window, with any clocks.
RepeatMetrics jumped(const std::string& protocol, const char* jump) {
  const RepeatOutcome outcome = outcome_of(point_of(fmt::format(
      "platform: {{nic: connectx-6, servers: 1, client_nodes: 2, clients_per_node: 2}}\n"
      "locks: {{count: 1}}\nworkload: {{critical_section: 2us, think_time: 3us}}\n"
      "faults: [{{kind: drift, at: 190us, client_node: 1, jump: {}}}]\n"
      "protocol: {{name: {}}}\n",
      jump, protocol)));
  EXPECT_LE(outcome.status, RepeatStatus::starved) << outcome.message;
  return outcome.metrics;
}

TEST_P(Jumped, has_the_same_goodput_under_a_clock_below_zero_as_above) {
  const double above = jumped(GetParam(), "-140us").goodput_ops_s.value_or(0);
  const double below = jumped(GetParam(), "-240us").goodput_ops_s.value_or(0);
  EXPECT_GT(above, 0);
  EXPECT_NEAR(below, above, above / 5);
}

TEST(ClockThatJumps, makes_no_difference_to_a_lock_without_a_clock) {
  const RepeatMetrics above = jumped("mcs", "-140us");
  const RepeatMetrics below = jumped("mcs", "-240us");
  EXPECT_GT(above.goodput_ops_s.value_or(0), 0);
  EXPECT_EQ(below.goodput_ops_s, above.goodput_ops_s);
  EXPECT_EQ(below.engine.events, above.engine.events);
}

}  // namespace
}  // namespace latchlab::simtest
