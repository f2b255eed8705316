#pragma once

#include <cstddef>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab {

// For each point its own number, or that of an earlier point of which it is the same run: a swept
// parameter that its lock does not have tells the two apart by name alone. run_study() runs such a
// point once, unless an onlooker is to see it, and gives its outcome to all.
std::vector<std::size_t> same_runs(const Scenario& scenario);

}  // namespace latchlab
