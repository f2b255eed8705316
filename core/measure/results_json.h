#pragma once
// Metrics as JSON text. Numbers print as the shortest text that reads back as the same bits, keys
// in a fixed order, what was not measured as null: equal metrics give equal bytes.

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/measure/leaves.h"
#include "core/measure/metrics.h"
#include "core/measure/part.h"

namespace latchlab {

// Everything, histograms cell by cell, on one line: from the process that ran a repeat to the one
// that collects. parse_repeat(serialise_repeat(m)) equals m, except that a number which is not
// finite comes back as not measured.
std::string serialise_repeat(const RepeatMetrics& metrics);
Result<RepeatMetrics> parse_repeat(std::string_view text);

// The same for what one observer measured. A part that comes from elsewhere may hold anything: what
// parse_part gives is consistent in itself, and parts that why_not_parts() passes can be merged.
std::string serialise_part(const MeasuredPart& part);
Result<MeasuredPart> parse_part(std::string_view text);

// A JSON object whose nesting follows the dots of the paths, for results.json: use with
// repeat_leaves() for repeats[].metrics and aggregate() for points[].metrics. One line when
// indent < 0.
std::string leaves_json(const Leaves& leaves, int indent = -1);

}  // namespace latchlab
