#pragma once
// What a study says, in a sentence.

#include <cstddef>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab::tool {

// What is known comes first, then a lock that broke its promise or made no progress. Else the locks
// are compared where the sweep ends:
//   With 240 clients: mcs does most, 9.511 M/s, 1.28 times the next (shiftlock, 7.440 M/s).
// A winner is named only if no interval says that another may be as good, no lock is left that has
// not settled and may do more: else the sentence says what is undecided, and what would decide it.
// What was emulated is left out, and on devices that are software the sentence says nothing about
// speed at all. Of one lock alone: where it does most, or how it does. Empty when the study has not
// ended.
std::string finding(const Scenario& scenario, const StudyOutcome& outcome);

// Points are compared only where nothing but the protocol differs.
bool same_surroundings(const Point& a, const Point& b);

// The points that the sentence compares, one of each lock, greatest goodput first; sound ones
// alone.
std::vector<std::size_t> compared_points(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::tool
