#pragma once
// Writes a scenario with every default visible and keys in a fixed order.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/sweep.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

// The sections that determine a point's result, with the scenario's name.
YamlNode write_point(const Point& point, const std::string& scenario_name);

// Sets resolved_yaml and resolved_json.
void resolve_point(Point& point, const std::string& scenario_name);

// The whole scenario. `source` is the tree that it was read from, with overrides applied. A section
// that a sweep replaces by name or kind is kept as written there, because no single default fits.
std::string resolve_scenario(const Scenario& scenario, const YamlNode& source,
                             const std::vector<Axis>& axes);

}  // namespace latchlab
