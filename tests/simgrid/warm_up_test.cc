// Warm-ups that a run finds by itself: the result is as if they had been known, and they are long
// enough and bounded.

#include <fmt/core.h>

#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

Point without_warm_up(const std::string& rest, Duration window = milliseconds(2)) {
  Point point = point_of(rest);
  point.run.warmup.reset();
  point.run.duration = window;
  return point;
}

Duration warm_up_of(const RepeatOutcome& outcome) {
  return Duration{static_cast<std::int64_t>(outcome.metrics.window.warmup_ns.value_or(0) * 1e3)};
}

// A run that is told to use the warm-up that was found measures the same.
void expect_as_if_known(Point point) {
  RepeatOutcome found = outcome_of(point);
  ASSERT_TRUE(has_run(found.status)) << found.message;
  ASSERT_GT(warm_up_of(found).ps, 0);
  point.run.warmup = warm_up_of(found);
  RepeatOutcome known = outcome_of(point);
  // Checks of steady state are events.
  EXPECT_NE(known.metrics.engine.events, found.metrics.engine.events);
  found.metrics.engine.events = known.metrics.engine.events;
  EXPECT_EQ(found.message, known.message);
  EXPECT_TRUE(found.metrics == known.metrics) << "after " << warm_up_of(found).seconds() * 1e3;
}

TEST(WarmUp, of_a_steady_lock_is_short_and_gives_the_same_result_as_if_known) {
  const Point point = without_warm_up(
      "platform: {client_nodes: 2, clients_per_node: 8}\nlocks: {count: 50}\n"
      "protocol: {name: mcs}\nworkload: {read_ratio: 50%}\n");
  EXPECT_LE(warm_up_of(outcome_of(point)), milliseconds(2));
  expect_as_if_known(point);
}

// The lock's backoff needs several windows to find the bound that suits this number of clients.
constexpr const char* kSlow =
    "platform: {client_nodes: 5, clients_per_node: 24}\nlocks: {count: 20}\n"
    "protocol: {name: cas, adapt_interval: 100us}\n";

TEST(WarmUp, of_a_lock_that_adapts_lasts_until_it_has_adapted) {
  const Point point = without_warm_up(kSlow);
  const RepeatOutcome outcome = outcome_of(point);
  EXPECT_GT(warm_up_of(outcome), milliseconds(2));
  EXPECT_EQ(outcome.metrics.window.settled, 1u);
  expect_as_if_known(point);
  // A window ten times as long, after twice that warm-up, has the same goodput; one at the start
  // has less.
  Point longer = point, early = point;
  longer.run.warmup = milliseconds(40);
  longer.run.duration = milliseconds(20);
  early.run.warmup = microseconds(10);
  const double settled = outcome_of(longer).metrics.goodput_ops_s.value_or(0);
  EXPECT_NEAR(outcome.metrics.goodput_ops_s.value_or(0), settled, 0.1 * settled);
  EXPECT_LT(outcome_of(early).metrics.goodput_ops_s.value_or(0), 0.9 * settled);
}

TEST(WarmUp, of_an_open_loop_counts_arrivals_as_if_known) {
  expect_as_if_known(
      without_warm_up("platform: {client_nodes: 2, clients_per_node: 8}\nlocks: {count: 50}\n"
                      "protocol: {name: dslr}\nworkload: {arrivals: {kind: poisson, rate: 1M}}\n"));
}

// With clients that crash one after the other the lock never reaches steady state; so the run does
// not look for it.
TEST(WarmUp, is_half_a_window_if_faults_have_times) {
  const Point point = without_warm_up(
      "platform: {client_nodes: 2, clients_per_node: 8}\nlocks: {count: 5}\n"
      "protocol: {name: mcs}\nfaults: [{kind: client_crash, at: 2.5ms, client: 0}]\n");
  EXPECT_EQ(warm_up_of(outcome_of(point)), milliseconds(1));
}

// A load that makes queues grow has no steady state that a window could show.
TEST(WarmUp, ends_after_ten_windows_at_the_latest) {
  Point point = without_warm_up(kSlow);
  point.protocol = without_warm_up(
                       "locks: {count: 1}\nprotocol: {name: cas, backoff: none}\n"
                       "platform: {client_nodes: 5, clients_per_node: 24}\n")
                       .protocol;
  point.run.duration = microseconds(100);
  const RepeatOutcome outcome = outcome_of(point);
  EXPECT_LE(warm_up_of(outcome), milliseconds(1));
  EXPECT_LE(outcome.metrics.engine.simulated_s.value_or(1), 1.1e-3);
}

TEST(WarmUp, of_a_run_that_deadlocks_does_not_hide_the_deadlock) {
  const Point point = without_warm_up(
      "platform: {client_nodes: 1, clients_per_node: 8}\nlocks: {count: 1}\n"
      "protocol: {name: mcs}\nfaults: []\n");
  Point stuck = point;
  FaultSpec fault;
  fault.kind = FaultKind::skip_release;
  fault.probability_ppb = 200'000'000;
  stuck.faults.push_back(fault);
  EXPECT_EQ(outcome_of(stuck).status, RepeatStatus::stuck);
}

}  // namespace
}  // namespace latchlab::simtest
