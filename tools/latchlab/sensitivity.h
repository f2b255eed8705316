#pragma once
// `latchlab run --sensitivity`: finds the constants of the model on which a study's conclusion
// depends.

#include <cstdint>
#include <string>

#include "core/conclude/output.h"
#include "core/run/study.h"
#include "tools/latchlab/run.h"

namespace latchlab::tool {

struct SensitivityRequest {
  const std::string& directory;  // of the study
  const RunBackend& backend;
  const RunManifest& manifest;
  std::string maker;  // identifies program and backend in the keys of stored results
  std::uint32_t jobs = 1;
  bool talks = true;
  bool numbers = false;  // also analyses how much the constants change one lock's numbers
};

// Upper bound on the time of the short runs on one core, if all locks are compared at the end of
// the sweep.
double sensitivity_seconds(const Scenario& scenario);

// Prints the expected time, runs what is not stored yet, writes DIR/sensitivity.json and prints its
// sentences, or states that nothing is compared. False: interrupted; finished runs are kept.
Result<bool> ask_sensitivity(const SensitivityRequest& request, const Scenario& scenario,
                             const StudyOutcome& outcome);

}  // namespace latchlab::tool
