#pragma once
// Writing a scenario back with every default visible, in a fixed order of keys.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/sweep.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

// The sections that decide a point's result, under the scenario's name.
YamlNode write_point(const Point& point, const std::string& scenario_name);

// Fills resolved_yaml and resolved_json.
void resolve_point(Point& point, const std::string& scenario_name);

// The whole scenario. `source` is the tree it was read from (overrides applied); sections that a
// sweep rebuilds by name or kind are kept as written there, since no single default fits.
std::string resolve_scenario(const Scenario& scenario, const YamlNode& source,
                             const std::vector<Axis>& axes);

}  // namespace latchlab
