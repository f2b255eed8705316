#pragma once
// What a quick look at a scenario leaves out, by a rule that knows no clock: the same everywhere.
//
// - Of an axis with more than three values, all of them numbers, the first, the middle and the last
//   stay, and those that a published figure speaks of. Lists that change together stay together. An
//   axis of locks or of anything else that is no number stays whole, and no point has fewer clients
//   or locks than it had.
// - Three repeats at the most, the fewest that have an interval.
// - Warm-up and duration are divided by the smallest whole number that makes the work fit, but stay
//   at least a millisecond, ten pauses of a client and, where there are faults, the longest timeout
//   of the lock long. Where something happens at a date (faults.at, arrivals.script) or is told by
//   it (run.series) they stay whole, and there is one repeat.

#include <functional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab {

struct QuickLook {
  std::vector<Override> overrides;  // after those that the scenario was read with
  std::vector<std::string> cuts;    // a line each for people; empty: nothing is left out
};

// `work` of one repeat is in the unit of `budget`, which is that of the whole scenario.
Result<QuickLook> quick_look(const Scenario& scenario, const std::vector<ProtocolInfo>& protocols,
                             const std::function<double(const Point&)>& work, double budget);

}  // namespace latchlab
