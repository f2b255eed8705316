#pragma once
// `latchlab check`.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "tools/latchlab/load.h"

namespace latchlab::tool {

struct CheckArguments {
  ScenarioArguments input;
  bool json = false;
};
int check(const CheckArguments& arguments);

// Checks that a single client can acquire each lock of a scenario, with a short simulation. A lease
// or timeout shorter than the fabric's round trips makes some locks fail every acquisition, which a
// static bound on the parameter cannot detect.
//
// One line for each combination of lock, parameters and fabric for which every acquisition fails,
// with the parameter value to set. Runs each simulation in a child process. Empty in a build
// without a simulator.
std::vector<std::string> lone_client_warnings(const Scenario& scenario);

}  // namespace latchlab::tool
