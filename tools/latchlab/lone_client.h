#pragma once
// Whether the locks of a scenario can be had at all: a client that is alone asks for each in a
// short simulation. A lease or a timeout below the round trips of a fabric makes some locks fail
// every acquisition, which no bound of the parameter alone can tell.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab::tool {

// A line for each lock, with its parameters and fabric, whose acquisitions all fail, which names
// the value to set. Simulates, each time in a process of its own; empty in a build without a
// simulator.
std::vector<std::string> lone_client_warnings(const Scenario& scenario);

}  // namespace latchlab::tool
