#pragma once
// Protocol tables and helpers for the tests of the scenario reader. The tables belong to the tests,
// so that no real protocol's parameters affect them.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "tests/paths.h"

namespace latchlab::scenario_test {

inline std::vector<ProtocolInfo> protocols() {
  ProtocolInfo cas;
  cas.name = "cas";
  cas.params = {choice_param("backoff", "none", {"none", "truncated_exponential"}, "backoff"),
                choice_param("release", "cas", {"cas", "write"}, "release")};
  cas.adaptation_period = [](const ParamSet& params) {
    return params.choice("backoff") == "none" ? Duration{0} : milliseconds(1);
  };
  ProtocolInfo mcs;
  mcs.name = "mcs";
  mcs.entry_bytes = 16;
  ProtocolInfo dslr;
  dslr.name = "dslr";
  dslr.shared_mode = true;
  dslr.params = {duration_param("lease", milliseconds(10), microseconds(1), seconds(10), "lease")};
  dslr.longest_timeout = [](const ParamSet& params) { return params.duration("lease") * 2; };
  ProtocolInfo shiftlock;
  shiftlock.name = "shiftlock";
  shiftlock.shared_mode = true;
  shiftlock.entry_bytes = 16;
  shiftlock.params = {
      integer_param("max_consecutive_writers", 16, 1, 1'000'000, "N"),
      duration_param("lease", milliseconds(10), microseconds(10), seconds(10), "lease"),
      boolean_param("epoch_in_handover", true, "epoch"),
  };
  shiftlock.profiles = {{"repaired", "this project", {}},
                        {"paper", "FAST'25", {{"epoch_in_handover", false}}}};
  shiftlock.longest_timeout = [](const ParamSet& params) { return params.duration("lease") * 3; };
  shiftlock.contradiction = [](const ParamSet& params) {
    const bool both =
        params.integer("max_consecutive_writers") == 13 && !params.boolean("epoch_in_handover");
    return std::string(both ? "13 writers need epoch_in_handover: true" : "");
  };
  return {cas, mcs, dslr, shiftlock};
}

inline DataDirs data() {
  return {{LATCHLAB_SOURCE_DIR}};
}

inline Result<Scenario> parse(const std::string& text,
                              const std::vector<Override>& overrides = {}) {
  return parse_scenario({text, "test.yaml", ""}, overrides, protocols(), data());
}

// The whole error line, or "fine".
inline std::string problem(const std::string& text, const std::vector<Override>& overrides = {}) {
  const Result<Scenario> scenario = parse(text, overrides);
  return scenario ? "fine" : scenario.error().text();
}

// Four lines that every scenario needs; the text under test begins on line 4.
inline std::string scenario(const std::string& rest) {
  return "schema: 1\nname: t\nprotocol: {name: shiftlock}\n" + rest;
}

// The first point of a scenario with these lines.
inline Point point_of(const std::string& rest) {
  const auto parsed = parse(scenario(rest));
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text();
    return {};
  }
  return parsed.value().points.front();
}

// Parses, resolves, parses again: the same points, and the same resolved text.
inline void expect_round_trip(const std::string& text,
                              const std::vector<Override>& overrides = {}) {
  SCOPED_TRACE(text);
  const auto first = parse(text, overrides);
  ASSERT_TRUE(first) << first.error().text();
  const auto again = parse_scenario({first.value().resolved_yaml, "resolved.yaml", ""}, {},
                                    protocols(), DataDirs{});
  ASSERT_TRUE(again) << again.error().text() << "\n" << first.value().resolved_yaml;
  EXPECT_EQ(again.value().resolved_yaml, first.value().resolved_yaml);
  EXPECT_EQ(again.value().name, first.value().name);
  EXPECT_EQ(again.value().description, first.value().description);
  EXPECT_EQ(again.value().figures.size(), first.value().figures.size());
  ASSERT_EQ(again.value().points.size(), first.value().points.size());
  ASSERT_FALSE(first.value().points.empty());
  for (std::size_t i = 0; i < first.value().points.size(); ++i) {
    const Point& point = first.value().points[i];
    EXPECT_EQ(again.value().points[i].resolved_yaml, point.resolved_yaml);
    EXPECT_EQ(again.value().points[i].resolved_json, point.resolved_json);
    EXPECT_EQ(again.value().points[i].axes, point.axes);
    const auto alone =
        parse_scenario({point.resolved_yaml, "point.yaml", ""}, {}, protocols(), DataDirs{});
    ASSERT_TRUE(alone) << alone.error().text();
    EXPECT_EQ(alone.value().points.front().resolved_yaml, point.resolved_yaml);
  }
}

}  // namespace latchlab::scenario_test
