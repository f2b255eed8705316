#pragma once
// Metrics as JSON text. Numbers are printed as the shortest text that reads back as the same bits,
// keys in a fixed order, unmeasured values as null: equal metrics give byte-identical text.

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/measure/leaves.h"
#include "core/measure/metrics.h"
#include "core/measure/partial_metrics.h"

namespace latchlab {

// All metrics, histograms cell by cell, on one line: sent from the process that ran a repeat to the
// one that collects. parse_repeat(serialise_repeat(m)) equals m, except that a number which is not
// finite is read back as not measured. So is a metric that the text lacks: text of an earlier
// version lacks what was added since.
std::string serialise_repeat(const RepeatMetrics& metrics);
Result<RepeatMetrics> parse_repeat(std::string_view text);

// The same for the measurements of one observer. A share from another process may contain anything:
// parse_share returns only shares that are consistent in themselves, and shares that
// why_not_shares() accepts can be merged.
std::string serialise_share(const PartialMetrics& share);
Result<PartialMetrics> parse_share(std::string_view text);

// A JSON object whose nesting follows the dots of the paths, for results.json: use with
// repeat_leaves() for repeats[].metrics and with aggregate() for points[].metrics. One line if
// indent < 0.
std::string leaves_json(const Leaves& leaves, int indent = -1);

}  // namespace latchlab
