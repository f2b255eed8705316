// Derives each constant's value, interval and status from the fits.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/calibration.h"

namespace latchlab {
namespace {

constexpr double kWorthNaming = 0.05;  // share of a constant's information that is worth reporting

void describe_fitted(const FitSpec& spec, const Calibration& result, std::size_t column,
                     FittedConstant& constant) {
  const double half = half_width_95(result.best_says, column);
  constant.value = result.best.values[column];
  constant.alone_low = constant.low = constant.value * std::exp(-half);
  constant.alone_high = constant.high = constant.value * std::exp(half);
  const auto widen = [&](const RepeatedFit& repeated) {
    const double value = repeated.values[column];
    if (value < constant.alone_low || value > constant.alone_high)
      constant.widened_by.push_back(repeated.what);
    constant.low = std::min(constant.low, value);
    constant.high = std::max(constant.high, value);
  };
  for (const RepeatedFit& repeated : result.profiles)
    if (repeated.equally_good) widen(repeated);
  for (std::size_t i = 0; i < result.readings.size(); ++i) {
    const std::vector<std::string>& only = spec.readings[i].widens;
    if (only.empty() || std::find(only.begin(), only.end(), constant.given.key) != only.end())
      widen(result.readings[i]);
  }
  const FreeConstant& given = constant.given;
  constant.fitted = constant.high / constant.low < given.high / given.low;
  constant.low = std::max(constant.low, given.low);
  constant.high = std::min(constant.high, given.high);
  std::map<std::size_t, double> shares;
  double all = 0;
  for (std::size_t i = 0; i < spec.observations.size(); ++i) {
    const double influence = result.best_says.influence[column][i];
    shares[spec.observations[i].run] += influence * influence;
    all += influence * influence;
  }
  for (const auto& [run, share] : shares)
    if (all > 0 && share / all >= kWorthNaming)
      constant.moved_by.emplace_back(spec.runs[run].id, share / all);
  std::sort(constant.moved_by.begin(), constant.moved_by.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
}

}  // namespace

void describe_constants(const FitSpec& spec, Calibration& result) {
  for (std::size_t i = 0; i < spec.free.size(); ++i) {
    FittedConstant constant;
    constant.given = spec.free[i];
    constant.value = spec.free[i].start;
    constant.low = constant.alone_low = spec.free[i].low;
    constant.high = constant.alone_high = spec.free[i].high;
    const auto at = std::find(result.fitted_columns.begin(), result.fitted_columns.end(), i);
    constant.held = at == result.fitted_columns.end();
    if (!constant.held)
      describe_fitted(spec, result, static_cast<std::size_t>(at - result.fitted_columns.begin()),
                      constant);
    result.constants.push_back(std::move(constant));
  }
}

}  // namespace latchlab
