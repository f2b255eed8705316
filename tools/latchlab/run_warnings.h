#pragma once
// What is wrong with points, and what to keep in mind of them: lines on stderr after a run.

#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab::tool {

// Points that failed or broke a promise; with `warn` also those that only starve clients, and what
// the scenario calls known.
void report_problems(const Scenario& scenario, const StudyOutcome& outcome, bool warn);

// Points that have not settled, that are overloaded, and the remarks (core/study/remarks.h).
void report_warnings(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::tool
