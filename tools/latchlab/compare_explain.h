#pragma once
// `latchlab compare --explain`: which constant of the simulated NIC would explain the differences.

#include <cstdint>
#include <string>
#include <vector>

#include "core/study/study_comparison.h"
#include "models/explanation.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

inline constexpr const char* kStopped = "interrupted";  // the error then

struct ExplainOptions {
  std::vector<std::string> metrics;
  std::uint32_t jobs = 1;
  bool talks = true;
};

// Simulates the points that are sound in both runs and were not emulated. Of a simulation and a
// measurement the simulation is explained; of two simulations the first.
Result<Explanation> explain_comparison(const StoredRun& a, const StoredRun& b,
                                       const StudyComparison& made, const ExplainOptions& options);

}  // namespace latchlab::tool
