#pragma once
// Scenarios in which one key of one mapping is under test.

#include <map>
#include <string>

namespace latchlab::scenario_test {

using Entries = std::map<std::string, std::string>;  // names and values as written

// What a mapping of a kind needs besides the key that is tested.
Entries base_of(const std::string& mapping, const std::string& kind);

// The key takes the place of those that cannot stand beside it.
void put(Entries& entries, const std::string& mapping, const std::string& kind,
         const std::string& name, const std::string& value);

// A scenario in which `mapping` holds just these entries.
std::string document(const std::string& mapping, const Entries& entries);

// What the reader says of a scenario with this key; "fine" if nothing.
std::string problem_of(const std::string& mapping, const std::string& kind, const std::string& name,
                       const std::string& value);

}  // namespace latchlab::scenario_test
