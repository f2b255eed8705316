#include "models/simulations.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/run/study.h"
#include "core/scenario/nic_constants.h"

namespace latchlab {
namespace {

// All numbers that a change of the NIC can affect.
std::vector<std::int64_t> numbers_of(const NicModel& nic) {
  std::vector<std::int64_t> numbers;
  for (const NicConstant& constant : nic_constants()) {
    if (const auto* time = std::get_if<Duration NicModel::*>(&constant.field))
      numbers.push_back((nic.*(*time)).ps);
    else if (const auto* count = std::get_if<std::int64_t NicModel::*>(&constant.field))
      numbers.push_back(nic.*(*count));
  }
  return numbers;
}

}  // namespace

Result<std::vector<std::vector<Leaves>>> Simulations::metrics(
    const std::vector<NicChanges>& variants, const std::vector<std::size_t>& runs) {
  std::vector<Key> keys;
  std::vector<std::pair<Key, Point>> missing;
  for (const NicChanges& changes : variants) {
    for (const std::size_t run : runs) {
      Point point = spec_.runs[run].point;
      point.platform.nic = changed(std::move(point.platform.nic), changes);
      keys.emplace_back(run, numbers_of(point.platform.nic));
      const bool asked = std::any_of(missing.begin(), missing.end(),
                                     [&](const auto& each) { return each.first == keys.back(); });
      if (!asked && known_.find(keys.back()) == known_.end())
        missing.emplace_back(keys.back(), std::move(point));
    }
  }
  if (const Status done = simulate(missing); !done) return done.error();
  std::vector<std::vector<Leaves>> all(variants.size());
  for (std::size_t i = 0; i < keys.size(); ++i) all[i / runs.size()].push_back(known_[keys[i]]);
  return all;
}

Status Simulations::simulate(const std::vector<std::pair<Key, Point>>& missing) {
  if (missing.empty()) return fine();
  Scenario scenario;
  scenario.name = spec_.name;
  for (const auto& [key, point] : missing) scenario.points.push_back(point);
  StudyOptions options;
  options.jobs = jobs_;
  options.progress = [this](const StudyProgress& at) { progress_(simulated_ + at.done); };
  const StudyOutcome outcome = run_study(scenario, options, make_backend_);
  simulated_ += missing.size();
  interrupted_ = outcome.interrupted;
  if (interrupted_) return Error{"interrupted", {}};
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const RepeatStatus status = outcome.points[i].status();
    if (status > RepeatStatus::starved)
      return Error{fmt::format("the run {} is {}: {}", spec_.runs[missing[i].first.first].id,
                               name_of(status), outcome.points[i].message()),
                   {}};
    known_[missing[i].first] = outcome.points[i].metrics();
  }
  return fine();
}

double metric_of(const Leaves& leaves, const std::string& path) {
  return number_at(leaves, path).value_or(0.0);
}

}  // namespace latchlab
