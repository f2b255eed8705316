#include "core/measure/expectations.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/measure/statistics.h"

namespace latchlab {
namespace {

using Real = std::optional<double>;

constexpr double kBoundless = std::numeric_limits<double>::infinity();

// A verb that a lock never used has no entry: it counts as 0.
Real leaf_number(const Leaves& leaves, const std::string& path) {
  const bool is_detail = path.starts_with("verbs_per_cycle_detail.");
  return is_detail && find_leaf(leaves, path) == nullptr ? Real(0.0) : number_at(leaves, path);
}

Real metric_of(const Expectation& entry, const Leaves& leaves) {
  double sum = 0;
  for (const std::string& metric : entry.metrics) {
    const Real number = leaf_number(leaves, metric);
    if (!number) return std::nullopt;
    sum += *number;
  }
  return sum * entry.factor;
}

Real divided(Real above, Real below) {
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

double absolute(double x) {
  return x < 0 ? -x : x;
}

class Scorer {
 public:
  Scorer(const Expectation& entry, const std::vector<PointNumbers>& points)
      : entry_(entry), points_(points) {}

  Scored scored() const {
    Scored result = entry_.kind == ExpectKind::order ? order() : figure();
    if (!entry_.disputed.empty()) result.verdict = FigureVerdict::disputed;
    return result;
  }

 private:
  const PointNumbers& at(std::size_t point) const {
    LATCHLAB_CHECK(point < points_.size(), "an expectation of a point that is not there");
    return points_[point];
  }

  Real predicted(const Leaves& above, const Leaves* below) const {
    const Real number = metric_of(entry_, above);
    return below ? divided(number, metric_of(entry_, *below)) : number;
  }

  Scored figure() const {
    const PointNumbers& above = at(entry_.groups.front().front());
    const PointNumbers* below =
        entry_.kind == ExpectKind::ratio ? &at(entry_.groups.back().front()) : nullptr;
    Scored result;
    result.predicted = predicted(above.point, below ? &below->point : nullptr);
    std::vector<double> each;
    for (std::size_t r = 0; r < above.repeats.size(); ++r) {
      if (below && r >= below->repeats.size()) break;  // pairs have equal seeds
      if (const Real one = predicted(above.repeats[r], below ? &below->repeats[r] : nullptr))
        each.push_back(*one);
    }
    const std::size_t pairs =
        std::min(above.repeats.size(), below ? below->repeats.size() : above.repeats.size());
    if (each.size() == pairs) result.ci95 = half_width_95(each);
    if (!result.predicted) return result;
    const double miss = absolute(*result.predicted - entry_.published);
    const double allowed = std::max(entry_.tolerance * entry_.published, entry_.absolute);
    result.verdict = miss <= allowed ? FigureVerdict::ok : FigureVerdict::off;
    result.ratio = divided(result.predicted, entry_.published);
    if (result.ratio) result.log2_error = log2_of(*result.ratio);
    return result;
  }

  Difference difference(std::size_t better, std::size_t worse) const {
    Difference result{better, worse, {}, {}};
    std::vector<double> a = numbers(at(better)), b = numbers(at(worse));
    if (!entry_.highest_is_best) std::swap(a, b);
    if (a.empty() || b.empty()) return result;
    result.mean = *mean(a) - *mean(b);
    if (a.size() != b.size()) {  // each point has as many repeats as its precision took
      result.ci95 = half_width_95(a, b);
      return result;
    }
    std::vector<double> each;
    for (std::size_t r = 0; r < a.size(); ++r) each.push_back(a[r] - b[r]);
    result.ci95 = half_width_95(each);
    return result;
  }

  // Of all repeats; empty if one of them lacks it.
  std::vector<double> numbers(const PointNumbers& point) const {
    std::vector<double> all;
    for (const Leaves& repeat : point.repeats) {
      const Real number = metric_of(entry_, repeat);
      if (!number) return {};
      all.push_back(*number);
    }
    return all;
  }

  Scored order() const {
    Scored result;
    for (std::size_t g = 0; g + 1 < entry_.groups.size(); ++g)
      for (const std::size_t better : entry_.groups[g])
        for (const std::size_t worse : entry_.groups[g + 1])
          result.differences.push_back(difference(better, worse));
    bool all_hold = true;
    for (const Difference& each : result.differences) {
      const bool decided = each.mean && each.ci95 && absolute(*each.mean) > *each.ci95;
      if (decided && *each.mean < 0) {
        result.verdict = FigureVerdict::off;
        return result;
      }
      all_hold = all_hold && decided;
    }
    result.verdict = all_hold ? FigureVerdict::ok : FigureVerdict::undecided;
    return result;
  }

  const Expectation& entry_;
  const std::vector<PointNumbers>& points_;
};

Real median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double upper = values[values.size() / 2];
  const double lower = values[(values.size() - 1) / 2];
  if (upper == kBoundless) return std::nullopt;
  return (lower + upper) / 2;
}

void count(Score& score, FigureVerdict verdict) {
  switch (verdict) {
    case FigureVerdict::ok:
      ++score.ok;
      break;
    case FigureVerdict::off:
      ++score.off;
      break;
    case FigureVerdict::undecided:
      ++score.undecided;
      break;
    case FigureVerdict::disputed:
      ++score.disputed;
      return;
  }
  ++score.cells;
}

Real error_size(const Scored& scored) {
  if (scored.verdict == FigureVerdict::disputed || !scored.predicted) return std::nullopt;
  if (scored.log2_error) return absolute(*scored.log2_error);
  return scored.verdict == FigureVerdict::ok ? 0 : kBoundless;
}

}  // namespace

const char* name_of(FigureVerdict verdict) {
  static const char* const names[] = {"ok", "off", "undecided", "disputed"};
  return names[static_cast<std::size_t>(verdict)];
}

std::vector<Scored> score(const std::vector<Expectation>& expectations,
                          const std::vector<PointNumbers>& points) {
  std::vector<Scored> all;
  for (const Expectation& entry : expectations) all.push_back(Scorer(entry, points).scored());
  return all;
}

std::vector<Score> sum_up(const std::vector<Expectation>& expectations,
                          const std::vector<Scored>& scored) {
  std::vector<Score> scores;
  std::vector<std::vector<double>> errors;
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Expectation& entry = expectations[i];
    const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& each) {
      return each.profile == entry.profile && each.use == entry.use;
    });
    const auto at = static_cast<std::size_t>(found - scores.begin());
    if (found == scores.end()) {
      scores.emplace_back();
      scores.back().profile = entry.profile;
      scores.back().use = entry.use;
      errors.emplace_back();
    }
    count(scores[at], scored[i].verdict);
    if (const Real size = error_size(scored[i])) errors[at].push_back(*size);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i].within = ratio(scores[i].ok, scores[i].cells);
    scores[i].median_abs_log2 = median(std::move(errors[i]));
  }
  return scores;
}

bool is_missed(const Expectation& expectation, const Scored& scored, bool strict) {
  return scored.verdict == FigureVerdict::off &&
         (strict || expectation.use == ExpectUse::calibration ||
          expectation.use == ExpectUse::regression);
}

}  // namespace latchlab
