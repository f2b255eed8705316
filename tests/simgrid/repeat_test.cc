// Whole runs of real locks: equal for equal seeds, for either event loop, and in agreement with the
// law of the window.

#include "core/run/repeat.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "backends/simgrid/simgrid_backend.h"
#include "core/protocols/registry.h"
#include "core/run/child.h"
#include "core/scenario/scenario.h"
#include "tests/paths.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

struct Crowd {
  std::uint32_t client_nodes = 3;
  std::uint32_t clients_per_node = 8;
  const char* workload = "{distribution: {kind: zipf, theta: 0.99}, read_ratio: 50%}";
  const char* jitter = "20ns";
  std::uint64_t seed = 1;
};

// The window is longer than drtm makes a writer wait.
Point crowd_point(const std::string& protocol, const Crowd& crowd) {
  const std::string text = fmt::format(
      "schema: 1\nname: crowd\nplatform: {{nic: {{base: connectx-5, latency.jitter: {}}}, "
      "servers: 2, client_nodes: {}, clients_per_node: {}, clocks: {{drift: 100ppm}}}}\n"
      "locks: {{count: 100}}\nworkload: {}\nprotocol: {{name: {}}}\n"
      "run: {{warmup: 1ms, duration: 16ms, seed: {}}}\n",
      crowd.jitter, crowd.client_nodes, crowd.clients_per_node, crowd.workload, protocol,
      crowd.seed);
  const ScenarioSource source{text, "crowd", LATCHLAB_SOURCE_DIR};
  auto scenario = parse_scenario(source, {}, protocol_infos(), DataDirs{{LATCHLAB_SOURCE_DIR}});
  if (!scenario) {
    ADD_FAILURE() << scenario.error().text();
    return {};
  }
  return scenario.value().points.front();
}

BackendFactory simulator(sim::PumpMode pump = sim::PumpMode::look_ahead) {
  return [pump](const WorldPlan& plan, const Point& point) {
    SimgridOptions options;
    options.nic = point.platform.nic;
    options.clocks = point.platform.clocks;
    options.pump = pump;
    return make_simgrid(plan, options);
  };
}

RepeatOutcome run_in_child(const Point& point, const BackendFactory& make) {
  auto child = ChildRepeat::start(point, *find_protocol(point.protocol.name), 0, make);
  if (!child) return {RepeatStatus::failed, child.error().text(), 0, {}, 0, 0};
  while (!child.value().drain()) {
  }
  return child.value().finish();
}

class Runs : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, Runs, testing::ValuesIn(remote_protocol_names()),
                         [](const auto& made) { return made.param; });

TEST_P(Runs, are_equal_whether_the_event_loop_looks_ahead_or_stops_at_every_time) {
  const Point point = crowd_point(GetParam(), {});
  const RepeatOutcome ahead = run_in_child(point, simulator(sim::PumpMode::look_ahead));
  const RepeatOutcome strict = run_in_child(point, simulator(sim::PumpMode::every_date));
  ASSERT_EQ(ahead.status, RepeatStatus::ok) << ahead.message;
  EXPECT_GT(ahead.metrics.engine.events.value_or(0), 10'000U);
  EXPECT_EQ(ahead.metrics.fingerprint, strict.metrics.fingerprint);
  EXPECT_EQ(ahead.metrics, strict.metrics);
}

TEST_P(Runs, of_one_seed_are_equal_and_of_two_seeds_differ) {
  Crowd crowd;
  const RepeatOutcome one = run_in_child(crowd_point(GetParam(), crowd), simulator());
  const RepeatOutcome same = run_in_child(crowd_point(GetParam(), crowd), simulator());
  crowd.seed = 2;
  const RepeatOutcome other = run_in_child(crowd_point(GetParam(), crowd), simulator());
  EXPECT_EQ(one.metrics, same.metrics);
  EXPECT_NE(one.metrics.fingerprint, other.metrics.fingerprint);
}

TEST_P(Runs, obey_the_law_of_the_window_exactly_and_littles_law_closely) {
  const RepeatOutcome outcome = run_in_child(crowd_point(GetParam(), {}), simulator());
  ASSERT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  EXPECT_TRUE(outcome.metrics.window_law.holds());
  // Clients = throughput x cycle: every client is always in a cycle. The borders of the window cut
  // cycles, which are long if a lock is unfair.
  const double clients =
      outcome.metrics.goodput_ops_s.value_or(0) * outcome.metrics.cycle.mean_ns().value_or(0) / 1e9;
  const Duration longest = outcome.metrics.cycle.max().value_or(Duration{});
  EXPECT_NEAR(clients, 24, 24 * std::max(0.01, longest.nanoseconds() / 4e6));
}

TEST_P(Runs, never_use_a_part_of_the_nic_for_more_than_the_whole_time) {
  Crowd crowd;
  crowd.clients_per_node = 80;
  crowd.workload = "{distribution: {kind: zipf, theta: 2}}";
  const RepeatOutcome outcome = run_in_child(crowd_point(GetParam(), crowd), simulator());
  // With so many clients on one lock, some of them may wait all the time.
  ASSERT_TRUE(outcome.status == RepeatStatus::ok || outcome.status == RepeatStatus::starved)
      << outcome.message;
  const RepeatMetrics::ServerNic& nic = outcome.metrics.server_nic;
  for (const auto& share : {nic.pipeline, nic.hottest_slot, nic.window, nic.link}) {
    ASSERT_TRUE(share.has_value());
    EXPECT_GE(*share, 0.0);
    EXPECT_LE(*share, 1.0);
  }
}

// Locks whose acquire and release take two atomics, or an atomic and a READ.
class FreePairs : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, FreePairs, testing::Values("cas", "mcs", "dslr", "shiftlock"),
                         [](const auto& made) { return made.param; });

TEST_P(FreePairs, cost_two_verbs_and_two_round_trips) {
  Crowd crowd;
  crowd.client_nodes = crowd.clients_per_node = 1;
  crowd.workload = "{distribution: uniform}";
  crowd.jitter = "0ns";
  const Point point = crowd_point(GetParam(), crowd);
  const RepeatOutcome outcome = run_in_child(point, simulator());
  ASSERT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  const RepeatMetrics& metrics = outcome.metrics;
  EXPECT_NEAR(metrics.verbs_per_cycle.atomic.value_or(0) + metrics.verbs_per_cycle.read.value_or(0),
              2.0, 0.01);
  EXPECT_NEAR(metrics.verbs_per_cycle.send.value_or(0), 0.0, 0.01);
  const NicModel& nic = point.platform.nic;
  const bool wide = GetParam() == "shiftlock";
  const Duration atomic =
      nic.post + nic.one_way * 2 + nic.completion +
      (wide ? nic.serve_atomic_16 + nic.hold_16 + nic.atomic_16 : nic.serve_atomic_8 + nic.hold_8);

  EXPECT_EQ(metrics.acquire.min(), atomic);
  EXPECT_EQ(metrics.release.min(), atomic);
}

}  // namespace
}  // namespace latchlab::simtest
