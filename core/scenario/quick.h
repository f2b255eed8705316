#pragma once
// Reduces a scenario for a quick run. The rule uses no clock, so that the result is the same on
// every machine.
//
// - An axis of more than three values, all of them numbers, keeps its first, middle and last value,
//   and the values that an expectation names. Lists that change together stay together. An axis of
//   locks or of other values that are not numbers keeps all of its values.
// - No point loses clients or locks.
// - At most three repeats, the minimum for a confidence interval.
// - Warm-up and duration are divided by the smallest whole number that makes the work fit. They
//   stay at least 1 ms, ten cycles of think time and critical section, a hundred intervals of
//   run.series, and, if there are faults, the longest timeout of the lock. If any remaining point
//   has events at fixed dates (faults.at, arrivals.script), the windows stay whole and there is one
//   repeat.
// - If the shortest of these windows do not fit, there is one repeat; if they still do not, axes of
//   numbers lose their middle value too.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab {

struct QuickLook {
  std::vector<Override> overrides;  // to apply after those that the scenario was read with
  std::vector<std::string> cuts;    // one line per reduction; empty: nothing was reduced
};

// `work` returns the cost of one repeat of a point, in the unit of `budget`, the cost allowed for
// the whole scenario.
Result<QuickLook> quick_look(const Scenario& scenario, const std::vector<ProtocolInfo>& protocols,
                             const std::function<double(const Point&)>& work, double budget);

// The smallest whole number by which `work` fits into the budget.
std::int64_t smallest_divisor(double work, double budget);
// True if events of a run have given dates (faults.at, arrivals.script): a shorter window would
// miss them.
bool has_dates(const Point& point);

}  // namespace latchlab
