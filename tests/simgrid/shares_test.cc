// One run measured by several observers, as on hardware, where each thread has its own.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "backends/simgrid/simgrid_backend.h"
#include "core/measure/steady.h"
#include "core/protocols/registry.h"
#include "core/run/child.h"
#include "core/run/repeat.h"
#include "core/run/share.h"
#include "core/scenario/scenario.h"
#include "core/world/forwarding.h"
#include "tests/paths.h"

namespace latchlab::simtest {
namespace {

// Reports that several threads run the clients in turn, although one does.
class PretendedWorkers final : public ForwardingBackend {
 public:
  PretendedWorkers(std::unique_ptr<Backend> inner, std::uint32_t workers)
      : ForwardingBackend(std::move(inner)), workers_(workers) {}
  std::uint32_t workers() const override { return workers_; }
  std::uint32_t worker_of(ClientId client) const override { return client.value % workers_; }

 private:
  std::uint32_t workers_;
};

BackendFactory simulator(std::uint32_t workers) {
  return [workers](const WorldPlan& plan, const Point& point) -> std::unique_ptr<Backend> {
    SimgridOptions options;
    options.nic = point.platform.nic;
    auto backend = make_simgrid(plan, options);
    if (workers == 1) return backend;
    return std::make_unique<PretendedWorkers>(std::move(backend), workers);
  };
}

Point faulty_point(const std::string& protocol, const std::string& faults) {
  const std::string text = fmt::format(
      "schema: 1\nname: shares\nplatform: {{nic: connectx-5, servers: 2, client_nodes: 3, "
      "clients_per_node: 5}}\nlocks: {{count: 20}}\nworkload: {{read_ratio: 50%}}\n"
      "protocol: {{name: {}}}\nfaults: [{}]\nrun: {{warmup: 1ms, duration: 2ms}}\n",
      protocol, faults);
  const ScenarioSource source{text, "shares", LATCHLAB_SOURCE_DIR};
  auto scenario = parse_scenario(source, {}, protocol_infos(), DataDirs{{LATCHLAB_SOURCE_DIR}});
  if (!scenario) {
    ADD_FAILURE() << scenario.error().text();
    return {};
  }
  return scenario.value().points.front();
}

RepeatOutcome run_in_child(const Point& point, std::uint32_t workers) {
  auto child =
      ChildRepeat::start(point, *find_protocol(point.protocol.name), 0, simulator(workers));
  if (!child) return {RepeatStatus::failed, child.error().text(), 0, {}, 0, 0};
  while (!child.value().drain()) {
  }
  return child.value().finish();
}

class SeveralObservers : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, SeveralObservers, ::testing::ValuesIn(remote_protocol_names()),
                         [](const auto& made) { return made.param; });

TEST_P(SeveralObservers, add_up_to_what_one_measures) {
  const Point point = faulty_point(GetParam(), "{kind: client_crash, at: 1500us, client: 4}");
  RepeatOutcome one = run_in_child(point, 1);
  ASSERT_TRUE(has_run(one.status)) << one.message;
  EXPECT_TRUE(one.metrics.fairness.max_bypassed && one.metrics.safety.checks);
  EXPECT_NE(one.metrics.fingerprint, "");
  // What only an observer of all clients can measure.
  one.metrics.fairness.max_bypassed.reset();
  one.metrics.safety = {};
  one.metrics.fingerprint.clear();
  for (const std::uint32_t workers : {2U, 7U}) {
    RepeatOutcome several = run_in_child(point, workers);
    EXPECT_EQ(several.status, one.status);
    EXPECT_EQ(several.message, one.message);
    // The window of each observer opens, and has its parts, in events of its own.
    EXPECT_EQ(several.metrics.engine.events, *one.metrics.engine.events + (workers - 1) * kBatches);
    several.metrics.engine.events = one.metrics.engine.events;
    EXPECT_TRUE(several.metrics == one.metrics) << workers;
  }
}

TEST_P(SeveralObservers, with_guard_words_check_every_grant) {
  Point point = faulty_point(GetParam(), "");
  point.run.guard = GuardMode::on;
  const RepeatOutcome one = run_in_child(point, 1);
  const RepeatOutcome several = run_in_child(point, 3);
  ASSERT_TRUE(has_run(several.status)) << several.message;
  EXPECT_EQ(several.status, one.status);
  ASSERT_TRUE(several.metrics.safety.checks && one.metrics.safety.checks);
  EXPECT_GT(*several.metrics.safety.checks, 100U);
  // Grants at the end of the run may be missing from the count.
  EXPECT_LE(*one.metrics.safety.checks - *several.metrics.safety.checks, 15U);
  EXPECT_EQ(several.metrics.safety.violations, 0U);
  EXPECT_EQ(several.metrics.verbs_per_cycle, one.metrics.verbs_per_cycle);
}

TEST_P(SeveralObservers, of_guarded_locks_count_only_the_verbs_of_the_lock_itself) {
  Point point = faulty_point(GetParam(), "");
  point.platform.client_nodes = point.platform.clients_per_node = 1;
  point.workload.read_ratio_ppb = 0;  // all cycles are equal
  point.platform.nic.jitter = Duration{};
  const RepeatMetrics bare = run_in_child(point, 1).metrics;
  point.run.guard = GuardMode::on;
  const RepeatMetrics guarded = run_in_child(point, 1).metrics;
  const auto& verbs = bare.verbs_per_cycle;
  EXPECT_GT(verbs.atomic.value_or(0) + verbs.call.value_or(0), 0.9);
  EXPECT_EQ(guarded.verbs_per_cycle, bare.verbs_per_cycle);
  EXPECT_EQ(guarded.verbs_per_cycle_detail, bare.verbs_per_cycle_detail);
  EXPECT_EQ(guarded.acquire.min(), bare.acquire.min());
  EXPECT_EQ(guarded.release.min(), bare.release.min());
  EXPECT_GT(guarded.cycle.min()->ps, bare.cycle.min()->ps) << "its time is in the cycle";
}

}  // namespace
}  // namespace latchlab::simtest
