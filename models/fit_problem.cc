#include "models/fit_problem.h"

#include <algorithm>
#include <set>
#include <utility>

namespace latchlab {
namespace {

constexpr double kGridNs = 0.1;  // constants are rounded to multiples of this

}  // namespace

NicChange set_to(const std::string& constant, double value) {
  return {constant, NicChange::Kind::set, value};
}

std::vector<std::size_t> observed_runs(const FitSpec& spec, bool fitted_only) {
  std::set<std::size_t> runs;
  for (const Observation& observation : spec.observations) {
    if (!observation.fitted && fitted_only) continue;
    runs.insert(observation.run);
    if (observation.over) runs.insert(*observation.over);
  }
  return {runs.begin(), runs.end()};
}

FitTarget FitProblem::target(std::size_t index, const Trial& trial) const {
  const Observation& observation = spec_.observations[index];
  FitTarget read{name_of(spec_, observation), observation.value, 0};
  if (!observation.fitted) return read;
  read.sigma = sigma_of(observation);
  if (trial.reading == nullptr) return read;
  for (const std::string& prefix : trial.reading->without)
    for (const std::size_t run : {observation.run, observation.over.value_or(observation.run)})
      if (spec_.runs[run].id.starts_with(prefix)) read.sigma = 0;
  for (const Reading::Replacement& replacement : trial.reading->replacements)
    if (replacement.observation == index) read.value = replacement.value;
  return read;
}

LeastSquares FitProblem::least_squares(const Trial& trial) const {
  LeastSquares problem;
  for (const std::size_t column : trial.columns) {
    const FreeConstant& free = spec_.free[column];
    const double start = trial.starts.empty() ? free.start : trial.starts[column];
    problem.parameters.push_back({free.key, start, free.low, free.high, free.step, kGridNs});
  }
  for (std::size_t i = 0; i < spec_.observations.size(); ++i)
    problem.targets.push_back(target(i, trial));
  problem.predict = [this, trial](const std::vector<Vector>& points) {
    return predict(trial, points);
  };
  return problem;
}

Result<Matrix> FitProblem::predict(const Trial& trial, const std::vector<Vector>& points) const {
  const std::vector<std::size_t> runs = observed_runs(spec_, true);
  std::vector<NicChanges> variants;
  for (const Vector& point : points) {
    variants.push_back(trial.changes);
    for (std::size_t j = 0; j < point.size(); ++j)
      variants.back().push_back(set_to(spec_.free[trial.columns[j]].key, point[j]));
  }
  const auto metrics = source_.metrics(variants, runs);
  if (!metrics) return metrics.error();
  Matrix predicted;
  for (const std::vector<Leaves>& of_variant : metrics.value()) {
    predicted.emplace_back();
    for (std::size_t i = 0; i < spec_.observations.size(); ++i) {
      const Observation& observation = spec_.observations[i];
      std::string metric = observation.metric;
      if (trial.reading != nullptr)
        for (const Reading::Replacement& replacement : trial.reading->replacements)
          if (replacement.observation == i) metric = replacement.metric;
      const auto among = [&](std::size_t run) {
        return std::find(runs.begin(), runs.end(), run) != runs.end();
      };
      const bool simulated =
          among(observation.run) && (!observation.over || among(*observation.over));
      predicted.back().push_back(simulated ? value_of(observation, metric, runs, of_variant) : 0.0);
    }
  }
  return predicted;
}

Result<FitOutcome> FitProblem::solve(const Trial& trial, int iterations) const {
  return fit_least_squares(least_squares(trial), {iterations, trial.derivatives});
}

}  // namespace latchlab
