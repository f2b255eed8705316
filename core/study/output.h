#pragma once
// Writes a study as results.json, results.csv and timing.json. results.json and results.csv are
// byte-identical for two runs of the same scenario and seed; timing.json has the rest.

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab {

struct RunManifest {
  std::string version;  // of Latchlab
  std::string backend;  // simgrid
  // "masked_atomics_16: agent (mcs)": the capability, how it was emulated, and the label of the
  // points; without a label, all points.
  std::vector<std::string> emulated;
  std::vector<std::string> software;  // software devices: "rxe0 is soft-RoCE"
  // Locks from plug-ins: file names and hashes of their contents.
  std::vector<std::pair<std::string, std::string>> plugins;
  // What a quick run reduced, one line each; empty: the run is not quick.
  std::vector<std::string> quick;
};

// One cell of a CSV file, quoted if necessary.
std::string csv_text(const std::string& text);

std::string results_json(const Scenario& scenario, const StudyOutcome& outcome,
                         const RunManifest& manifest);
std::string results_csv(const Scenario& scenario, const StudyOutcome& outcome);
std::string timing_json(const StudyOutcome& outcome, std::uint32_t jobs);

Status write_study(const std::string& directory, const Scenario& scenario,
                   const StudyOutcome& outcome, const RunManifest& manifest, std::uint32_t jobs);

}  // namespace latchlab
