#pragma once
// Scenarios that name their own locks, and the locks of their points.

#include <string>
#include <vector>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {

inline const std::string kHead = "schema: 1\nname: t\n";

inline std::vector<std::string> labels(const Scenario& scenario) {
  std::vector<std::string> all;
  for (const Point& point : scenario.points) all.push_back(point.protocol.label);
  return all;
}

}  // namespace latchlab::scenario_test
