#pragma once
// The meaning of each metric as text: for `latchlab explain`, for reports, for readers of
// results.json. One entry for each row of metric_table(), in its order. Texts for parts of a
// metric (percentiles, phases, verbs) are composed on demand.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latchlab {

struct MetricDoc {
  std::string path;        // as in results.json: "acquire_ns", or a part: "acquire_ns.p99"
  std::string unit;        // "ns", "1/s", "share" (0 to 1), "1" (a plain number), "text" ...
  std::string short_name;  // for axes and columns: "acquire p99"
  std::string says;        // what it is and how it is computed, in sentences
  std::string good = {};   // which values are good or bad, and why; empty: neither
};

const std::vector<MetricDoc>& metric_docs();

// For a metric or a part of one; none if there is no metric of this name.
std::optional<MetricDoc> metric_doc(std::string_view path);

// The phases of an operation as in phases_ns; `path` is the phase's name.
const std::vector<MetricDoc>& phase_docs();

}  // namespace latchlab
