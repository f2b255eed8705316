#pragma once
// Scenarios in which one key of one mapping is under test.

#include <map>
#include <string>

namespace latchlab::scenario_test {

using Entries = std::map<std::string, std::string>;  // names and values as in the file

// What a mapping of a kind needs besides the key under test.
Entries base_of(const std::string& mapping, const std::string& kind);

// The key replaces those that cannot be combined with it.
void put(Entries& entries, const std::string& mapping, const std::string& kind,
         const std::string& name, const std::string& value);

// A scenario in which `mapping` has exactly these entries.
std::string document(const std::string& mapping, const Entries& entries);

// The reader's message about a scenario with this key; "fine" if there is none.
std::string problem_of(const std::string& mapping, const std::string& kind, const std::string& name,
                       const std::string& value);

}  // namespace latchlab::scenario_test
