#pragma once
// `latchlab find`: the search derived from its arguments and its scenario, and its answer.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/conclude/crossing.h"
#include "tools/latchlab/load.h"

namespace latchlab::tool {

struct FindArguments {
  ScenarioArguments input;
  std::string along;      // PATH=LOW..HIGH
  std::string cross;      // two labels, separated by a comma
  std::string metric;     // empty: goodput
  std::string passes;     // a value of the metric of the lock `of`
  std::string of;         // a label; may be empty where the scenario has one lock
  std::string precision;  // a ratio
  std::string out;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
  bool resume = false;
  bool json = false;
  bool quiet = false;
};
int find(const FindArguments& arguments);

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

// One sentence for each turn; without turns, the answer for the whole axis. Caveats come last.
std::vector<std::string> answers(const FindPlan& plan, const std::vector<Probe>& probes);

// Equal probes give byte-identical text. Without probes: the file of a search that has not ended.
std::string find_json(const FindPlan& plan, const std::vector<Probe>& probes);

}  // namespace latchlab::tool
