#pragma once
// Whole runs of scenarios: a warm-up of 200 us and then 2 ms, unless they say otherwise.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "backends/simgrid/simgrid_backend.h"
#include "core/protocols/registry.h"
#include "core/run/child.h"
#include "core/run/repeat.h"
#include "core/scenario/scenario.h"
#include "tests/paths.h"

namespace latchlab::simtest {

inline Point point_of(const std::string& rest) {
  const ScenarioSource source{"schema: 1\nname: w\nrun: {warmup: 200us, duration: 2ms}\n" + rest,
                              "w", LATCHLAB_SOURCE_DIR};
  auto scenario = parse_scenario(source, {}, protocol_infos(), DataDirs{{LATCHLAB_SOURCE_DIR}});
  if (!scenario) {
    ADD_FAILURE() << scenario.error().text();
    return {};
  }
  return scenario.value().points.front();
}

inline std::unique_ptr<Backend> simulation(const WorldPlan& plan, const Point& of) {
  SimgridOptions options;
  options.nic = of.platform.nic;
  options.clocks = of.platform.clocks;
  options.packet_loss_ppb = of.platform.packet_loss_ppb;
  return make_simgrid(plan, options);
}

// In a process of its own, so that a test may make several.
inline RepeatOutcome outcome_of(const Point& point) {
  auto child = ChildRepeat::start(point, *find_protocol(point.protocol.name), 0, simulation);
  if (!child) return {RepeatStatus::failed, child.error().text(), 0, {}, 0, 0};
  while (!child.value().drain()) {
  }
  return child.value().finish();
}

inline RepeatMetrics run(const std::string& rest) {
  const RepeatOutcome outcome = outcome_of(point_of(rest));
  EXPECT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  EXPECT_TRUE(outcome.metrics.window_law.holds());
  return outcome.metrics;
}

}  // namespace latchlab::simtest
