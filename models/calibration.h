#pragma once
// A complete calibration: the fit, which constants the data do not determine, alternative readings
// of the data, and the sensitivity to the undetermined constants.
//
// Steps. (1) All free constants are fitted together; singular values and correlations are those of
// this fit. (2) The least determined constant is held at its start and the rest is fitted again,
// until the 95% interval of each fitted constant is narrower than its bounds and its value is not
// at a bound. (3) The fit is repeated for each value of each profile, for both bounds of each held
// constant, and for each alternative reading of the data. (4) The interval of a fitted constant is
// its own 95% interval, widened to contain its values in two sets of repeated fits: those that
// describe the data about as well (see kEquallyGood) and those of the readings. (5) A constant is
// `fitted` if that interval is still narrower than its bounds, else `assumed` with its bounds as
// range.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/fit_spec.h"
#include "models/least_squares.h"
#include "models/simulations.h"

namespace latchlab {

// A repeated fit is as good as the best one if its chi^2, in units of max(1, reduced chi^2) of the
// best one, exceeds it by no more than the 95% point of chi^2 with one degree of freedom.
inline constexpr double kEquallyGood = 3.841459;

struct FittedConstant {
  FreeConstant given;
  double value = 0;                      // held constants: their start
  double low = 0, high = 0;              // held constants: their bounds
  bool held = false;                     // the data do not determine it
  bool fitted = false;                   // status, else assumed
  double alone_low = 0, alone_high = 0;  // the 95% interval before it was widened
  std::vector<std::string> widened_by;
  std::vector<std::pair<std::string, double>> moved_by;  // runs and their share, greatest first
};

struct RepeatedFit {
  std::string what;  // "atomic.window = 48", or the reading's id
  std::string because;
  std::vector<double> values;  // of the constants that are not held, in the order of `constants`
  double chi2 = 0;
  bool equally_good = false;
};

struct Predicted {
  double value = 0;
  double residual = 0;  // in sigmas; 0 if there is no uncertainty
};

struct SensitivityResult {
  std::string id;
  double chi2 = 0;              // of the fitted observations, without refitting
  std::string most_moved;       // the fitted observation whose prediction changes most
  double most_moved_ratio = 1;  // its prediction relative to that of the fit
  std::vector<double> conclusions;
};

struct Calibration {
  std::vector<FittedConstant> constants;  // as in the spec
  std::vector<std::string> dropped;       // held constants, in the order in which they were dropped
  FitOutcome all_free, best;
  Identifiability all_free_says, best_says;
  std::vector<std::size_t> fitted_columns;  // the constants of `best`, as indices
  std::vector<Predicted> predictions;       // as spec.observations
  std::vector<RepeatedFit> profiles, readings;
  std::vector<double> conclusions;
  std::vector<SensitivityResult> sensitivity;
};

struct CalibrationProgress {
  std::function<void(const std::string& stage)> stage;
};

Result<Calibration> calibrate(const FitSpec& spec, MetricSource& source,
                              const CalibrationProgress& progress);

// Sets `constants` from the fits in `result` (steps 4 and 5).
void describe_constants(const FitSpec& spec, Calibration& result);

// The published page in Markdown, byte-identical for the same data and build.
std::string calibration_page(const FitSpec& spec, const Calibration& calibration);
// The same numbers as JSON.
std::string calibration_json(const FitSpec& spec, const Calibration& calibration);

}  // namespace latchlab
