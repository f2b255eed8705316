#pragma once
// A study as a table for a terminal, one row per point.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab::tool {

// Aligns cells in columns: the first column left, the others right. One line per row.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

std::string table(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::tool
