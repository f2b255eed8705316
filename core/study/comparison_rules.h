#pragma once
// A simulation predicts a measurement only if it is of the same thing: the same locks, clients and
// faults, windows of the same length that open at the same time, and guard words, which others wait
// behind, in both or in none.

#include <vector>

#include "core/study/study_comparison.h"

namespace latchlab {

// What may differ between the two: what describes a simulated world and is not used on hardware
// (core/scenario/advice.h), chance, how often a point was repeated, and who ran it.
bool may_differ(const std::string& path);

// Fine where both are simulations, or both were measured.
Status check_rules(const RunManifest& a, const RunManifest& b,
                   const std::vector<RunDifference>& differences);

}  // namespace latchlab
