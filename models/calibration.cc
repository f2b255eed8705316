#include "models/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "models/fit_problem.h"

namespace latchlab {
namespace {

constexpr int kRefitIterations = 4;

class Calibrator {
 public:
  Calibrator(const FitSpec& spec, MetricSource& source, const CalibrationProgress& progress)
      : spec_(spec), source_(source), problem_(spec, source), progress_(progress) {}

  Result<Calibration> run() {
    using Step = Status (Calibrator::*)();
    for (const Step step :
         {&Calibrator::fit_all, &Calibrator::drop_unknown, &Calibrator::repeat_along_profiles,
          &Calibrator::repeat_other_readings, &Calibrator::predict_everything, &Calibrator::vary}) {
      if (const Status done = (this->*step)(); !done) return done.error();
    }
    describe_constants(spec_, result_);
    return std::move(result_);
  }

 private:
  Status fit_all();
  Status drop_unknown();
  std::size_t worst_known(const Trial& trial, const FitOutcome& fit,
                          const Identifiability& says) const;
  Status repeat_along_profiles();
  Status repeat_other_readings();
  Status repeat(const std::string& what, const std::string& because, Trial trial,
                std::vector<RepeatedFit>& into);
  Status predict_everything();
  Status vary();
  Result<std::vector<double>> conclude(const NicChanges& changes);

  // The best fit as changes of the NIC.
  NicChanges best_changes() const {
    NicChanges changes = held_;
    for (std::size_t j = 0; j < columns_.size(); ++j)
      changes.push_back(set_to(spec_.free[columns_[j]].key, result_.best.values[j]));
    return changes;
  }

  const FitSpec& spec_;
  MetricSource& source_;
  FitProblem problem_;
  const CalibrationProgress& progress_;
  Calibration result_;
  std::vector<std::size_t> columns_;  // still fitted
  NicChanges held_;                   // the other constants, at their start
};

Status Calibrator::fit_all() {
  progress_.stage("all free constants together");
  Trial trial;
  for (std::size_t column = 0; column < spec_.free.size(); ++column)
    trial.columns.push_back(column);
  Result<FitOutcome> fit = problem_.solve(trial, FitOptions{}.iterations);
  if (!fit) return fit.error();
  result_.all_free = std::move(fit).value();
  result_.all_free_says = identifiability(problem_.least_squares(trial), result_.all_free);
  result_.best = result_.all_free;
  result_.best_says = result_.all_free_says;
  columns_ = trial.columns;
  return fine();
}

// The position in trial.columns of the least determined constant; the number of columns if all are
// determined well enough.
std::size_t Calibrator::worst_known(const Trial& trial, const FitOutcome& fit,
                                    const Identifiability& says) const {
  std::size_t worst = trial.columns.size();
  double widest = 1;
  for (std::size_t j = 0; j < trial.columns.size(); ++j) {
    const FreeConstant& free = spec_.free[trial.columns[j]];
    double width = 2 * half_width_95(says, j) / std::log(free.high / free.low);
    const bool at_bound =
        fit.values[j] < free.low + free.step / 100 || fit.values[j] > free.high - free.step / 100;
    if (at_bound) width = std::max(width, 1.0);
    if (width >= widest) {
      widest = width;
      worst = j;
    }
  }
  return worst;
}

Status Calibrator::drop_unknown() {
  Trial trial;
  trial.columns = columns_;
  for (;;) {
    const std::size_t worst = worst_known(trial, result_.best, result_.best_says);
    if (worst == trial.columns.size() || trial.columns.size() == 1) break;
    const FreeConstant& given_up = spec_.free[trial.columns[worst]];
    progress_.stage("without " + given_up.key);
    result_.dropped.push_back(given_up.key);
    trial.starts.resize(spec_.free.size());
    for (std::size_t j = 0; j < trial.columns.size(); ++j)
      trial.starts[trial.columns[j]] = result_.best.values[j];
    trial.columns.erase(trial.columns.begin() + static_cast<std::ptrdiff_t>(worst));
    held_.push_back(set_to(given_up.key, given_up.start));
    trial.changes = held_;
    Result<FitOutcome> fit = problem_.solve(trial, FitOptions{}.iterations);
    if (!fit) return fit.error();
    result_.best = std::move(fit).value();
    result_.best_says = identifiability(problem_.least_squares(trial), result_.best);
  }
  columns_ = trial.columns;
  result_.fitted_columns = columns_;
  return fine();
}

// Starts at the best fit and uses its derivatives.
Status Calibrator::repeat(const std::string& what, const std::string& because, Trial trial,
                          std::vector<RepeatedFit>& into) {
  trial.starts.assign(spec_.free.size(), 0);
  trial.derivatives.resize(spec_.observations.size());
  trial.columns.clear();
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const std::string& key = spec_.free[columns_[j]].key;
    const bool fixed = std::any_of(trial.changes.begin(), trial.changes.end(),
                                   [&](const NicChange& change) { return change.constant == key; });
    if (fixed) continue;
    trial.columns.push_back(columns_[j]);
    trial.starts[columns_[j]] = result_.best.values[j];
    for (std::size_t i = 0; i < spec_.observations.size(); ++i)
      trial.derivatives[i].push_back(result_.best.derivatives[i][j]);
  }
  NicChanges changes = held_;
  changes.insert(changes.end(), trial.changes.begin(), trial.changes.end());
  trial.changes = std::move(changes);
  // A replaced metric has other derivatives.
  if (trial.reading != nullptr && !trial.reading->replacements.empty()) trial.derivatives.clear();
  const Result<FitOutcome> fit = problem_.solve(trial, kRefitIterations);
  if (!fit) return fit.error();
  RepeatedFit repeated{what, because, {}, fit.value().chi2};
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const auto at = std::find(trial.columns.begin(), trial.columns.end(), columns_[j]);
    double value = 0;
    if (at != trial.columns.end()) {
      value = fit.value().values[static_cast<std::size_t>(at - trial.columns.begin())];
    } else {
      for (const NicChange& change : trial.changes)
        if (change.constant == spec_.free[columns_[j]].key) value = change.amount;
    }
    repeated.values.push_back(value);
  }
  const double excess =
      (repeated.chi2 - result_.best.chi2) / std::max(1.0, result_.best.reduced_chi2());
  repeated.equally_good = excess <= kEquallyGood;
  into.push_back(std::move(repeated));
  return fine();
}

Status Calibrator::repeat_along_profiles() {
  std::vector<Scan> profiles = spec_.profiles;
  for (const NicChange& held : held_) {
    const auto free = std::find_if(spec_.free.begin(), spec_.free.end(),
                                   [&](const FreeConstant& f) { return f.key == held.constant; });
    const bool listed = std::any_of(profiles.begin(), profiles.end(),
                                    [&](const Scan& p) { return p.constant == held.constant; });
    if (!listed) profiles.push_back({free->key, {free->low, free->high}, "its bounds"});
  }
  for (const Scan& profile : profiles) {
    progress_.stage("along " + profile.constant);
    for (const double value : profile.values) {
      Trial trial;
      trial.changes = {set_to(profile.constant, value)};
      const std::string what =
          fmt::format("{} = {}", profile.constant, constant_text(profile.constant, value));
      if (const Status done = repeat(what, profile.because, trial, result_.profiles); !done)
        return done;
    }
  }
  return fine();
}

Status Calibrator::repeat_other_readings() {
  for (const Reading& reading : spec_.readings) {
    progress_.stage("reading " + reading.id);
    Trial trial;
    trial.reading = &reading;
    trial.changes = reading.changes;
    if (const Status done = repeat(reading.id, reading.because, trial, result_.readings); !done)
      return done;
  }
  return fine();
}

Status Calibrator::predict_everything() {
  progress_.stage("predictions");
  const std::vector<std::size_t> runs = observed_runs(spec_, false);
  const auto metrics = source_.metrics({best_changes()}, runs);
  if (!metrics) return metrics.error();
  for (const Observation& observation : spec_.observations) {
    Predicted predicted;
    predicted.value = value_of(observation, observation.metric, runs, metrics.value().front());
    const double sigma = sigma_of(observation);
    if (sigma > 0 && predicted.value > 0)
      predicted.residual = std::log(predicted.value / observation.value) / sigma;
    result_.predictions.push_back(predicted);
  }
  return fine();
}

Result<std::vector<double>> Calibrator::conclude(const NicChanges& changes) {
  std::set<std::size_t> needed;
  for (const Conclusion& conclusion : spec_.conclusions) {
    needed.insert(conclusion.run);
    if (conclusion.over) needed.insert(*conclusion.over);
  }
  const std::vector<std::size_t> runs(needed.begin(), needed.end());
  if (runs.empty()) return std::vector<double>{};
  const auto metrics = source_.metrics({changes}, runs);
  if (!metrics) return metrics.error();
  std::vector<double> values;
  for (const Conclusion& conclusion : spec_.conclusions)
    values.push_back(value_of(conclusion, conclusion.metric, runs, metrics.value().front()));
  return values;
}

Status Calibrator::vary() {
  Result<std::vector<double>> base = conclude(best_changes());
  if (!base) return base.error();
  result_.conclusions = std::move(base).value();
  for (const SensitivityCase& each : spec_.sensitivity) {
    progress_.stage("with " + each.id);
    Trial trial;
    trial.changes = best_changes();
    trial.changes.insert(trial.changes.end(), each.changes.begin(), each.changes.end());
    const Result<Matrix> predicted = problem_.predict(trial, {Vector{}});
    if (!predicted) return predicted.error();
    SensitivityResult row{each.id, 0, "", 1, {}};
    for (std::size_t i = 0; i < spec_.observations.size(); ++i) {
      const FitTarget target = problem_.target(i, trial);
      const double value = predicted.value().front()[i];
      if (target.sigma <= 0 || value <= 0) continue;
      const double residual = std::log(value / target.value) / target.sigma;
      row.chi2 += residual * residual;
      const double ratio = value / result_.best.predicted[i];
      if (std::abs(std::log(ratio)) > std::abs(std::log(row.most_moved_ratio))) {
        row.most_moved_ratio = ratio;
        row.most_moved = target.name;
      }
    }
    Result<std::vector<double>> conclusions = conclude(trial.changes);
    if (!conclusions) return conclusions.error();
    row.conclusions = std::move(conclusions).value();
    result_.sensitivity.push_back(std::move(row));
  }
  return fine();
}

}  // namespace

Result<Calibration> calibrate(const FitSpec& spec, MetricSource& source,
                              const CalibrationProgress& progress) {
  return Calibrator(spec, source, progress).run();
}

}  // namespace latchlab
