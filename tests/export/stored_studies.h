#pragma once
// Studies of three locks at two points each, with given goodputs.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/conclude/study_comparison.h"
#include "core/protocols/registry.h"
#include "tests/paths.h"

namespace latchlab::study_test {

using Goodputs = std::map<std::string, double>;  // of each lock

inline constexpr const char* kText = R"(
schema: 1
name: s
platform: {client_nodes: 2, clients_per_node: 2, nic: connectx-5}
run: {repeats: 3}
sweep: {grid: {protocol: [{name: cas}, {name: mcs}, {name: dslr}], locks.count: [1, 10]}}
)";

// Repeats differ by a tenth of a percent.
inline PointOutcome outcome_of(const Point& point, double goodput) {
  PointOutcome made;
  for (std::uint32_t r = 0; r < point.run.repeats; ++r) {
    RepeatOutcome repeat;
    repeat.seed = point.run.seed + r;
    repeat.metrics.goodput_ops_s = goodput * (1 + 0.001 * r);
    made.repeats.emplace_back(repeat);
  }
  return made;
}

inline StoredStudy study(const Goodputs& goodputs, const std::vector<Override>& overrides = {},
                         const std::string& backend = "simgrid") {
  auto parsed = parse_scenario({kText, "s", LATCHLAB_SOURCE_DIR}, overrides, protocol_infos(),
                               DataDirs{{LATCHLAB_SOURCE_DIR}});
  EXPECT_TRUE(parsed) << parsed.error().text();
  StoredStudy made;
  if (!parsed) return made;
  made.scenario = std::move(parsed).value();
  made.manifest.version = "1";
  made.manifest.backend = backend;
  for (const Point& point : made.scenario.points)
    made.outcome.points.push_back(outcome_of(point, goodputs.at(point.protocol.label)));
  return made;
}

inline const Goodputs kBase = {{"cas", 300}, {"mcs", 200}, {"dslr", 100}};

inline StudyComparison compared(const StoredStudy& a, const StoredStudy& b,
                                const std::vector<std::string>& metrics = {"goodput_ops_s"}) {
  const auto made = compare_studies(a, b, metrics);
  EXPECT_TRUE(made) << made.error().text();
  return made ? made.value() : StudyComparison{};
}

}  // namespace latchlab::study_test
