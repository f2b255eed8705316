#pragma once
// A study on a terminal: one row per point, and what it says in a sentence.

#include <string>
#include <vector>

#include "core/runner/study.h"
#include "core/scenario/scenario.h"

namespace latchlab::tool {

// Rows of cells in columns, the first flush left, the others flush right; one line each.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

std::string table(const Scenario& scenario, const StudyOutcome& outcome);

// "With 240 clients mcs does most: 9.511 M/s, 1.28 times the next (shiftlock, 7.440 M/s)."
// Empty when there is nothing to compare, or not all of it.
std::string finding(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::tool
