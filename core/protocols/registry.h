#pragma once
// All protocols that this process knows, by name: those of the build, and those registered later.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/protocols/lock.h"

namespace latchlab {

std::deque<ProtocolEntry> built_in_protocols();  // by name; written by cmake/locks.cmake

const std::deque<ProtocolEntry>& protocol_registry();       // in the order of `latchlab list`
const ProtocolEntry* find_protocol(std::string_view name);  // null: no such protocol
std::vector<ProtocolInfo> protocol_infos();
std::vector<std::string> remote_protocol_names();  // those that serve clients of several nodes

// Adds a protocol at the end; existing entries keep their addresses. Refused if its name is taken
// or entry_problem finds a problem. Not safe while another thread looks anything up.
Status register_protocol(ProtocolEntry entry);

// What contradicts what in an entry, and how to fix it, in one sentence; empty when nothing does.
// It checks what the scenario parser, `latchlab list` and the explorer require. Makes the protocol
// once for each profile and once for the small model.
std::string entry_problem(const ProtocolEntry& entry);

}  // namespace latchlab
