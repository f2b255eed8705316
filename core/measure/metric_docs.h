#pragma once
// What each metric means, in words: for `latchlab explain`, for reports, for whoever reads
// results.json. One entry for each metric of visit_metrics(), in its order; the parts of a metric
// (percentiles, phases, verbs) have texts of their own, which are put together on demand.

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

// Of a metric or of a part of one; nothing when no metric is called so.
std::optional<MetricDoc> metric_doc(std::string_view path);

// The phases of an operation under their names in phases_ns; `path` is the phase's name.
const std::vector<MetricDoc>& phase_docs();

}  // namespace latchlab
