#include "core/conclude/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/fingerprint.h"
#include "core/conclude/comparison.h"
#include "core/measure/statistics.h"
#include "core/scenario/quick.h"

namespace latchlab {
namespace {

constexpr std::int64_t kShorter = 4;
constexpr Duration kShortest = milliseconds(1);

using Variant = ConstantBounds;  // the constants that differ from the model

double goodput(const PointOutcome& point) {
  return point.sound() ? mean(values_of(point, kGoodput)).value_or(0) : 0;
}

std::string prints(const PointOutcome& point) {
  std::string all;
  for (const auto& repeat : point.repeats) all += repeat ? repeat->metrics.fingerprint + " " : "-";
  return all;
}

// 1: a has more goodput; -1: b has; 0: undecided.
int ahead_of(const PointOutcome& a, const PointOutcome& b) {
  const auto compared = compare(a, b, kGoodput);
  return compared ? compared->ahead : 0;
}

// At least kShortest, or the original if that is shorter.
Duration divided(Duration window, std::int64_t by) {
  return std::max(window / by, std::min(kShortest, window));
}

void divide_windows(std::vector<Point>& points, std::int64_t by) {
  for (Point& point : points) {
    if (has_dates(point)) continue;
    point.run.duration = divided(point.run.duration, by);
    if (point.run.warmup) point.run.warmup = divided(*point.run.warmup, by);
  }
}

// The smallest divisor from `least` on with which each of the points can run so often.
std::int64_t divisor(const std::vector<Point>& points, double times, double limit,
                     const SensitivityCost& cost, std::int64_t least) {
  double all = 0;
  for (const Point& point : points) all += cost.work(point) * point.run.repeats * times;
  return std::max(least, smallest_divisor(all, limit));
}

std::size_t most_short_runs(const Point& point) {
  const Variant ends = parameter_bounds(point);
  return 1 + 2 * sections_of(ends).size() + ends.size();
}

class Search {
 public:
  Search(const Scenario& scenario, const StudyOutcome& outcome,
         const std::vector<std::size_t>& compared, const SensitivityCost& cost,
         const RunPoints& run)
      : cost_(cost), run_(run) {
    for (const std::size_t i : compared) {
      points_.push_back(scenario.points[i]);
      base_.push_back(outcome.points[i]);
      found_.labels.push_back(scenario.points[i].protocol.label);
    }
    found_.results = results_hash(outcome);
    short_points_ = short_runs(points_, cost);
    for (Point& point : short_points_) point.run.repeats = 1;
  }

  Result<Sensitivity> run() {
    const Variant ends = parameter_bounds(points_.front());
    found_.constants = constants_in(ends);
    auto live = without_inert_sections(ends);
    if (!live) return live.error();
    auto moving = that_move(live.value());
    if (!moving) return moving.error();
    if (const Status compared = compare(std::move(moving).value()); !compared)
      return compared.error();
    return std::move(found_);
  }

 private:
  using Outcomes = std::vector<std::vector<PointOutcome>>;  // by variant, then by point
  // A bound in a section that is live for some points.
  struct LiveBound {
    ConstantBound end;
    std::vector<bool> points;
  };
  // A bound that moves a ratio, and the short runs there.
  struct Moving {
    ConstantBound end;
    std::vector<PointOutcome> there;
  };

  // `live`, if given: for each variant, the points that it changes; others have short_base_.
  Result<Outcomes> run_all(const char* stage, const std::vector<Variant>& variants,
                           const std::vector<Point>& points,
                           const std::vector<LiveBound>* live = nullptr) {
    const auto runs = [live](std::size_t v, std::size_t p) {
      return live == nullptr || (*live)[v].points[p];
    };
    std::vector<Point> all;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      for (std::size_t p = 0; p < points.size(); ++p) {
        if (!runs(v, p)) continue;
        auto made = with_bounds(points[p], variants[v]);
        if (!made) return made.error();
        all.push_back(std::move(made).value());
      }
    }
    Outcomes outcomes(variants.size());
    if (all.empty()) return outcomes;
    auto ran = run_(stage, all);
    if (!ran) return ran.error();
    auto next = ran.value().points.begin();
    for (std::size_t v = 0; v < variants.size(); ++v)
      for (std::size_t p = 0; p < points.size(); ++p)
        outcomes[v].push_back(runs(v, p) ? std::move(*next++) : short_base_[p]);
    return outcomes;
  }

  Result<std::vector<LiveBound>> without_inert_sections(const Variant& ends) {
    const std::vector<NicSection> sections = sections_of(ends);
    std::vector<Variant> variants = {{}};
    for (const NicSection& section : sections) {
      variants.push_back(section.low);
      variants.push_back(section.high);
    }
    auto outcomes = run_all("sections", variants, short_points_);
    if (!outcomes) return outcomes.error();
    short_base_ = outcomes.value().front();
    std::vector<LiveBound> live;
    for (std::size_t s = 0; s < sections.size(); ++s) {
      std::vector<bool> points;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        const std::string base = prints(short_base_[i]);
        points.push_back(prints(outcomes.value()[1 + 2 * s][i]) != base ||
                         prints(outcomes.value()[2 + 2 * s][i]) != base);
      }
      const bool inert = std::find(points.begin(), points.end(), true) == points.end();
      if (inert) found_.inert += constants_in(sections[s].ends);
      if (inert) continue;
      for (const ConstantBound& end : sections[s].ends) live.push_back({end, points});
    }
    return live;
  }

  Result<std::vector<Moving>> that_move(const std::vector<LiveBound>& ends) {
    std::vector<Variant> variants;
    for (const LiveBound& each : ends) variants.push_back({each.end});
    auto outcomes = run_all("constants", variants, short_points_, &ends);
    if (!outcomes) return outcomes.error();
    std::vector<Moving> moving;
    found_.spans.resize(points_.size());
    for (std::size_t e = 0; e < ends.size(); ++e) {
      std::vector<PointOutcome>& there = outcomes.value()[e];
      for (std::size_t i = 0; i < there.size(); ++i)
        if (moves_alone(there[i], short_base_[i]))
          widen(found_.spans[i], there[i].metrics(), short_base_[i].metrics());
      if (moves(there)) moving.push_back({ends[e].end, std::move(there)});
    }
    return moving;
  }

  // True if the lock's own goodput moves, whatever happens to the other locks.
  static bool moves_alone(const PointOutcome& there, const PointOutcome& base) {
    if (goodput(there) <= 0 || goodput(base) <= 0) return false;
    const Comparison moved = *latchlab::compare(there, base, kGoodput);
    const bool sure = !moved.low || *moved.low > 1 || *moved.high < 1;
    return std::max(moved.ratio, 1 / moved.ratio) > kMoves && sure;
  }

  static void widen(Spans& spans, const Leaves& there, const Leaves& base) {
    for (const Leaf& leaf : base) {
      const double from = number_of(leaf.value).value_or(0);
      const double to = number_at(there, leaf.path).value_or(0);
      if (from <= 0 || to <= 0) continue;  // no factor exists
      Span& span = spans[leaf.path];
      span.least = std::min(span.least, to / from);
      span.most = std::max(span.most, to / from);
    }
  }

  // True if a ratio moves by more than kMoves and by more than chance within these runs.
  bool moves(const std::vector<PointOutcome>& there) const {
    std::optional<Comparison> least, most;  // relative to the base model
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (goodput(short_base_[i]) <= 0 || goodput(there[i]) <= 0) return true;
      const Comparison moved = *latchlab::compare(there[i], short_base_[i], kGoodput);
      if (!least || moved.ratio < least->ratio) least = moved;
      if (!most || moved.ratio > most->ratio) most = moved;
    }
    return most->ratio > kMoves * least->ratio &&
           most->low.value_or(most->ratio) > least->high.value_or(least->ratio);
  }

  Status compare(std::vector<Moving> moving) {
    std::vector<Variant> variants;
    for (const Moving& each : moving)
      if (is_open(each.there)) variants.push_back({each.end});
    std::vector<Point> points = points_;
    divide_windows(
        points, divisor(points_, static_cast<double>(variants.size()), cost_.last_runs, cost_, 1));
    auto outcomes = run_all("ends", variants, points);
    if (!outcomes) return outcomes.error();
    auto last = outcomes.value().begin();
    for (const Moving& each : moving) {
      if (is_open(each.there))
        found_.moved.push_back(moved_by(each.end, base_, *last++));
      else
        found_.moved.push_back(moved_by(each.end, short_base_, each.there));
    }
    return fine();
  }

  // True if these short runs do not show beyond doubt that each order of the study holds.
  bool is_open(const std::vector<PointOutcome>& there) const {
    for (std::size_t a = 0; a < there.size(); ++a) {
      if (goodput(there[a]) <= 0 || goodput(short_base_[a]) <= 0) return true;
      for (std::size_t b = a + 1; b < there.size(); ++b)
        if (ahead_of(base_[a], base_[b]) == 1 && ahead_of(there[a], there[b]) != 1) return true;
    }
    return false;
  }

  MovedBy moved_by(const ConstantBound& end, const std::vector<PointOutcome>& base,
                   const std::vector<PointOutcome>& there) const {
    MovedBy moved{end, {}, {}};
    std::optional<ComparedPair> farthest;
    double factor = 1;
    for (std::size_t a = 0; a < there.size(); ++a) {
      if (goodput(there[a]) <= 0 && moved.broken.empty())
        moved.broken = fmt::format("{}: {}", found_.labels[a],
                                   there[a].sound() ? "nothing done" : name_of(there[a].status()));
      for (std::size_t b = a + 1; b < there.size(); ++b) {
        if (goodput(there[a]) <= 0 || goodput(there[b]) <= 0) continue;
        const ComparedPair pair = compared(a, b, base, there);
        if (pair.order != Order::holds) moved.pairs.push_back(pair);
        const double by = pair.ratio_at / pair.ratio;
        if (!farthest || std::max(by, 1 / by) > factor) {
          farthest = pair;
          factor = std::max(by, 1 / by);
        }
      }
    }
    if (farthest && farthest->order == Order::holds) moved.pairs.push_back(*farthest);
    return moved;
  }

  ComparedPair compared(std::size_t a, std::size_t b, const std::vector<PointOutcome>& base,
                        const std::vector<PointOutcome>& there) const {
    ComparedPair pair{a, b, goodput(base[a]) / goodput(base[b]),
                      goodput(there[a]) / goodput(there[b]), Order::holds};
    if (ahead_of(base_[a], base_[b]) != 1) return pair;  // the study itself has no order
    const int ahead = ahead_of(there[a], there[b]);
    if (ahead != 1) pair.order = ahead == 0 ? Order::undecided : Order::flips;
    return pair;
  }

  const SensitivityCost& cost_;
  const RunPoints& run_;
  std::vector<Point> points_, short_points_;
  std::vector<PointOutcome> base_, short_base_;
  Sensitivity found_;
};

}  // namespace

std::string results_hash(const StudyOutcome& outcome) {
  Fingerprint hash;
  for (const PointOutcome& point : outcome.points)
    for (const char c : prints(point)) hash.add(static_cast<unsigned char>(c));
  return hash.text();
}

std::vector<Point> short_runs(std::vector<Point> points, const SensitivityCost& cost) {
  if (points.empty()) return points;
  for (Point& point : points) {
    point.run.repeats = static_cast<std::uint32_t>(most_short_runs(point));
    point.run.precision_ppb = 0;
  }
  divide_windows(points, divisor(points, 1, cost.short_runs, cost, kShorter));
  return points;
}

Result<Sensitivity> find_sensitivity(const Scenario& scenario, const StudyOutcome& outcome,
                                     const std::vector<std::size_t>& compared,
                                     const SensitivityCost& cost, const RunPoints& run) {
  return Search(scenario, outcome, compared, cost, run).run();
}

}  // namespace latchlab
