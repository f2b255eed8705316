#pragma once
// The search that `latchlab find` runs, derived from its arguments and its scenario.

#include <cstdint>
#include <string>
#include <vector>

#include "core/study/crossing.h"
#include "tools/latchlab/commands.h"

namespace latchlab::tool {

struct FindPlan {
  Question question;
  SearchAxis axis;
  double precision = 0.02;
  std::uint32_t repeats = 3;
  bool may_repeat_more = false;  // run.precision asks for it
  std::string name;              // of the scenario
  std::string passes;            // the target value as written; empty: compare two locks

  // The scenario with the question's locks at these values: all locks at one value, then the next.
  Result<Scenario> scenario_at(const std::vector<std::int64_t>& values) const;

  ScenarioArguments input;                                 // with the user's overrides
  std::vector<std::string> locks;                          // by label, the protocol as YAML
  std::vector<std::pair<std::string, std::string>> fixed;  // other swept paths, one value each
};

Result<FindPlan> plan_find(const FindArguments& arguments);

}  // namespace latchlab::tool
