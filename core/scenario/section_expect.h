#pragma once
// `expect`: published figures, each bound to the points of the sweep that it speaks of.

#include <cstddef>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

struct ExpectSection {
  std::vector<Expectation> expectations;
  YamlNode resolved;         // the same as a list, tables taken apart, defaults visible
  std::size_t left_out = 0;  // because the points they speak of are gone
};

// Reads `expect` once the points are known. A figure that the sweep does not contain is an
// InputError, unless `points_changed` (by --set): it is then left out. Metrics are not looked at:
// their names belong to whoever measures.
ExpectSection read_expect(const YamlNode* node, const Scenario& scenario, bool points_changed);

}  // namespace latchlab
