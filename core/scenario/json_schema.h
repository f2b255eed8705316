#pragma once
// JSON Schema (draft 7) of scenarios and of the files under models/nics, for editors. It covers
// names, units, words, combinations of keys and required keys. The reader alone checks the rest,
// such as sizes that depend on each other and points that must exist.

#include <string>
#include <vector>

#include "core/base/params.h"

namespace latchlab {

std::string scenario_schema(const std::vector<ProtocolInfo>& protocols);
std::string nic_schema();

}  // namespace latchlab
