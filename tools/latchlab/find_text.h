#pragma once
// The answer of `latchlab find`, as sentences and as find.json.

#include <string>
#include <vector>

#include "core/study/crossing.h"
#include "tools/latchlab/find_plan.h"

namespace latchlab::tool {

// One sentence for each turn; without turns, the answer for the whole axis. Caveats come last.
std::vector<std::string> answers(const FindPlan& plan, const std::vector<Probe>& probes);

// Equal probes give byte-identical text. Without probes: the file of a search that has not ended.
std::string find_json(const FindPlan& plan, const std::vector<Probe>& probes);

}  // namespace latchlab::tool
