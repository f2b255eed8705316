#pragma once
// What `latchlab explain` can explain, from the tables where each thing is declared.

#include <string>
#include <utility>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab::tool {

struct Topic {
  std::string name;   // "acquire_ns", "shiftlock.lease", "UNSAFE"
  std::string group;  // "metric", "parameter", "verdict" ...
  std::string says;   // sentences
  std::vector<std::pair<std::string, std::string>> facts = {};  // "unit": "ns"
  std::vector<std::string> see = {};                            // names of other topics
};
using Topics = std::vector<Topic>;

// All of them, group by group; constants have their values in `nic`.
Topics all_topics(const NicModel& nic);

// Those that are meant by a name: called so, or a part of one that is ("lease", "p99"); else those
// below it ("fairness"); empty: none. Upper and lower case are the same.
Topics find_topics(const Topics& topics, const std::string& name);

// ---- by origin ----

Topics metric_topics();  // metrics and phases
Topics nic_topics(const NicModel& nic);
Topics protocol_topics();  // locks and their parameters
Topics key_topics();       // of scenarios
Topics outcome_topics();   // columns, verdicts, checks, faults, exit codes
Topics glossary_topics();  // terms

// docs/glossary.md.
std::string glossary_page();

}  // namespace latchlab::tool
