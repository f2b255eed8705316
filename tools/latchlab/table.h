#pragma once
// A study on a terminal: one row per point, and what it says in a sentence.

#include <string>

#include "core/runner/study.h"
#include "core/scenario/scenario.h"

namespace latchlab::tool {

std::string table(const Scenario& scenario, const StudyOutcome& outcome);

// "With platform.clients_per_node=48, shiftlock does most: 8.1 M/s, 1.4 times the next (cas)."
// Empty when there is nothing to compare, or not all of it.
std::string finding(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::tool
