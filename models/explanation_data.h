#pragma once
// The errors to be explained, and simulations of the same points with changed constants.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/explanation.h"
#include "models/least_squares.h"

namespace latchlab {

struct PredictionError {
  std::string name;
  std::size_t point = 0;  // index into ExplainRequest::points
  std::string metric;
  double measured = 0, simulated = 0;  // means
  double value = 0;                    // ln(measured / simulated)
  double sigma = 0;                    // of `value`, widened for the other metrics of the point
  double chance = 0;                   // relative, of one repeat of the simulation
};

struct NicFactor {
  std::string nic, constant;
  double factor = 1;
};
using NicFactors = std::vector<NicFactor>;

double median_of(std::vector<double> values);  // 0 of none

class ExplanationRuns {
 public:
  ExplanationRuns(const ExplainRequest& request, const RunPoints& run)
      : request_(request), run_(run) {}

  // Computes the errors, and checks that the simulator reproduces the stored results.
  Status prepare();
  const std::vector<PredictionError>& errors() const { return errors_; }
  std::size_t points() const { return request_.points.size(); }
  std::vector<MovableConstant> movable(std::vector<std::string>* fixed) const;
  Vector base() const;  // the simulated value of each error

  // Runs one repeat of all points under each variant; returns one study of these points per
  // variant.
  Result<std::vector<StudyOutcome>> once(const char* stage,
                                         const std::vector<NicFactors>& variants);
  bool is_same(const StudyOutcome& there) const;  // event by event
  bool moves(const StudyOutcome& there) const;    // some number, beyond chance
  // d ln number / d ln constant, for a constant that was multiplied by `times`.
  Vector slope(const StudyOutcome& there, double times) const;
  // The same from complete runs; `away` is the change of ln factor.
  Vector secant(const Vector& predicted, double away) const;

  // The numbers under each variant, from the study's number of repeats; 0: not measured.
  Result<Matrix> predictions(const char* stage, const std::vector<NicFactors>& variants);
  double chi2(const Vector& predicted) const;

  // The smallest factor, from `from` on, that the constant allows.
  double least_factor(const MovableConstant& constant, double from) const;
  // The constant's value in the first point's NIC, before and after multiplication by `factor`.
  std::pair<std::string, std::string> texts(const MovableConstant& constant, double factor) const;

 private:
  Result<std::vector<StudyOutcome>> simulate(const char* stage,
                                             const std::vector<NicFactors>& variants, bool once);
  Status find_errors();
  double number_there(const StudyOutcome& there, const PredictionError& error) const;

  const ExplainRequest& request_;
  const RunPoints& run_;
  std::vector<PredictionError> errors_;
  StudyOutcome base_;  // one repeat per point
};

}  // namespace latchlab
