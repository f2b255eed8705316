#pragma once
// A cumulative distribution as a curve with few points.

#include <cstdint>
#include <utility>
#include <vector>

#include "core/measure/histogram.h"

namespace latchlab::tool {

// [[ns, ppm], ...]: `ppm` of the values are at most `ns`; both ascend. Sampled at every percent and
// more finely in the upper tail, where locks differ most. Equal values make one point.
std::vector<std::pair<double, std::int64_t>> curve_of(const Histogram& histogram);

}  // namespace latchlab::tool
