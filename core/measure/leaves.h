#pragma once
// Metrics as a flat list of named values, the common input of tables, CSV, expectations and JSON. A
// name is a dotted path: "goodput_ops_s", "acquire_ns.p99", "phases_ns.read.WP".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/measure/metrics.h"

namespace latchlab {

struct MeanCi {
  double mean = 0;
  std::optional<double> ci95;  // half-width; none below three repeats
  bool operator==(const MeanCi&) const = default;
};

// monostate: not measured. Doubles are always finite.
using LeafValue = std::variant<std::monostate, std::uint64_t, double, MeanCi, std::string,
                               RepeatMetrics::Sequence>;

struct Leaf {
  std::string path;
  LeafValue value;
  Aggregation aggregation = Aggregation::mean;
};
using Leaves = std::vector<Leaf>;

// Histograms become count, mean, min, p50, p90, p99, p999, max.
Leaves repeat_leaves(const RepeatMetrics& metrics);

// All metrics that any of the point's repeats (at least one) has, in the order of repeat_leaves().
// Counts are sums. Means and percentiles of histograms are those of the merged histograms, with an
// interval from the repeats' own values.
Leaves aggregate(std::vector<RepeatMetrics> repeats);

// Null when there is no leaf of this name.
const LeafValue* find_leaf(const Leaves& leaves, std::string_view path);

// The number in a leaf (the mean, if it has an interval); none for text and for unmeasured values.
std::optional<double> number_of(const LeafValue& value);
// The number in the leaf of this name; none also if there is no such leaf.
std::optional<double> number_at(const Leaves& leaves, std::string_view path);

}  // namespace latchlab
