#pragma once
// Parts of the schemas of scenarios and of NICs, as JSON text. Definitions that they refer to are
// called as the paths of scenario_keys(), and "lock", "axes" and "range".

#include <string>
#include <vector>

#include "core/base/params.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {

inline constexpr const char* kDraft = "http://json-schema.org/draft-07/schema#";

// Of platform.nic: a name, a NIC with some constants replaced, or a whole one.
std::string nic_value_schema();

// Of what one key may hold, without the keys below it (a mapping or a list is any), with
// description and default. Written for editors: units, words and the range of plain numbers are
// checked; the range of a number with a unit is left to the reader, but for its sign, zero where
// that is too little, and 100%.
std::string value_schema(const ScenarioKey& key);

std::string lock_schema(const std::vector<ProtocolInfo>& protocols);  // of `protocol`
std::string axes_schema(const std::vector<ProtocolInfo>& protocols);  // of `sweep.grid`

}  // namespace latchlab
