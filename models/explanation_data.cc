#include "models/explanation_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/conclude/comparison.h"
#include "core/measure/statistics.h"
#include "core/scenario/nic_constants.h"
#include "models/fit_spec.h"

namespace latchlab {
namespace {

constexpr double kLeastSigma = 0.002;  // covers the rounding of histograms
constexpr double kBeyondChance = 4;    // standard errors; high, because many numbers are tested

template <class Visit>
void for_each_nic_of(Point& point, const Visit& visit) {
  visit(point.platform.nic);
  for (GroupSpec& group : point.groups)
    if (group.nic) visit(*group.nic);
}

Point with_factors(Point point, const NicFactors& factors) {
  for_each_nic_of(point, [&](NicModel& nic) {
    for (const NicFactor& each : factors)
      if (each.nic == nic.name)
        nic = changed(std::move(nic), {{each.constant, NicChange::Kind::scale, each.factor}});
  });
  return point;
}

// A factor makes no sense for constants that number slots by address bits or are widths of 8 or 16
// bytes.
bool is_structure(const NicConstant& constant) {
  return constant.as_key.kind == KeyKind::bytes || constant.key() == "atomic.slots" ||
         constant.key() == "atomic.slots_16";
}

bool can_move(const NicModel& nic, const NicConstant& constant) {
  if (!is_number(constant.key()) || is_structure(constant)) return false;
  const std::int64_t value = number_in(nic, constant);
  const NicModel there = changed(nic, {{constant.key(), NicChange::Kind::scale, kExplainStep}});
  return value > 0 && number_in(there, constant) != value;
}

double relative_error(const std::vector<double>& values) {
  return standard_error(values).value_or(0) / *mean(values);
}

double four_digits(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

std::vector<MovableConstant> movable_constants(const std::vector<Point>& points,
                                               std::vector<std::string>* fixed) {
  std::vector<MovableConstant> all;
  std::vector<std::string> seen;
  for (Point point : points)
    for_each_nic_of(point, [&](const NicModel& nic) {
      if (std::find(seen.begin(), seen.end(), nic.name) != seen.end()) return;
      seen.push_back(nic.name);
      for (const NicConstant& constant : nic_constants()) {
        if (can_move(nic, constant))
          all.push_back({nic.name, constant.section, constant.key()});
        else if (fixed != nullptr)
          fixed->push_back(constant.key());
      }
    });
  return all;
}

Status ExplanationRuns::prepare() {
  if (const Status found = find_errors(); !found) return found;
  auto base = once("base", {{}});
  if (!base) return base.error();
  base_ = std::move(base.value().front());
  for (std::size_t p = 0; p < points(); ++p) {
    const auto& was = request_.simulated.outcome.points[request_.points[p].first].repeats.front();
    const auto& is = base_.points[p].repeats.front();
    if (!was || !is || was->metrics.fingerprint != is->metrics.fingerprint)
      return Error{
          "the simulation is of another build of latchlab, or of other plug-ins: this one "
          "does not give its results again; run it again",
          {}};
  }
  return fine();
}

Status ExplanationRuns::find_errors() {
  std::map<std::string, std::vector<double>> variances;  // by metric
  bool few = false;
  for (std::size_t p = 0; p < points(); ++p)
    for (const std::string& metric : request_.metrics) {
      const auto [s, m] = request_.points[p];
      const auto simulated = values_of(request_.simulated.outcome.points[s], metric);
      const auto measured = values_of(request_.measured.outcome.points[m], metric);
      few |= simulated.size() < 3 || measured.size() < 3;
      if (simulated.size() < 3 || measured.size() < 3) continue;
      if (*mean(simulated) <= 0 || *mean(measured) <= 0) continue;
      const double of_simulated = relative_error(simulated), of_measured = relative_error(measured);
      PredictionError error;
      error.name = fmt::format("{} of point {}", metric, s);
      error.point = p;
      error.metric = metric;
      error.simulated = *mean(simulated);
      error.measured = *mean(measured);
      error.value = std::log(error.measured / error.simulated);
      error.sigma = std::sqrt(of_simulated * of_simulated + of_measured * of_measured);
      error.chance = of_simulated * std::sqrt(static_cast<double>(simulated.size()));
      variances[metric].push_back(error.sigma);
      errors_.push_back(std::move(error));
    }
  if (errors_.empty() && few)
    return Error{"--explain wants three repeats or more of each point in both runs: --repeats 3",
                 {}};
  if (errors_.empty()) return Error{"no number is in both runs, and greater than 0", {}};
  // The variance of three repeats is poorly known, so the median of the metric's variances is the
  // minimum.
  std::map<std::string, double> usual, usual_chance;
  for (const auto& [metric, all] : variances) usual[metric] = median_of(all);
  for (const auto& [metric, all] : variances) {
    std::vector<double> chances;
    for (const PredictionError& error : errors_)
      if (error.metric == metric) chances.push_back(error.chance);
    usual_chance[metric] = median_of(chances);
  }
  const double alike = std::sqrt(static_cast<double>(variances.size()));
  for (PredictionError& error : errors_) {
    error.sigma = alike * std::max({error.sigma, usual[error.metric], kLeastSigma});
    error.chance = std::max({error.chance, usual_chance[error.metric], kLeastSigma});
  }
  return fine();
}

std::vector<MovableConstant> ExplanationRuns::movable(std::vector<std::string>* fixed) const {
  std::vector<Point> all;
  for (const auto& [simulated, measured] : request_.points)
    all.push_back(request_.simulated.scenario.points[simulated]);
  return movable_constants(all, fixed);
}

Vector ExplanationRuns::base() const {
  Vector all;
  for (const PredictionError& error : errors_) all.push_back(error.simulated);
  return all;
}

Result<std::vector<StudyOutcome>> ExplanationRuns::simulate(const char* stage,
                                                            const std::vector<NicFactors>& variants,
                                                            bool once) {
  std::vector<Point> all;
  for (const NicFactors& factors : variants)
    for (const auto& [simulated, measured] : request_.points) {
      Point point = with_factors(request_.simulated.scenario.points[simulated], factors);
      point.run.precision_ppb = 0;
      point.run.repeats = once ? 1
                               : static_cast<std::uint32_t>(
                                     request_.simulated.outcome.points[simulated].repeats.size());
      all.push_back(std::move(point));
    }
  std::vector<StudyOutcome> outcomes(variants.size());
  if (all.empty()) return outcomes;
  auto ran = run_(stage, all);
  if (!ran) return ran.error();
  for (std::size_t i = 0; i < all.size(); ++i)
    outcomes[i / points()].points.push_back(std::move(ran.value().points[i]));
  return outcomes;
}

Result<std::vector<StudyOutcome>> ExplanationRuns::once(const char* stage,
                                                        const std::vector<NicFactors>& variants) {
  return simulate(stage, variants, true);
}

bool ExplanationRuns::is_same(const StudyOutcome& there) const {
  for (std::size_t p = 0; p < points(); ++p) {
    const auto &a = there.points[p].repeats.front(), &b = base_.points[p].repeats.front();
    if (!a || !b || a->metrics.fingerprint != b->metrics.fingerprint) return false;
  }
  return true;
}

double ExplanationRuns::number_there(const StudyOutcome& there,
                                     const PredictionError& error) const {
  const PointOutcome& point = there.points[error.point];
  if (!point.sound()) return 0;
  return mean(values_of(point, error.metric)).value_or(0);
}

bool ExplanationRuns::moves(const StudyOutcome& there) const {
  return std::any_of(errors_.begin(), errors_.end(), [&](const PredictionError& error) {
    const double from = number_there(base_, error), to = number_there(there, error);
    if (from <= 0 || to <= 0) return from != to;
    return std::abs(std::log(to / from)) > kBeyondChance * std::sqrt(2.0) * error.chance;
  });
}

Vector ExplanationRuns::slope(const StudyOutcome& there, double times) const {
  Vector all;
  for (const PredictionError& error : errors_) {
    const double from = number_there(base_, error), to = number_there(there, error);
    all.push_back(from > 0 && to > 0 ? std::log(to / from) / std::log(times) : 0);
  }
  return all;
}

Vector ExplanationRuns::secant(const Vector& predicted, double away) const {
  Vector all;
  for (std::size_t i = 0; i < errors_.size(); ++i)
    all.push_back(predicted[i] > 0 ? std::log(predicted[i] / errors_[i].simulated) / away : 0);
  return all;
}

Result<Matrix> ExplanationRuns::predictions(const char* stage,
                                            const std::vector<NicFactors>& variants) {
  const auto ran = simulate(stage, variants, false);
  if (!ran) return ran.error();
  Matrix all;
  for (const StudyOutcome& there : ran.value()) {
    all.emplace_back();
    for (const PredictionError& error : errors_) all.back().push_back(number_there(there, error));
  }
  return all;
}

double ExplanationRuns::chi2(const Vector& predicted) const {
  double sum = 0;
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    const double left = std::log(errors_[i].measured / predicted[i]) / errors_[i].sigma;
    sum += left * left;
  }
  return sum;
}

double ExplanationRuns::least_factor(const MovableConstant& constant, double from) const {
  const NicConstant& known = *find_nic_constant(constant.key);
  const NicModel& nic =
      request_.simulated.scenario.points[request_.points.front().first].platform.nic;
  const auto value = static_cast<double>(number_in(nic, known));
  const double least = known.as_key.kind == KeyKind::ratio      ? kPpb
                       : known.as_key.kind == KeyKind::duration ? 0
                                                                : 1;
  return value > 0 ? std::clamp(least / value, from, 1.0) : from;
}

std::pair<std::string, std::string> ExplanationRuns::texts(const MovableConstant& constant,
                                                           double factor) const {
  for (const auto& [simulated, measured] : request_.points) {
    Point point = request_.simulated.scenario.points[simulated];
    std::optional<double> value;
    for_each_nic_of(point, [&](const NicModel& nic) {
      if (!value && nic.name == constant.nic) value = constant_of(nic, constant.key);
    });
    if (value)
      return {constant_text(constant.key, *value),
              constant_text(constant.key, four_digits(*value * factor))};
  }
  return {};
}

}  // namespace latchlab
