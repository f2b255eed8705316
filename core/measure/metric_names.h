#pragma once
// Names of a point's metrics: paths in results.json, and columns of tables.

#include <span>
#include <string>
#include <vector>

namespace latchlab {

// In the order of results.json, including metrics that exist only if a scenario requests them.
const std::vector<std::string>& metric_names();

// True for a name in metric_names(), or one whose last part depends on the run:
// "verbs_per_cycle_detail.cas_8".
bool is_metric(const std::string& path);

// The metrics below a name that is not itself a number: "acquire_ns.p50", ... for "acquire_ns".
std::vector<std::string> parts_of_metric(const std::string& path);

struct MetricColumn {
  const char* name;    // "p99"
  const char* metric;  // "acquire_ns.p99"
};

// The columns of the table of all points, in order.
std::span<const MetricColumn> metric_columns();

}  // namespace latchlab
