#pragma once
// The answer of `latchlab find`, in sentences and as find.json.

#include <string>
#include <vector>

#include "core/study/crossing.h"
#include "tools/latchlab/find_plan.h"

namespace latchlab::tool {

// One for each turn; without any, what is the same everywhere. Last, what to keep in mind.
std::vector<std::string> answers(const FindPlan& plan, const std::vector<Probe>& probes);

// Equal probes give equal bytes. Without probes: of a search that has not ended.
std::string find_json(const FindPlan& plan, const std::vector<Probe>& probes);

}  // namespace latchlab::tool
