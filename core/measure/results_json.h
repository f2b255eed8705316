#pragma once
// Metrics as JSON text. Numbers print as the shortest text that reads back as the same bits, keys
// in a fixed order, what was not measured as null: equal metrics give equal bytes.

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/measure/leaves.h"
#include "core/measure/metrics.h"
#include "core/measure/share.h"

namespace latchlab {

// Everything, histograms cell by cell, on one line: from the process that ran a repeat to the one
// that collects. parse_repeat(serialise_repeat(m)) equals m, except that a number which is not
// finite comes back as not measured.
std::string serialise_repeat(const RepeatMetrics& metrics);
Result<RepeatMetrics> parse_repeat(std::string_view text);

// The same for what one observer measured. A share that comes from elsewhere may hold anything:
// what parse_share gives is consistent in itself, and shares that why_not_shares() passes can be
// merged.
std::string serialise_share(const MeasuredShare& share);
Result<MeasuredShare> parse_share(std::string_view text);

// A JSON object whose nesting follows the dots of the paths, for results.json: use with
// repeat_leaves() for repeats[].metrics and aggregate() for points[].metrics. One line when
// indent < 0.
std::string leaves_json(const Leaves& leaves, int indent = -1);

}  // namespace latchlab
