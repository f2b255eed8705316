#include "core/study/comparison.h"

#include <algorithm>
#include <span>

#include "core/measure/statistics.h"
#include "core/measure/steady.h"

namespace latchlab {
namespace {

std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all;
  for (std::size_t r = 0; r < a.size(); ++r) all.push_back(a[r] - b[r]);
  return all;
}

bool same_seeds(const PointOutcome& a, const PointOutcome& b) {
  return std::equal(a.repeats.begin(), a.repeats.end(), b.repeats.begin(), b.repeats.end(),
                    [](const auto& x, const auto& y) { return x && y && x->seed == y->seed; });
}

// Half-width of the confidence interval of the difference of two means.
std::optional<double> half_width(std::span<const double> a, std::span<const double> b,
                                 bool paired) {
  return paired ? half_width_95(differences(a, b)) : half_width_95(a, b);
}

// How much a batch of one point differs from a batch of the other by chance, at 95%.
std::optional<double> half_width_of_parts(std::span<const double> a, std::span<const double> b) {
  const auto of_a = standard_error(a), of_b = standard_error(b);
  if (!of_a || !of_b) return std::nullopt;
  const double squares =
      *of_a * *of_a * static_cast<double>(a.size()) + *of_b * *of_b * static_cast<double>(b.size());
  return student_t_975(std::min(a.size(), b.size()) - 1) * square_root(squares);
}

// The batches of all repeats, one repeat after the other.
std::vector<double> batches_of(const PointOutcome& point) {
  std::vector<double> all;
  for (const auto& repeat : point.repeats)
    if (repeat && has_run(repeat->status))
      for (const auto& batch : repeat->metrics.window.batches) all.push_back(batch.value_or(0));
  return all;
}

// A single repeat may seem unsettled by chance; then the sums over all repeats do not.
bool settled_together(const PointOutcome& point) {
  std::vector<std::uint64_t> sums(kBatches);
  for (const auto& repeat : point.repeats)
    for (std::size_t i = 0; repeat && i < repeat->metrics.window.batches.size(); ++i)
      sums[i % kBatches] +=
          static_cast<std::uint64_t>(repeat->metrics.window.batches[i].value_or(0));
  return point.repeats.size() > 1 && is_steady(sums);
}

}  // namespace

double share_cut(const Leaves& metrics) {
  const double cycles = number_at(metrics, "cycle_ns.count").value_or(0);
  return cycles > 0 ? number_at(metrics, "cut_sections").value_or(0) / cycles : 0;
}

Doubt doubt_of(const PointOutcome& point) {
  const Doubt other = doubt_beside_emulation(point);
  const bool worse = other == Doubt::nothing_done || other == Doubt::cut;
  return point.emulated.empty() || worse ? other : Doubt::emulated;
}

Doubt doubt_beside_emulation(const PointOutcome& point) {
  const Leaves metrics = point.metrics();
  if (share_cut(metrics) > kMostCut) return Doubt::cut;
  if (number_at(metrics, "goodput_ops_s").value_or(0) <= 0) return Doubt::nothing_done;
  if (number_at(metrics, "open_loop.carried").value_or(1) <= 0) return Doubt::overloaded;
  if (number_at(metrics, "window.settled").value_or(1) <= 0 && !settled_together(point))
    return Doubt::unsettled;
  if (point.status() == RepeatStatus::starved) return Doubt::starved;
  if (number_at(metrics, "client_cpu.utilisation").value_or(0) >= kClientBound ||
      number_at(metrics, "workers.busiest").value_or(0) >= kWorkerBound)
    return Doubt::client_bound;
  if (number_at(metrics, "safety.checks").value_or(-1) < 0) return Doubt::unchecked;
  return Doubt::none;
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

std::optional<Comparison> compare(const PointOutcome& a, const PointOutcome& b,
                                  const std::string& metric) {
  const std::vector<double> of_a = values_of(a, metric), of_b = values_of(b, metric);
  if (of_a.empty() || of_b.empty()) return std::nullopt;
  Comparison made;
  made.a = *mean(of_a);
  made.b = *mean(of_b);
  made.paired = of_a.size() == of_b.size() && of_a.size() == a.repeats.size() && same_seeds(a, b);
  if (made.b == 0) {
    made.ahead = made.a > 0 ? 1 : 0;
    return made;
  }
  made.ratio = made.a / made.b;
  auto half = half_width(of_a, of_b, made.paired);
  // The lead must exceed this.
  auto chance = half;
  if (!half && metric == kGoodput) {
    const std::vector<double> parts_a = batches_of(a), parts_b = batches_of(b);
    half = half_width(parts_a, parts_b, false);
    chance = half_width_of_parts(parts_a, parts_b);
  }
  if (half) {
    made.low = made.ratio - *half / made.b;
    made.high = made.ratio + *half / made.b;
  }
  const double lead = made.a > made.b ? made.a - made.b : made.b - made.a;
  const bool near = made.ratio < kWorthNaming && made.ratio > 1 / kWorthNaming;
  if (!near && chance && lead > *chance) made.ahead = made.ratio > 1 ? 1 : -1;
  return made;
}

}  // namespace latchlab
