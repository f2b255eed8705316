#pragma once
// What a scenario, or a file under models/nics, may look like, for editors: JSON Schema, draft 7.
// It knows names, units, words, which keys go together and what is required; the reader knows the
// rest (sizes that must fit each other, points that must exist).

#include <string>
#include <vector>

#include "core/base/params.h"

namespace latchlab {

std::string scenario_schema(const std::vector<ProtocolInfo>& protocols);
std::string nic_schema();

}  // namespace latchlab
