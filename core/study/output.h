#pragma once
// A study as files: results.json, results.csv, timing.json.
// results.json and results.csv hold nothing that could differ between two runs of the same
// scenario and seed; everything else is in timing.json.

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
  // "masked_atomics_16: agent (mcs)": what, how, and for the points of which label; without one,
  // for all.
  std::vector<std::string> emulated;
  std::vector<std::string> software;  // devices that are none: "rxe0 is soft-RoCE"
  // Locks that are not of this build: file names, and hashes of what is in them.
  std::vector<std::pair<std::string, std::string>> plugins;
  // What a quick run leaves out of the scenario, a line each; empty: it is none.
  std::vector<std::string> quick;
};

// One cell of a CSV file: in quotes where it needs them.
std::string csv_text(const std::string& text);

std::string results_json(const Scenario& scenario, const StudyOutcome& outcome,
                         const RunManifest& manifest);
std::string results_csv(const Scenario& scenario, const StudyOutcome& outcome);
std::string timing_json(const StudyOutcome& outcome, std::uint32_t jobs);

Status write_study(const std::string& directory, const Scenario& scenario,
                   const StudyOutcome& outcome, const RunManifest& manifest, std::uint32_t jobs);

}  // namespace latchlab
