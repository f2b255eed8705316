#include "core/conclude/comparison.h"

#include <algorithm>
#include <span>

#include "core/measure/statistics.h"

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

}  // namespace

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
  made.few = !half;
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
