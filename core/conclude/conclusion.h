#pragma once
// A study's conclusion, as one or more sentences.

#include <cstddef>
#include <string>
#include <vector>

#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Known problems come first, then a lock that violated a guarantee or made no progress. Without
// either, the conclusion compares the locks at the end of the sweep:
//   With 240 clients: mcs has the highest goodput, 9.511 M/s, 1.28x the runner-up (shiftlock,
//   7.440 M/s).
// It names a winner only if its lead over each other lock exceeds chance (comparison.h) and if no
// other lock is unsettled and could overtake it. Otherwise it states what is undecided and what
// would decide it. Emulated locks are left out, and software devices yield no statement about
// speed. A single lock is compared with itself across points. Empty if the study was interrupted.
std::string conclusion(const Scenario& scenario, const StudyOutcome& outcome);

// True if the points of the scenario differ only in the protocol, its parameters and the windows of
// locks; only such points are compared.
bool same_configuration(const Scenario& scenario, const Point& a, const Point& b);

// The sound points that the conclusion compares: one for each lock, in descending order of goodput.
std::vector<std::size_t> compared_points(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab
