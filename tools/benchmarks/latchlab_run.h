#pragma once
// Latchlab itself, as `latchlab run` runs it: a scenario, the runner, all checks and histograms.

#include <string>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/scenario/scenario.h"
#include "tools/benchmarks/sample.h"

namespace latchlab::bench {

// The only point of a scenario that is given as text.
Result<Point> point_of(const std::string& scenario);

// One repeat of the point, measured from the end of its warm-up to the end of its window.
Sample measure_latchlab(const Point& point);

}  // namespace latchlab::bench
