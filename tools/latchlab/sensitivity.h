#pragma once
// `latchlab run --sensitivity`: on which constants of the model a study's conclusion hangs.

#include <cstdint>
#include <string>

#include "core/study/output.h"
#include "core/study/study.h"
#include "tools/latchlab/run_one.h"

namespace latchlab::tool {

struct SensitivityRequest {
  const std::string& directory;  // of the study
  const RunBackend& backend;
  const RunManifest& manifest;
  std::string maker;  // what makes results, for their keys
  std::uint32_t jobs = 1;
  bool talks = true;
  bool numbers = false;  // also asks by how much they move the numbers of one lock alone
};

// What its short runs take at most, on one core, where all locks are compared at the sweep's end.
double sensitivity_seconds(const Scenario& scenario);

// Says what it will cost, runs what is not there yet, writes DIR/sensitivity.json and prints its
// sentences. Where nothing is compared it says so. False: interrupted; what has run is kept.
Result<bool> ask_sensitivity(const SensitivityRequest& request, const Scenario& scenario,
                             const StudyOutcome& outcome);

}  // namespace latchlab::tool
