#pragma once
// Bounded least squares on logarithms: finds the positive parameters for which a model's positive
// predictions agree best with the measurements.
//
//   minimise  sum_i ((ln predicted_i(p) - ln measured_i) / sigma_i)^2   with low <= p <= high
//
// by Levenberg-Marquardt in ln p, with central differences. The model may be a simulation: slow,
// evaluated at many points at once, and slightly noisy (choose steps well above the noise).
// Parameters are rounded to a grid before each evaluation, so that rounding differences of the
// linear solver between machines do not change the simulation.

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace latchlab {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;  // rows

struct FitParameter {
  std::string name;
  double start = 1;
  double low = 0;  // 0 < low <= start <= high
  double high = 0;
  double step = 0;     // of the difference quotient, in the parameter's unit
  double grid = 1e-9;  // the parameter is a multiple of this
};

struct FitTarget {
  std::string name;
  double value = 0;  // measured, > 0
  double sigma = 0;  // relative; 0: predicted and reported, without weight
};

// One row for each of `points` (values of all parameters), with the predictions of all targets.
using Predictor = std::function<Result<Matrix>(const std::vector<Vector>& points)>;

struct LeastSquares {
  std::vector<FitParameter> parameters;
  std::vector<FitTarget> targets;
  Predictor predict;
};

struct FitOptions {
  int iterations = 8;
  // Derivatives d ln prediction / d ln parameter to use in every iteration; empty: computed by
  // differences at every iterate. One row for each target, one column for each parameter.
  Matrix derivatives;
};

struct FitOutcome {
  Vector values;       // of the parameters
  Vector predicted;    // of all targets
  Vector residuals;    // weighted; 0 for targets without weight
  Matrix derivatives;  // d ln prediction / d ln parameter at `values`, all targets
  double chi2 = 0;
  int degrees = 0;  // targets with weight, minus parameters
  int iterations = 0;

  double reduced_chi2() const;
};

// The parameters that fit best within their bounds. The error is the model's, or a prediction with
// weight that is not positive.
Result<FitOutcome> fit_least_squares(const LeastSquares& problem, const FitOptions& options);

// How well the targets with weight determine the parameters at a fit, in logarithms.
struct Identifiability {
  Vector singular_values;  // of the weighted derivatives, greatest first
  Matrix directions;       // row k: the direction in ln p of singular value k
  Matrix covariance;       // of ln p, times max(1, reduced chi^2); directions without any
                           // information count as 100% (singular value floored at 1)
  Matrix correlation;      // 0 if one of the two parameters has no effect
  Matrix influence;        // d ln p_j / d ln measured_i, times sigma_i: row j, column i
};
Identifiability identifiability(const LeastSquares& problem, const FitOutcome& fit);

// Half-width of the 95% interval of ln p_j.
double half_width_95(const Identifiability& found, std::size_t parameter);

}  // namespace latchlab
