#pragma once
// What `reproduce` runs, and how it sums up.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "tools/latchlab/run_one.h"

namespace latchlab::tool {

struct Experiment {
  std::string name;  // "shiftlock/table3"
  Scenario scenario;
  std::vector<std::string> quick;  // what was left out of it, and the --set that did
  std::vector<std::string> sets;
  Ran ran;
};

// The scores of what was run, and the figures that miss most.
std::string summary_text(const std::vector<Experiment>& done);
std::string summary_json(const std::vector<Experiment>& done, bool quick);
// Whether a summary is that of a quick run; an error where it is none.
Result<bool> is_quick_summary(const std::string& path);

}  // namespace latchlab::tool
