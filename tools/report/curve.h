#pragma once
// A distribution as a curve of few points.

#include <cstdint>
#include <utility>
#include <vector>

#include "core/measure/histogram.h"

namespace latchlab::tool {

// [[ns, ppm], ...]: so many of the values are at most that long, both ascending. Sampled at every
// percent, and ever finer towards the end, where locks differ most; equal values are one step.
std::vector<std::pair<double, std::int64_t>> curve_of(const Histogram& histogram);

}  // namespace latchlab::tool
