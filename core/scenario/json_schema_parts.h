#pragma once
// Parts of the schemas of scenarios and of NICs, as JSON text. Definitions that they refer to are
// called as the paths of scenario_keys(), and "lock" and "axes".

#include <string>
#include <vector>

#include "core/base/params.h"

namespace latchlab {

inline constexpr const char* kDraft = "http://json-schema.org/draft-07/schema#";

// Of platform.nic: a name, a NIC with some constants replaced, or a whole one.
std::string nic_value_schema();

std::string lock_schema(const std::vector<ProtocolInfo>& protocols);  // of `protocol`
std::string axes_schema(const std::vector<ProtocolInfo>& protocols);  // of `sweep.grid`

}  // namespace latchlab
