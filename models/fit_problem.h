#pragma once
// A calibration as a least-squares problem: the constants that vary, the changes of the NIC, and
// the reading of the data.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "models/fit_spec.h"
#include "models/least_squares.h"
#include "models/simulations.h"

namespace latchlab {

NicChange set_to(const std::string& constant, double value);

// The runs with observations, in order; if `fitted_only`, those with a fitted observation.
std::vector<std::size_t> observed_runs(const FitSpec& spec, bool fitted_only);
// The metric of an observation or a conclusion, over that of its run `over` if it has one; 0 if
// that is 0. `metrics`: of `runs`, which contain both.
template <class T>
double value_of(const T& of, const std::string& metric, const std::vector<std::size_t>& runs,
                const std::vector<Leaves>& metrics) {
  const auto read = [&](std::size_t run) {
    const auto at = std::find(runs.begin(), runs.end(), run) - runs.begin();
    return metric_of(metrics[static_cast<std::size_t>(at)], metric);
  };
  const double below = of.over ? read(*of.over) : 1.0;
  return below > 0 ? read(of.run) / below : 0.0;
}

// One fit of some of the free constants; `changes` holds the others.
struct Trial {
  std::vector<std::size_t> columns;  // indices into spec.free
  NicChanges changes;
  const Reading* reading = nullptr;
  std::vector<double> starts;  // by index of spec.free; empty: those of the spec
  Matrix derivatives;          // for the columns; empty: use differences
};

class FitProblem {
 public:
  FitProblem(const FitSpec& spec, MetricSource& source) : spec_(spec), source_(source) {}

  // An observation under this trial's reading; without weight if it is only compared or left out.
  FitTarget target(std::size_t observation, const Trial& trial) const;
  // Valid as long as this object lives.
  LeastSquares least_squares(const Trial& trial) const;
  // All observations (0 if their run has no fitted one) at each point of the trial's columns.
  Result<Matrix> predict(const Trial& trial, const std::vector<Vector>& points) const;
  Result<FitOutcome> solve(const Trial& trial, int iterations) const;

 private:
  const FitSpec& spec_;
  MetricSource& source_;
};

}  // namespace latchlab
