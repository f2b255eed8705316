#pragma once
// The experiments of `reproduce` and their summary.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "tools/latchlab/run_one.h"

namespace latchlab::tool {

struct Experiment {
  std::string name;  // "shiftlock/table3"
  Scenario scenario;
  std::vector<std::string> quick;  // the parts that a quick run omits; `sets`: the --set for them
  std::vector<std::string> sets;
  Ran ran;
};

// The scores of the finished experiments, and the figures with the largest errors.
std::string summary_text(const std::vector<Experiment>& done);
std::string summary_json(const std::vector<Experiment>& done, bool quick);
// Whether the file is the summary of a quick run. Error: it is not a summary.
Result<bool> is_quick_summary(const std::string& path);

}  // namespace latchlab::tool
