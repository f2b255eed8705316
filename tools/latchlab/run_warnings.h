#pragma once
// Problems and caveats of points, printed to stderr after a run.

#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab::tool {

// Prints points that failed or violated a guarantee; with `warn` also points that only starve
// clients, and problems that the scenario lists as known.
void report_problems(const Scenario& scenario, const StudyOutcome& outcome, bool warn);

// Prints points that have not reached steady state, overloaded points, and the remarks
// (core/study/remarks.h).
void report_warnings(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::tool
