#pragma once

#include <cstddef>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab {

// For each point its own index, or that of an earlier point with the same run: points that differ
// only in a swept parameter that their lock does not have. run_study() runs such points once and
// copies the outcome, unless an onlooker observes the repeats.
std::vector<std::size_t> same_runs(const Scenario& scenario);

}  // namespace latchlab
