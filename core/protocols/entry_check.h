#pragma once
// What a protocol's entry owes those who read it: the scenario parser, `latchlab list`, the
// explorer.

#include <string>

#include "core/protocols/lock.h"

namespace latchlab {

// One sentence that names what contradicts what, and the fix; empty when nothing does. Makes the
// protocol once for each profile and for the small model.
std::string entry_problem(const ProtocolEntry& entry);

}  // namespace latchlab
