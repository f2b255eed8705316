#pragma once
// `latchlab compare --explain`: finds the constant of the simulated NIC that explains differences
// between two runs.

#include <cstdint>
#include <string>
#include <vector>

#include "core/study/study_comparison.h"
#include "models/explanation.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

inline constexpr const char* kStopped = "interrupted";  // the error's text after an interruption

struct ExplainOptions {
  std::vector<std::string> metrics;
  std::uint32_t jobs = 1;
  bool talks = true;
};

// Simulates the points that are sound in both runs and ran without emulation, with varied
// constants. Varies the simulation if the other run is a measurement, otherwise the first run.
Result<Explanation> explain_comparison(const StoredRun& a, const StoredRun& b,
                                       const StudyComparison& made, const ExplainOptions& options);

}  // namespace latchlab::tool
