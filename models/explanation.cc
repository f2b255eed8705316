#include "models/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/conclude/comparison.h"
#include "core/measure/statistics.h"
#include "models/calibration.h"
#include "models/explanation_data.h"
#include "models/least_squares.h"

namespace latchlab {
namespace {

constexpr double kGreatest = 10;  // the largest factor; its reciprocal is the smallest
constexpr double kEquallyGoodOfTwo = 5.991465;
constexpr std::size_t kLeastFitted = 3, kMostFitted = 12;
constexpr int kRefinements = 3;
constexpr double kSecant = 0.05;  // ln factor above which a fitted step replaces the first slope
// Of the constants fitted alone, the best so many are refined: up to kRounds rounds of four
// factors each about the best one so far, the farthest at first this far away in ln factor.
constexpr std::size_t kRefined = 3;
constexpr int kRounds = 5;
constexpr double kFarthest = 0.06, kNearest = 0.004;

class Explainer {
 public:
  Explainer(const ExplainRequest& request, const RunPoints& run) : runs_(request, run) {}

  Result<Explanation> explain() {
    if (const Status ready = runs_.prepare(); !ready) return ready.error();
    found_.points = runs_.points();
    found_.numbers = runs_.errors().size();
    found_.chi2 = runs_.chi2(runs_.base());
    if (const Status known = ask_all(); !known) return known.error();
    if (const Status fitted = fit_each(); !fitted) return fitted.error();
    if (found_.within_chance) return std::move(found_);
    if (!found_.alone.empty() && found_.alone.front().all_but_chance) return std::move(found_);
    if (const Status fitted = fit_pair(); !fitted) return fitted.error();
    return std::move(found_);
  }

 private:
  using Constants = std::vector<MovableConstant>;

  // A constant with an effect, and the effect to first order: d ln prediction / d ln constant.
  struct Live {
    MovableConstant constant;
    Vector slope;
    double least = 1 / kGreatest;
  };
  // A constant that was fitted alone.
  struct Alone {
    const Live* live = nullptr;
    FitOutcome outcome;
    Vector rough;  // how far each number's ln strays from its slope; empty: not looked at
  };

  Status ask_all() {
    std::vector<std::pair<std::string, Constants>> sections;
    for (const MovableConstant& each : runs_.movable(&found_.fixed)) {
      const std::string name = each.nic + "/" + each.section;
      if (sections.empty() || sections.back().first != name)
        sections.emplace_back(name, Constants{});
      sections.back().second.push_back(each);
    }
    std::vector<NicFactors> variants;
    for (const auto& [name, constants] : sections) {
      variants.emplace_back();
      for (const MovableConstant& each : constants)
        variants.back().push_back({each.nic, each.key, kExplainStep});
    }
    const auto moved = runs_.once("sections", variants);
    if (!moved) return moved.error();
    Constants live;
    for (std::size_t s = 0; s < sections.size(); ++s)
      for (const MovableConstant& each : sections[s].second) {
        if (runs_.is_same(moved.value()[s]))
          found_.inert.push_back(each.key);
        else
          live.push_back(each);
      }
    return ask_alone(live);
  }

  Status ask_alone(const Constants& constants) {
    Constants weak = constants;
    for (const double times : {kExplainStep, kExplainLeap}) {
      std::vector<NicFactors> variants;
      for (const MovableConstant& each : weak) variants.push_back({{each.nic, each.key, times}});
      const auto moved = runs_.once("constants", variants);
      if (!moved) return moved.error();
      Constants still;
      for (std::size_t c = 0; c < weak.size(); ++c) {
        const StudyOutcome& there = moved.value()[c];
        if (runs_.is_same(there))
          found_.inert.push_back(weak[c].key);
        else if (!runs_.moves(there))
          still.push_back(weak[c]);
        else
          live_.push_back(
              {weak[c], runs_.slope(there, times), runs_.least_factor(weak[c], 1 / kGreatest)});
      }
      weak = std::move(still);
    }
    for (const MovableConstant& each : weak) found_.weak.push_back(each.key);
    return fine();
  }

  // chi^2 of the errors that remain, to first order, after a change of the ln factor by `by`.
  double left_by(const Vector& slope, double by) const {
    double chi2 = 0;
    for (std::size_t i = 0; i < runs_.errors().size(); ++i) {
      const PredictionError& error = runs_.errors()[i];
      const double left = (error.value - slope[i] * by) / error.sigma;
      chi2 += left * left;
    }
    return chi2;
  }

  double first_guess(const Live& live) const {
    double up = 0, down = 0;
    for (std::size_t i = 0; i < runs_.errors().size(); ++i) {
      const PredictionError& error = runs_.errors()[i];
      const double weight = 1 / (error.sigma * error.sigma);
      up += weight * live.slope[i] * error.value;
      down += weight * live.slope[i] * live.slope[i];
    }
    return std::clamp(up / down, std::log(live.least), std::log(kGreatest));
  }

  Status fit_each() {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < live_.size(); ++i)
      order.emplace_back(left_by(live_[i].slope, first_guess(live_[i])), i);
    std::sort(order.begin(), order.end());
    if (order.empty() || found_.chi2 - order.front().first <= kEquallyGood) {
      found_.within_chance = found_.chi2 <= most_by_chance(0);
      return fine();
    }
    // The guess is first-order only: a constant up to twice too bad may still fit as well.
    const double most = order.front().first + 2 * kEquallyGood * scale(order.front().first, 1);
    std::vector<Alone> alone;
    for (std::size_t k = 0; k < std::min(order.size(), kMostFitted); ++k) {
      if (k >= kLeastFitted && order[k].first > most) break;
      const Live& live = live_[order[k].second];
      auto fitted = fit({&live}, {first_guess(live)});
      if (!fitted) return fitted.error();
      if (fitted.value()) alone.push_back({&live, std::move(*fitted.value()), {}});
    }
    std::sort(alone.begin(), alone.end(),
              [](const Alone& a, const Alone& b) { return a.outcome.chi2 < b.outcome.chi2; });
    for (std::size_t k = 0; k < alone.size(); ++k) {
      if (k < kRefined)
        if (const Status refined = refine(alone[k]); !refined) return refined.error();
      found_.alone.push_back(described({alone[k].live}, alone[k].outcome, alone[k].rough));
    }
    keep_the_best();
    return fine();
  }

  // A number may jump between two values from one factor to the next: the median of acquisitions
  // of which half wait, or two clients that fall into step. A fit that meets such a factor stops
  // short of the best one, with a slope that is no slope. So look about, and take each number's
  // slope as the median of those between the factors looked at (Theil-Sen). The interval is wider
  // by what numbers stray from that, and by half the distance of these factors.
  Status refine(Alone& alone) {
    std::map<double, Vector> seen = {{alone.outcome.values[0], alone.outcome.predicted}};
    double far = kFarthest;
    for (int round = 0; round < kRounds && far > kNearest; ++round) {
      const double centre = alone.outcome.values[0];
      if (const Status looked = look_about(alone, far, seen); !looked) return looked;
      if (std::abs(std::log(alone.outcome.values[0] / centre)) < 0.75 * far) far /= 2;
    }
    for (std::size_t i = 0; i < alone.outcome.derivatives.size(); ++i) find_slope(alone, i, seen);
    return fine();
  }

  // Adds to `seen` what is predicted for four factors about the best one, which the best of them
  // replaces. Left out: factors for which a simulation yields no number.
  Status look_about(Alone& alone, double far, std::map<double, Vector>& seen) {
    FitOutcome& best = alone.outcome;
    std::set<double> factors;
    for (const double away : {-far, -far / 2, far / 2, far}) {
      const double factor = std::round(best.values[0] * std::exp(away) * 1000) / 1000;
      const double at = std::clamp(factor, alone.live->least, kGreatest);
      if (seen.count(at) == 0) factors.insert(at);
    }
    std::vector<NicFactors> variants;
    for (const double factor : factors) variants.push_back(factors_of({alone.live}, {factor}));
    const auto predicted = runs_.predictions("fit", variants);
    if (!predicted) return predicted.error();
    auto there = predicted.value().begin();
    for (const double factor : factors) {
      const Vector& numbers = *there++;
      if (!std::all_of(numbers.begin(), numbers.end(), [](double each) { return each > 0; }))
        continue;
      seen[factor] = numbers;
      const double chi2 = runs_.chi2(numbers);
      if (chi2 >= best.chi2) continue;
      best.values = {factor};
      best.predicted = numbers;
      best.chi2 = chi2;
    }
    return fine();
  }

  // The slope of number i, and how far it strays from that.
  static void find_slope(Alone& alone, std::size_t i, const std::map<double, Vector>& seen) {
    FitOutcome& best = alone.outcome;
    Vector slopes, strays;
    for (auto a = seen.begin(); a != seen.end(); ++a)
      for (auto b = std::next(a); b != seen.end(); ++b)
        slopes.push_back(std::log(b->second[i] / a->second[i]) / std::log(b->first / a->first));
    double& slope = best.derivatives[i][0];
    if (!slopes.empty()) slope = median_of(std::move(slopes));
    for (const auto& [factor, there] : seen)
      strays.push_back(std::abs(std::log(there[i] / best.predicted[i]) -
                                slope * std::log(factor / best.values[0])));
    alone.rough.push_back(median_of(std::move(strays)));
  }

  double degrees(std::size_t parameters) const {
    const std::size_t numbers = runs_.errors().size();
    return numbers > parameters ? static_cast<double>(numbers - parameters) : 1.0;
  }
  double most_by_chance(std::size_t parameters) const {
    return degrees(parameters) + 2 * std::sqrt(2 * degrees(parameters));
  }
  double scale(double chi2, std::size_t parameters) const {
    return std::max(1.0, chi2 / degrees(parameters));
  }

  void keep_the_best() {
    auto& all = found_.alone;
    if (all.empty()) return;
    const double least = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                           return a.chi2 < b.chi2;
                         })->chi2;
    const double most = least + kEquallyGood * scale(least, 1);
    std::erase_if(all, [&](const ExplainedBy& each) { return each.chi2 > most; });
    std::sort(all.begin(), all.end(), [](const ExplainedBy& a, const ExplainedBy& b) {
      return std::abs(std::log(a.by[0].factor)) < std::abs(std::log(b.by[0].factor));
    });
    if (found_.chi2 - least <= kEquallyGood * scale(least, 1)) {
      found_.within_chance = found_.chi2 <= most_by_chance(0);
      all.clear();
    }
  }

  Status fit_pair() {
    double least = found_.chi2;
    std::vector<const Live*> best;
    Vector at;
    for (std::size_t i = 0; i < live_.size(); ++i)
      for (std::size_t j = i + 1; j < live_.size(); ++j) {
        const auto guess = guess_pair(live_[i], live_[j]);
        if (!guess || guess->first >= least) continue;
        least = guess->first;
        best = {&live_[i], &live_[j]};
        at = guess->second;
      }
    if (best.empty()) return fine();
    auto fitted = fit(best, at);
    if (!fitted) return fitted.error();
    if (!fitted.value()) return fine();
    const double before = found_.alone.empty() ? found_.chi2 : found_.alone.front().chi2;
    if (before - fitted.value()->chi2 > kEquallyGoodOfTwo * scale(fitted.value()->chi2, 2))
      found_.together = described(best, *fitted.value());
    return fine();
  }

  // What both leave to first order, and their ln factors.
  std::optional<std::pair<double, Vector>> guess_pair(const Live& a, const Live& b) const {
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
    for (std::size_t i = 0; i < runs_.errors().size(); ++i) {
      const PredictionError& error = runs_.errors()[i];
      const double weight = 1 / (error.sigma * error.sigma);
      aa += weight * a.slope[i] * a.slope[i];
      ab += weight * a.slope[i] * b.slope[i];
      bb += weight * b.slope[i] * b.slope[i];
      ay += weight * a.slope[i] * error.value;
      by += weight * b.slope[i] * error.value;
    }
    const double determinant = aa * bb - ab * ab;
    if (determinant < 1e-3 * aa * bb) return std::nullopt;  // nearly parallel
    const Vector at = {(bb * ay - ab * by) / determinant, (aa * by - ab * ay) / determinant};
    const double most = std::log(kGreatest);
    if (std::abs(at[0]) > most || std::abs(at[1]) > most) return std::nullopt;
    double chi2 = 0;
    for (std::size_t i = 0; i < runs_.errors().size(); ++i) {
      const PredictionError& error = runs_.errors()[i];
      const double left = (error.value - a.slope[i] * at[0] - b.slope[i] * at[1]) / error.sigma;
      chi2 += left * left;
    }
    return std::pair(chi2, at);
  }

  NicFactors factors_of(const std::vector<const Live*>& which, const Vector& values) const {
    NicFactors factors;
    for (std::size_t j = 0; j < which.size(); ++j)
      factors.push_back({which[j]->constant.nic, which[j]->constant.key, values[j]});
    return factors;
  }

  LeastSquares problem_of(const std::vector<const Live*>& which, const Vector& guess) const {
    LeastSquares problem;
    for (std::size_t j = 0; j < which.size(); ++j) {
      const double at = std::clamp(std::exp(guess[j]), which[j]->least, kGreatest);
      const double start = std::max(which[j]->least, std::round(at * 1000) / 1000);
      problem.parameters.push_back(
          {which[j]->constant.key, start, which[j]->least, kGreatest, 0.1, 0.001});
    }
    for (const PredictionError& error : runs_.errors())
      problem.targets.push_back({error.name, error.measured, error.sigma});
    return problem;
  }

  // No value if a simulation during the fit yields no number.
  Result<std::optional<FitOutcome>> fit(const std::vector<const Live*>& which,
                                        const Vector& guess) {
    LeastSquares problem = problem_of(which, guess);
    std::optional<Error> refused;
    problem.predict = [&](const std::vector<Vector>& points) -> Result<Matrix> {
      std::vector<NicFactors> variants;
      for (const Vector& point : points) variants.push_back(factors_of(which, point));
      auto predicted = runs_.predictions("fit", variants);
      if (!predicted) refused = predicted.error();
      return predicted;
    };
    FitOptions options{kRefinements, derivatives(which)};
    const double start = problem.parameters.front().start;
    if (which.size() == 1 && std::abs(std::log(start)) > kSecant) {
      const auto there = problem.predict({{start}});
      if (!there) return there.error();
      const Vector slope = runs_.secant(there.value()[0], std::log(start));
      for (std::size_t i = 0; i < slope.size(); ++i) options.derivatives[i] = {slope[i]};
    }
    auto outcome = fit_least_squares(problem, options);
    if (refused) return *refused;
    if (!outcome) return std::optional<FitOutcome>();
    return std::optional(std::move(outcome.value()));
  }

  static Matrix derivatives(const std::vector<const Live*>& which) {
    Matrix all(which.front()->slope.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const Live* each : which) all[i].push_back(each->slope[i]);
    return all;
  }

  ExplainedBy described(const std::vector<const Live*>& which, const FitOutcome& outcome,
                        const Vector& rough = {}) const {
    LeastSquares problem = problem_of(which, Vector(which.size(), 0.0));
    for (std::size_t i = 0; i < rough.size(); ++i)
      problem.targets[i].sigma = std::hypot(problem.targets[i].sigma, rough[i]);
    const Identifiability says = identifiability(problem, outcome);
    ExplainedBy made;
    for (std::size_t j = 0; j < which.size(); ++j) {
      const double wide = std::exp(half_width_95(says, j) + (rough.empty() ? 0 : kNearest / 2));
      const double factor = outcome.values[j];
      const auto [value, becomes] = runs_.texts(which[j]->constant, factor);
      made.by.push_back({which[j]->constant.nic, which[j]->constant.key, factor, factor / wide,
                         factor * wide, value, becomes});
    }
    made.chi2 = outcome.chi2;
    made.all_but_chance = outcome.chi2 <= most_by_chance(which.size());
    return made;
  }

  ExplanationRuns runs_;
  std::vector<Live> live_;
  Explanation found_;
};

}  // namespace

Result<Explanation> explain_errors(const ExplainRequest& request, const RunPoints& run) {
  return Explainer(request, run).explain();
}

}  // namespace latchlab
