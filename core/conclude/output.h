#pragma once
// Writes a study as results.json, results.csv and timing.json. results.json and results.csv are
// byte-identical for two runs of the same scenario and seed; timing.json has the rest.

#include <string>

#include "core/base/result.h"
#include "core/run/manifest.h"
#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// One cell of a CSV file, quoted if necessary.
std::string csv_text(const std::string& text);

std::string results_json(const Scenario& scenario, const StudyOutcome& outcome,
                         const RunManifest& manifest);
std::string results_csv(const Scenario& scenario, const StudyOutcome& outcome);
std::string timing_json(const StudyOutcome& outcome, std::uint32_t jobs);

Status write_study(const std::string& directory, const Scenario& scenario,
                   const StudyOutcome& outcome, const RunManifest& manifest, std::uint32_t jobs);

}  // namespace latchlab
