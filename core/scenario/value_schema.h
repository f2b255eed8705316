#pragma once
// JSON Schema (draft 7) of what one key may hold, as JSON text. Written for editors: units, words
// and the range of plain numbers are checked; the range of a number with a unit is left to the
// reader, but for its sign, zero where that is too little, and 100%.

#include <string>

#include "core/scenario/scenario_keys.h"

namespace latchlab {

// Without the keys below it: a mapping or a list is any. With description and default.
std::string value_schema(const ScenarioKey& key);

}  // namespace latchlab
