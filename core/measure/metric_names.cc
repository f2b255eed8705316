#include "core/measure/metric_names.h"

#include <algorithm>

#include "core/measure/leaves.h"

namespace latchlab {
namespace {

// Their entries are named by verbs and groups.
constexpr const char* kTables[] = {"verbs_per_cycle_detail.", "group_goodput_ops_s.",
                                   "group_cycle_ns.", "group_verbs_per_cycle."};

RepeatMetrics all_that_can_be_requested() {
  RepeatMetrics metrics;
  visit_metrics(metrics, [](const std::string& /*path*/, auto& field, Aggregation /*aggregation*/) {
    if constexpr (kOnRequest<std::decay_t<decltype(field)>>) field.emplace();
  });
  return metrics;
}

}  // namespace

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Leaf& leaf : repeat_leaves(all_that_can_be_requested())) {
      const bool table = std::any_of(std::begin(kTables), std::end(kTables),
                                     [&](const char* each) { return leaf.path + "." == each; });
      if (leaf.aggregation != Aggregation::dropped && leaf.aggregation != Aggregation::combined &&
          !table)
        all.push_back(leaf.path);
    }
    return all;
  }();
  return names;
}

bool is_metric(const std::string& path) {
  for (const std::string table : kTables)
    if (path.size() > table.size() && path.starts_with(table)) return true;
  return std::find(metric_names().begin(), metric_names().end(), path) != metric_names().end();
}

std::vector<std::string> parts_of_metric(const std::string& path) {
  std::vector<std::string> parts;
  for (const std::string& name : metric_names())
    if (name.starts_with(path + ".")) parts.push_back(name);
  return parts;
}

std::span<const MetricColumn> metric_columns() {
  static constexpr MetricColumn columns[] = {
      {"goodput", "goodput_ops_s"},
      {"mean", "acquire_ns.mean"},
      {"p50", "acquire_ns.p50"},
      {"p99", "acquire_ns.p99"},
      {"p99.9", "acquire_ns.p999"},
      {"max", "acquire_ns.max"},
      {"release p50", "release_ns.p50"},
      {"reads", "verbs_per_cycle.read"},
      {"writes", "verbs_per_cycle.write"},
      {"atomics", "verbs_per_cycle.atomic"},
      {"sends", "verbs_per_cycle.send"},
      {"calls", "verbs_per_cycle.call"},
      {"retries", "retry_share"},
      {"nic busy", "server_nic.utilisation.pipeline"},
      {"hottest slot", "server_nic.utilisation.hottest_slot"},
      {"jain", "fairness.jain"},
      {"bypassed", "fairness.max_bypassed"},
      {"steady", "stationary"},
      {"violations", "safety.violations"},
      {"expired holds", "safety.expired_holds"},
      {"late effects", "safety.late_effects"},
      {"recoveries", "recoveries"},
      {"given up", "aborted_acquisitions"},
      {"cut", "cut_sections"},
  };
  return columns;
}

}  // namespace latchlab
