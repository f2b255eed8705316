#pragma once
// What the numbers of points are called: by their paths in results.json, and by the columns of
// tables.

#include <span>
#include <string>
#include <vector>

namespace latchlab {

// In the order of results.json; also what is there only if a scenario asks for it.
const std::vector<std::string>& metric_names();

// Of metric_names(), or one whose last part a run decides: "verbs_per_cycle_detail.cas_8".
bool is_metric(const std::string& path);

// The numbers that a name stands for which is no number itself: "acquire_ns.p50", ... of
// "acquire_ns".
std::vector<std::string> parts_of_metric(const std::string& path);

struct MetricColumn {
  const char* name;    // "p99"
  const char* metric;  // "acquire_ns.p99"
};

// Of the table of all points, in order.
std::span<const MetricColumn> metric_columns();

}  // namespace latchlab
