#pragma once
// Writes docs/scenario-reference.md: every key, parameter and constant of a scenario.

#include <string>
#include <vector>

#include "core/base/params.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {

std::string scenario_reference(const std::vector<ProtocolInfo>& protocols);

// The allowed values of a key in a few words: "1 to 10M", "star | fat_tree", "text".
std::string allowed_values(const ScenarioKey& key);

}  // namespace latchlab
