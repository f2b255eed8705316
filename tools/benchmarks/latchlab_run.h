#pragma once
// Measures Latchlab as `latchlab run` executes it: the runner with all checks and histograms.

#include <string>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/scenario/scenario.h"
#include "tools/benchmarks/sample.h"

namespace latchlab::bench {

// Parses a scenario, which must have one point, from its text.
Result<Point> point_of(const std::string& scenario);

// Runs one repeat of the point and measures it from the end of warm-up to the end of the window.
Sample measure_latchlab(const Point& point);

}  // namespace latchlab::bench
