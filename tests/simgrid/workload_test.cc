// What a workload asks for is what its clients do: whole runs, one for each key.

#include <fmt/core.h>

#include "backends/simgrid/simgrid_backend.h"
#include "core/protocols/registry.h"
#include "core/runner/child.h"
#include "core/runner/repeat.h"
#include "core/scenario/scenario.h"
#include "tests/paths.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

Point point_of(const std::string& rest) {
  const ScenarioSource source{"schema: 1\nname: w\nrun: {warmup: 200us, duration: 2ms}\n" + rest,
                              "w", LATCHLAB_SOURCE_DIR};
  auto scenario = parse_scenario(source, {}, protocol_infos(), DataDirs{{LATCHLAB_SOURCE_DIR}});
  if (!scenario) {
    ADD_FAILURE() << scenario.error().text();
    return {};
  }
  return scenario.value().points.front();
}

RepeatOutcome outcome_of(const Point& point) {
  const BackendFactory make = [](const WorldPlan& plan, const Point& of) {
    SimgridOptions options;
    options.nic = of.platform.nic;
    options.drift_ppb = of.platform.drift_ppb;
    options.clock_offset = of.platform.clock_offset;
    return make_simgrid(plan, options);
  };
  auto child = ChildRepeat::start(point, *find_protocol(point.protocol.name), 0, make);
  if (!child) return {RepeatStatus::failed, child.error().text(), 0, {}, 0, 0};
  while (!child.value().drain()) {
  }
  return child.value().finish();
}

RepeatMetrics run(const std::string& rest) {
  const RepeatOutcome outcome = outcome_of(point_of(rest));
  EXPECT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  EXPECT_TRUE(outcome.metrics.window_law.holds());
  return outcome.metrics;
}

TEST(Workload, with_locality_stays_on_its_node_and_without_leaves_it) {
  const std::string head =
      "platform: {servers: 3, client_nodes: 1, colocated: true}\nlocks: {count: 10}\n"
      "protocol: {name: cas}\n";
  const RepeatMetrics at_home = run(head + "workload: {locality: 100%}");
  const RepeatMetrics away = run(head + "workload: {locality: 0%}");
  EXPECT_LT(*at_home.acquire.max(), *away.acquire.min());
}

}  // namespace
}  // namespace latchlab::simtest
