#pragma once
// A simulation predicts a measurement only if both have the same locks, clients, faults, window
// length and warm-up, and both or neither use guard words, whose verbs delay other verbs.

#include <vector>

#include "core/study/study_comparison.h"

namespace latchlab {

// True for settings that may differ between the two: those that describe simulated hardware and are
// ignored on hardware (core/scenario/advice.h), the seed, the number of repeats, extra
// measurements, and the backend and version.
bool may_differ(const std::string& path);

// Succeeds if both runs are simulations or both were measured.
Status check_rules(const RunManifest& a, const RunManifest& b,
                   const std::vector<RunDifference>& differences);

}  // namespace latchlab
