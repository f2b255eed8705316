#pragma once
// A study as a table for a terminal, one row per point.

#include <cstddef>
#include <string>
#include <vector>

#include "core/conclude/scoring.h"
#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab::tool {

// Aligns cells in columns: the first column left, the others right. One line per row.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

std::string table(const Scenario& scenario, const StudyOutcome& outcome);

// Published figures next to Latchlab's, for a terminal.

// The expectations of a scenario. If there are many, only those with the largest errors.
std::string figure_table(const Scenario& scenario, const StudyScore& score);

// A line for each required figure that was missed; empty: none.
std::string missed_lines(const Scenario& scenario, const StudyScore& score, bool strict);

// "Score: 31 of 40 figures within tolerance (78%), median |log2(predicted/published)| 0.081
// (calibration, profile artifact)", one line per profile and use.
std::string score_lines(const std::vector<Score>& scores);

// A figure's error, for sorting: larger is worse. Infinite if a figure is off and has no ratio; an
// undecided figure ranks below all that are off.
double badness(const Scored& scored);

// "t3-wi/240/W-WP: 42.63 us published, 35.10 us predicted (0.82)"
std::string figure_line(const Expectation& entry, const Scored& scored);

}  // namespace latchlab::tool
