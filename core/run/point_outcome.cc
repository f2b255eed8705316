// Aggregates the repeats of a point, decides whether it needs another one, and finds points that
// are the same run.

#include <algorithm>
#include <map>
#include <utility>

#include "core/measure/statistics.h"
#include "core/run/study.h"
#include "core/scenario/advice.h"
#include "core/scenario/quantities.h"
#include "core/scenario/resolve.h"

namespace latchlab {

namespace {

constexpr std::size_t kFewestForInterval = 3;

bool has_foreign_axis(const Point& point) {
  return std::any_of(point.axes.begin(), point.axes.end(),
                     [&](const auto& axis) { return lacks_parameter(point, axis.first); });
}

bool is_imprecise(const Point& point, const PointOutcome& outcome) {
  const RunSpec& run = point.run;
  if (run.precision_ppb == 0 || !outcome.sound()) return false;
  if (outcome.repeats.size() < kFewestForInterval) return true;
  const std::vector<double> values = values_of(outcome, run.precision_of);
  const double centre = mean(values).value_or(0);
  const double share = static_cast<double>(run.precision_ppb) / kWholePpb;
  const auto half = half_width_95(values);
  return half && *half > share * (centre < 0 ? -centre : centre);
}

}  // namespace

bool PointOutcome::complete() const {
  return std::all_of(repeats.begin(), repeats.end(), [](const auto& r) { return r.has_value(); });
}

std::size_t PointOutcome::made() const {
  return static_cast<std::size_t>(
      std::count_if(repeats.begin(), repeats.end(), [](const auto& r) { return r.has_value(); }));
}

RepeatStatus PointOutcome::status() const {
  RepeatStatus worst = RepeatStatus::ok;
  for (const auto& repeat : repeats)
    if (repeat) worst = std::max(worst, repeat->status);
  return worst;
}

bool PointOutcome::sound() const {
  return complete() && status() <= RepeatStatus::starved;
}

std::string PointOutcome::message() const {
  for (const auto& repeat : repeats)
    if (repeat && repeat->status == status()) return repeat->message;
  return {};
}

const std::string* why_known(const Point& point, const PointOutcome& outcome) {
  for (const KnownVerdict& known : point.known)
    if (outcome.complete() && known.verdict == name_of(outcome.status())) return &known.why;
  return nullptr;
}

Leaves PointOutcome::metrics() const {
  std::vector<RepeatMetrics> all;
  for (const auto& repeat : repeats)
    if (repeat && has_run(repeat->status)) all.push_back(repeat->metrics);
  return all.empty() ? Leaves{} : aggregate(std::move(all));
}

std::vector<double> values_of(const PointOutcome& point, const std::string& metric) {
  std::vector<double> values;
  for (const auto& repeat : point.repeats) {
    if (!repeat || !has_run(repeat->status)) continue;
    const Leaves leaves = repeat_leaves(repeat->metrics);
    if (const auto value = number_at(leaves, metric)) values.push_back(*value);
  }
  return values;
}

bool wants_another(const Point& point, const PointOutcome& outcome) {
  return is_imprecise(point, outcome) && (outcome.repeats.size() < kFewestForInterval ||
                                          outcome.repeats.size() < point.run.most_repeats);
}

bool misses_precision(const Point& point, const PointOutcome& outcome) {
  return is_imprecise(point, outcome) && !wants_another(point, outcome);
}

std::vector<std::size_t> same_runs(const Scenario& scenario) {
  std::vector<std::size_t> first(scenario.points.size());
  std::map<std::string, std::size_t> seen;
  for (std::size_t p = 0; p < first.size(); ++p) {
    const Point& point = scenario.points[p];
    first[p] = has_foreign_axis(point)
                   ? seen.emplace(emit_yaml(write_point(point, "")), p).first->second
                   : p;
  }
  return first;
}

}  // namespace latchlab
