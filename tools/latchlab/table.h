#pragma once
// A study on a terminal: one row per point.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab::tool {

// Rows of cells in columns, the first flush left, the others flush right; one line each.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

std::string table(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::tool
