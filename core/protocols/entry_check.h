#pragma once
// What the scenario parser, `latchlab list` and the explorer require of a protocol's entry.

#include <string>

#include "core/protocols/lock.h"

namespace latchlab {

// One sentence that says what contradicts what, and how to fix it; empty when nothing does. Makes
// the protocol once for each profile and once for the small model.
std::string entry_problem(const ProtocolEntry& entry);

}  // namespace latchlab
