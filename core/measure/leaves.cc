#include "core/measure/leaves.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "core/measure/statistics.h"

namespace latchlab {
namespace {

using Real = RepeatMetrics::Real;
using Count = RepeatMetrics::Count;

constexpr std::pair<const char*, std::int64_t> kPercentilesPpm[] = {
    {"p50", 500'000}, {"p90", 900'000}, {"p99", 990'000}, {"p999", 999'000}};

LeafValue real_value(Real value) {
  constexpr double kMax = std::numeric_limits<double>::max();
  if (!value || !(*value >= -kMax && *value <= kMax)) return std::monostate{};
  return *value;
}

LeafValue duration_value(std::optional<Duration> value) {
  return real_value(value ? Real(value->nanoseconds()) : std::nullopt);
}

class LeafWriter {
 public:
  void operator()(const std::string& path, const Real& value, Aggregation aggregation) {
    add(path, real_value(value), aggregation);
  }
  void operator()(const std::string& path, const Count& value, Aggregation aggregation) {
    add(path, value ? LeafValue(*value) : LeafValue(), aggregation);
  }
  void operator()(const std::string& path, const std::string& value, Aggregation aggregation) {
    add(path, value.empty() ? LeafValue() : LeafValue(value), aggregation);
  }
  void operator()(const std::string& path, const Histogram& values, Aggregation aggregation) {
    add(path + ".count", values.count(), Aggregation::sum);
    add(path + ".mean", real_value(values.mean_ns()), aggregation);
    add(path + ".min", duration_value(values.min()), Aggregation::least);
    for (const auto& [name, ppm] : kPercentilesPpm)
      add(path + "." + name, duration_value(values.percentile(ppm)), aggregation);
    add(path + ".max", duration_value(values.max()), Aggregation::greatest);
  }
  void operator()(const std::string& path, const RepeatMetrics::Table& entries,
                  Aggregation aggregation) {
    if (entries.empty()) add(path, std::monostate{}, aggregation);
    for (const auto& [name, value] : entries)
      add(path + "." + name, real_value(value), aggregation);
  }
  template <class T>
  void operator()(const std::string& path, const std::optional<T>& asked, Aggregation aggregation) {
    if (asked) (*this)(path, *asked, aggregation);
  }
  void operator()(const std::string& path, const RepeatMetrics::Groups& groups,
                  Aggregation aggregation) {
    if (!groups.values.empty()) (*this)(path, groups.values, aggregation);
  }
  void operator()(const std::string& path, const RepeatMetrics::GroupTimes& times,
                  Aggregation aggregation) {
    for (const auto& [name, values] : times.by_group)
      (*this)(path + "." + name, values, aggregation);
  }
  void operator()(const std::string& path, const RepeatMetrics::Sequence& values,
                  Aggregation aggregation) {
    if (!values.empty()) add(path, values, aggregation);
  }
  // In the order of ShiftLock's Table 2; `other` comes last.
  void operator()(const std::string& path, const std::optional<PhaseTotals>& totals,
                  Aggregation aggregation) {
    for (std::size_t i = 1; i <= kPhases; ++i) {
      const std::size_t phase = i % kPhases;
      Real mean_ns = totals ? ratio(totals->sum_ps[phase], totals->operations) : std::nullopt;
      if (mean_ns) *mean_ns /= 1e3;
      add(path + "." + std::string(kPhaseNames[phase]), real_value(mean_ns), aggregation);
    }
  }
  void operator()(const std::string& path, const WindowLaw& law, Aggregation aggregation) {
    visit_law(law, [&](const char* name, std::uint64_t value) {
      add(path + "." + name, value, aggregation);
    });
  }

  Leaves take() { return std::move(leaves_); }

 private:
  void add(std::string path, LeafValue value, Aggregation aggregation) {
    leaves_.push_back({std::move(path), std::move(value), aggregation});
  }

  Leaves leaves_;
};

// Merges a field of one more repeat into that of the point: histograms are merged, and a field that
// is optional is present if any repeat has it.
template <class T>
void take(T& /*into*/, const T& /*from*/) {}
void take(Histogram& into, const Histogram& from) {
  into.merge(from);
}
void take(RepeatMetrics::Table& into, const RepeatMetrics::Table& from) {
  into.insert(from.begin(), from.end());
}
void take(RepeatMetrics::Groups& into, const RepeatMetrics::Groups& from) {
  take(into.values, from.values);
}
void take(RepeatMetrics::GroupTimes& into, const RepeatMetrics::GroupTimes& from) {
  for (const auto& [name, times] : from.by_group) into.by_group[name].merge(times);
}
void take(RepeatMetrics::Sequence& into, const RepeatMetrics::Sequence& from) {
  if (into.empty()) into = from;
}
template <class T>
void take(std::optional<T>& into, const std::optional<T>& from) {
  if (!from) return;
  if (!into) into.emplace();
  take(*into, *from);
}

// A path names the same field in every repeat.
RepeatMetrics merged(const std::vector<RepeatMetrics>& repeats) {
  RepeatMetrics all;
  for (const RepeatMetrics& repeat : repeats) {
    std::map<std::string_view, const void*> fields;
    visit_metrics(repeat, [&](const std::string& path, const auto& field, Aggregation) {
      fields[path] = &field;
    });
    visit_metrics(all, [&](const std::string& path, auto& field, Aggregation) {
      take(field, *static_cast<const std::decay_t<decltype(field)>*>(fields.at(path)));
    });
  }
  return all;
}

// A verb that only some repeats used counts as 0 in the others.
void complete_tables(std::vector<RepeatMetrics>& repeats) {
  std::map<std::string, double> zeros;
  for (const RepeatMetrics& repeat : repeats)
    for (const auto& [name, value] : repeat.verbs_per_cycle_detail) zeros.emplace(name, 0.0);
  for (RepeatMetrics& repeat : repeats)
    repeat.verbs_per_cycle_detail.insert(zeros.begin(), zeros.end());
}

using Values = std::vector<LeafValue>;

LeafValue with_interval(Real value, const std::vector<double>& numbers) {
  if (!value) return std::monostate{};
  return MeanCi{*value, half_width_95(numbers)};
}

LeafValue sum_of(const Values& values) {
  LeafValue sum;
  for (const LeafValue& value : values) {
    if (const auto* count = std::get_if<std::uint64_t>(&value))
      sum = *count + (std::holds_alternative<std::uint64_t>(sum) ? std::get<std::uint64_t>(sum)
                                                                 : std::uint64_t{0});
    if (const auto* real = std::get_if<double>(&value))
      sum = *real + (std::holds_alternative<double>(sum) ? std::get<double>(sum) : 0.0);
  }
  return sum;
}

// Numbers of one leaf are all counts or all doubles; doubles of equal value are printed the same.
LeafValue extreme_of(const Values& values, bool greatest) {
  LeafValue best;
  for (const LeafValue& value : values) {
    const std::optional<double> number = number_of(value);
    if (!number) continue;
    const std::optional<double> so_far = number_of(best);
    if (!so_far || (greatest ? *number > *so_far : *number < *so_far)) best = value;
  }
  return best;
}

LeafValue combined_text(const Values& values) {
  if (values.size() == 1) return values.front();
  std::uint64_t hash = values.size();
  for (const LeafValue& value : values) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return std::monostate{};
    for (const char c : *text) hash = hash_of(hash, static_cast<unsigned char>(c));
    hash = hash_of(hash, text->size());
  }
  return fmt::format("{:016x}", hash);
}

LeafValue aggregated(const Leaf& merged, const Values& values) {
  std::vector<double> numbers;
  for (const LeafValue& value : values)
    if (const std::optional<double> number = number_of(value)) numbers.push_back(*number);
  switch (merged.aggregation) {
    case Aggregation::mean:
      return with_interval(mean(numbers), numbers);
    case Aggregation::pooled:
      return with_interval(number_of(merged.value), numbers);
    case Aggregation::sum:
      return sum_of(values);
    case Aggregation::greatest:
      return extreme_of(values, true);
    case Aggregation::least:
      return extreme_of(values, false);
    case Aggregation::combined:
      return combined_text(values);
    case Aggregation::dropped:
      break;
  }
  return std::monostate{};
}

// Lists have most leaves in common, at equal indices.
LeafValue value_in(const Leaves& leaves, std::size_t place, std::string_view path) {
  if (place < leaves.size() && leaves[place].path == path) return leaves[place].value;
  const LeafValue* const value = find_leaf(leaves, path);
  return value != nullptr ? *value : LeafValue();
}

}  // namespace

Leaves repeat_leaves(const RepeatMetrics& metrics) {
  LeafWriter writer;
  visit_metrics(metrics, writer);
  return writer.take();
}

Leaves aggregate(std::vector<RepeatMetrics> repeats) {
  LATCHLAB_CHECK(!repeats.empty(), "a point without a repeat");
  complete_tables(repeats);
  const Leaves all = repeat_leaves(merged(repeats));
  std::vector<Leaves> each;
  for (const RepeatMetrics& repeat : repeats) each.push_back(repeat_leaves(repeat));
  Leaves point;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].aggregation == Aggregation::dropped) continue;
    Values values;
    for (const Leaves& leaves : each) values.push_back(value_in(leaves, i, all[i].path));
    point.push_back({all[i].path, aggregated(all[i], values), all[i].aggregation});
  }
  return point;
}

const LeafValue* find_leaf(const Leaves& leaves, std::string_view path) {
  for (const Leaf& leaf : leaves)
    if (leaf.path == path) return &leaf.value;
  return nullptr;
}

std::optional<double> number_of(const LeafValue& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* interval = std::get_if<MeanCi>(&value)) return interval->mean;
  return std::nullopt;
}

std::optional<double> number_at(const Leaves& leaves, std::string_view path) {
  const LeafValue* const leaf = find_leaf(leaves, path);
  return leaf != nullptr ? number_of(*leaf) : std::nullopt;
}

}  // namespace latchlab
