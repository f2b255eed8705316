#pragma once
// `latchlab compare`.

#include <cstdint>
#include <string>
#include <vector>

#include "core/conclude/study_comparison.h"
#include "models/explanation.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

struct CompareArguments {
  std::vector<std::string> directories;  // the first is the baseline
  std::vector<std::string> metrics;      // in addition to the default metrics
  bool only = false;                     // `metrics` replace the default metrics
  bool explain = false;                  // find the constant of the model that explains them
  std::uint32_t jobs = 0;                // 0: as many as there are cores
  std::string out;                       // a page; empty: none
  std::string data;
  bool json = false;
};
int compare_runs(const CompareArguments& arguments);

// Prints the comparison of two runs on the terminal.
void print_comparison(const StoredRun& a, const StoredRun& b, const StudyComparison& made);

}  // namespace latchlab::tool
