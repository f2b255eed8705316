#pragma once
// Parts of the schemas of scenarios and NICs, as JSON text. They refer to definitions that are
// named after the paths of scenario_keys(), and to "lock", "axes" and "range".

#include <string>
#include <vector>

#include "core/base/params.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {

inline constexpr const char* kDraft = "http://json-schema.org/draft-07/schema#";

// Schema of platform.nic: a name, a NIC with some constants replaced, or a whole description.
std::string nic_value_schema();

// Schema of one key's value without the keys below it (any mapping or list is accepted), with
// description and default. It checks units, words and the range of plain numbers. Of a number with
// a unit it checks only the sign, that it is not zero where the minimum is positive, and 100% as a
// maximum; the reader checks the rest.
std::string value_schema(const ScenarioKey& key);

std::string lock_schema(const std::vector<ProtocolInfo>& protocols);  // of `protocol`
std::string axes_schema(const std::vector<ProtocolInfo>& protocols);  // of `sweep.grid`

}  // namespace latchlab
