#include "core/measure/metric_docs.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/measure/metrics.h"

namespace latchlab {
namespace {

struct Part {
  const char* name;
  const char* says;
};
constexpr Part kHistogramParts[] = {
    {"count", "Number of samples."},
    {"mean", "Mean."},
    {"min", "Minimum."},
    {"p50", "50 of 100 took at most this long (median)."},
    {"p90", "90 of 100 took at most this long."},
    {"p99", "99 of 100 took at most this long."},
    {"p999", "999 of 1000 took at most this long."},
    {"max", "Maximum."},
};
constexpr Part kLawParts[] = {
    {"clients", "Number of clients."},
    {"duration_ps", "Length of the window."},
    {"counted_cycles", "Cycles that ended inside the window."},
    {"counted_lengths_ps", "Sum of the full lengths of these cycles."},
    {"ages_at_start_ps", "Sum of the ages of the cycles that were open when the window began."},
    {"ages_at_end_ps", "Sum of the ages of the cycles that were open when the window ended."},
    {"idle_ps", "Time inside the window in which a client had no open cycle, summed over clients."},
};

MetricDoc part_of(const MetricDoc& whole, const std::string& name, const std::string& says) {
  MetricDoc part = whole;
  part.path += "." + name;
  part.short_name += " " + name;
  part.says = says + " " + whole.says;
  return part;
}

template <std::size_t n>
std::optional<MetricDoc> among(const Part (&parts)[n], const MetricDoc& whole,
                               const std::string& name) {
  for (const Part& part : parts)
    if (name == part.name) return part_of(whole, name, part.says);
  return std::nullopt;
}

// Finds the parts of the field of a metric.
class PartFinder {
 public:
  PartFinder(const MetricDoc& whole, std::string name) : whole_(whole), name_(std::move(name)) {}

  template <class Field>
  void operator()(const std::string& path, const Field& /*field*/, Aggregation /*aggregation*/) {
    if (whole_.path != path) return;
    using Type = std::decay_t<Field>;
    if constexpr (std::is_same_v<Type, Histogram> ||
                  std::is_same_v<Type, std::optional<Histogram>>) {
      found = among(kHistogramParts, whole_, name_);
      if (found && name_ == "count") found->unit = "1";
    } else if constexpr (std::is_same_v<Type, std::optional<PhaseTotals>>) {
      for (const MetricDoc& phase : phase_docs())
        if (phase.path == name_)
          found = part_of(whole_, name_, name_ + ", " + phase.short_name + ": " + phase.says);
    } else if constexpr (std::is_same_v<Type, WindowLaw>) {
      found = among(kLawParts, whole_, name_);
      if (found && !name_.ends_with("_ps")) found->unit = "1";
    } else if constexpr (std::is_same_v<Type, RepeatMetrics::Table>) {
      if (!name_.empty()) found = part_of(whole_, name_, "Of this verb and width.");
    } else if constexpr (std::is_same_v<Type, RepeatMetrics::Groups>) {
      if (!name_.empty()) found = part_of(whole_, name_, "Of this group.");
    } else if constexpr (std::is_same_v<Type, RepeatMetrics::GroupTimes>) {
      const std::string part = name_.substr(name_.rfind('.') + 1);
      found = among(kHistogramParts, whole_, part);
      if (!found) return;
      found->path = whole_.path + "." + name_;
      if (part == "count") found->unit = "1";
    }
  }

  std::optional<MetricDoc> found;

 private:
  const MetricDoc& whole_;
  std::string name_;
};

}  // namespace

const std::vector<MetricDoc>& metric_docs() {
  static const std::vector<MetricDoc> docs = [] {
    std::vector<MetricDoc> all;
    for (const Metric& metric : metric_table())
      all.push_back({metric.path, metric.unit, metric.short_name, metric.says, metric.good});
    return all;
  }();
  return docs;
}

std::optional<MetricDoc> metric_doc(std::string_view path) {
  for (const MetricDoc& doc : metric_docs()) {
    if (doc.path == path) return doc;
    if (!path.starts_with(doc.path + ".")) continue;
    PartFinder finder(doc, std::string(path.substr(doc.path.size() + 1)));
    const RepeatMetrics metrics;
    visit_metrics(metrics, finder);
    return finder.found;
  }
  return std::nullopt;
}

const std::vector<MetricDoc>& phase_docs() {
  static const std::vector<MetricDoc> docs = {
      {"IA", "ns", "initial atomic",
       "The first atomic of an acquisition, or the atomic of a release."},
      {"RT", "ns", "retries", "Retries after the first atomic, including backoff.",
       "Grows with contention in spinlocks; queue locks have almost none."},
      {"NP", "ns", "notify predecessor",
       "Sending the message that announces the waiting client to its predecessor."},
      {"WP", "ns", "wait for predecessor", "Waiting for the predecessor to hand the lock over.",
       "Under contention this is the wait in the queue, which does not load the server's RNIC."},
      {"WR", "ns", "wait for readers", "A writer waiting for earlier readers to release."},
      {"WW", "ns", "wait for writers", "A reader waiting for writers to release."},
      {"NS", "ns", "notify successor",
       "A releasing client waiting for its successor to announce itself, and notifying it."},
      {"other", "ns", "other", "Time that belongs to no other phase."},
  };
  return docs;
}

}  // namespace latchlab
