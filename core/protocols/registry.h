#pragma once
// Every protocol of this build, by name.

#include <string_view>
#include <vector>

#include "core/protocols/lock.h"

namespace latchlab {

const std::vector<ProtocolEntry>& protocol_registry();      // in the order of `latchlab list`
const ProtocolEntry* find_protocol(std::string_view name);  // null: no such protocol
std::vector<ProtocolInfo> protocol_infos();

}  // namespace latchlab
