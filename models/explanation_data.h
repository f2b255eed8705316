#pragma once
// The errors that are to be explained, and simulations of the same points under changed constants.

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
  std::size_t point = 0;  // of the request
  std::string metric;
  double measured = 0, simulated = 0;  // means
  double value = 0;                    // ln(measured / simulated)
  double sigma = 0;                    // of it, allowing for the other metrics of the point
  double chance = 0;                   // relative, of one repeat of the simulation
};

struct NicFactor {
  std::string nic, constant;
  double factor = 1;
};
using NicFactors = std::vector<NicFactor>;

class ExplanationRuns {
 public:
  ExplanationRuns(const ExplainRequest& request, const RunPoints& run)
      : request_(request), run_(run) {}

  // Finds the errors, and whether the simulator gives these results again.
  Status prepare();
  const std::vector<PredictionError>& errors() const { return errors_; }
  std::size_t points() const { return request_.points.size(); }
  std::vector<MovableConstant> movable(std::vector<std::string>* fixed) const;
  Vector base() const;  // what was simulated, of each error

  // One repeat of all points under each variant; a study of these points each.
  Result<std::vector<StudyOutcome>> once(const char* stage,
                                         const std::vector<NicFactors>& variants);
  bool is_same(const StudyOutcome& there) const;  // event by event
  bool moves(const StudyOutcome& there) const;    // a number, beyond chance
  // d ln number / d ln constant, of one that was so many times as great.
  Vector slope(const StudyOutcome& there, double times) const;
  // The same from whole runs, a change of the ln factor away.
  Vector secant(const Vector& predicted, double away) const;

  // The numbers under each variant, from as many repeats as there were; 0: there is none.
  Result<Matrix> predictions(const char* stage, const std::vector<NicFactors>& variants);
  double chi2(const Vector& predicted) const;

  // The least factor from `from` on that the constant may have.
  double least_factor(const MovableConstant& constant, double from) const;
  // The constant as the first point has it, and by this factor.
  std::pair<std::string, std::string> texts(const MovableConstant& constant, double factor) const;

 private:
  Result<std::vector<StudyOutcome>> simulate(const char* stage,
                                             const std::vector<NicFactors>& variants, bool once);
  Status find_errors();
  double number_there(const StudyOutcome& there, const PredictionError& error) const;

  const ExplainRequest& request_;
  const RunPoints& run_;
  std::vector<PredictionError> errors_;
  StudyOutcome base_;  // one repeat each
};

}  // namespace latchlab
