#include "models/least_squares.h"

#include <fmt/core.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/check.h"

namespace latchlab {
namespace {

constexpr double kEnough = 0.01;  // a step that lowers chi^2 by less than this is the last one
constexpr double kTwoSided95 = 1.959964;
// Dampings tried in one iteration, relative to the diagonal; all are simulated at once.
constexpr std::array<double, 3> kDampings = {0.0, 1.0, 10.0};

double on_grid(const FitParameter& parameter, double value) {
  const double rounded = std::round(value / parameter.grid) * parameter.grid;
  return std::clamp(rounded, parameter.low, parameter.high);
}

std::size_t weighted_targets(const LeastSquares& problem) {
  return static_cast<std::size_t>(std::count_if(problem.targets.begin(), problem.targets.end(),
                                                [](const FitTarget& t) { return t.sigma > 0; }));
}

// An iterate with its predictions.
struct State {
  Vector values;
  Vector predicted;
  Vector residuals;
  double chi2 = 0;
};

class Solver {
 public:
  Solver(const LeastSquares& problem, const FitOptions& options)
      : problem_(problem), options_(options) {}

  Result<FitOutcome> solve() {
    Vector start;
    for (const FitParameter& parameter : problem_.parameters)
      start.push_back(on_grid(parameter, parameter.start));
    Result<std::vector<State>> first = evaluate({start});
    if (!first) return first.error();
    State now = std::move(first.value().front());
    if (problem_.parameters.empty())  // all are held: only compare
      return outcome(std::move(now), Matrix(problem_.targets.size()), 0);
    Matrix derivatives = options_.derivatives;
    int iteration = 0;
    for (; iteration < options_.iterations; ++iteration) {
      if (options_.derivatives.empty()) {
        Result<Matrix> fresh = differences(now);
        if (!fresh) return fresh.error();
        derivatives = std::move(fresh).value();
      }
      const Result<bool> moved = improve(now, derivatives);
      if (!moved) return moved.error();
      if (!moved.value()) break;
    }
    return outcome(std::move(now), std::move(derivatives), iteration);
  }

 private:
  Result<std::vector<State>> evaluate(const std::vector<Vector>& points) const {
    Result<Matrix> predicted = problem_.predict(points);
    if (!predicted) return predicted.error();
    std::vector<State> states;
    for (std::size_t i = 0; i < points.size(); ++i) {
      State state{points[i], std::move(predicted.value()[i]), {}, 0};
      for (std::size_t t = 0; t < problem_.targets.size(); ++t) {
        const FitTarget& target = problem_.targets[t];
        if (target.sigma > 0 && !(state.predicted[t] > 0))
          return Error{fmt::format("the model predicts {} for {}; expected a positive number",
                                   state.predicted[t], target.name),
                       {}};
        const double residual =
            target.sigma > 0 ? std::log(state.predicted[t] / target.value) / target.sigma : 0.0;
        state.residuals.push_back(residual);
        state.chi2 += residual * residual;
      }
      states.push_back(std::move(state));
    }
    return states;
  }

  // Central differences with the parameter's step; bounds do not apply.
  Result<Matrix> differences(const State& now) const {
    std::vector<Vector> points;
    for (std::size_t j = 0; j < problem_.parameters.size(); ++j) {
      for (const double sign : {1.0, -1.0}) {
        points.push_back(now.values);
        points.back()[j] += sign * problem_.parameters[j].step;
      }
    }
    const Result<std::vector<State>> around = evaluate(points);
    if (!around) return around.error();
    Matrix derivatives(problem_.targets.size(), Vector(problem_.parameters.size(), 0.0));
    for (std::size_t j = 0; j < problem_.parameters.size(); ++j) {
      const State& up = around.value()[2 * j];
      const State& down = around.value()[2 * j + 1];
      const double run = std::log(up.values[j] / down.values[j]);
      for (std::size_t t = 0; t < problem_.targets.size(); ++t)
        if (up.predicted[t] > 0 && down.predicted[t] > 0)
          derivatives[t][j] = std::log(up.predicted[t] / down.predicted[t]) / run;
    }
    return derivatives;
  }

  // Tries one step per damping and takes the best one if it improves chi^2. Returns false if
  // nothing improves.
  Result<bool> improve(State& now, const Matrix& derivatives) const {
    std::vector<Vector> candidates;
    for (const double damping : kDampings) {
      Vector candidate = step(now, derivatives, damping);
      if (candidate != now.values &&
          std::find(candidates.begin(), candidates.end(), candidate) == candidates.end())
        candidates.push_back(std::move(candidate));
    }
    if (candidates.empty()) return false;
    Result<std::vector<State>> tried = evaluate(candidates);
    if (!tried) return tried.error();
    const auto best =
        std::min_element(tried.value().begin(), tried.value().end(),
                         [](const State& a, const State& b) { return a.chi2 < b.chi2; });
    const double gain = now.chi2 - best->chi2;
    if (gain > 0) now = std::move(*best);
    return gain > kEnough;
  }

  // If the step would cross a bound at which a parameter already is, the parameter stays and the
  // rest is solved again.
  Vector step(const State& now, const Matrix& derivatives, double damping) const {
    const std::size_t count = problem_.parameters.size();
    std::vector<bool> stays(count, false);
    Vector to = now.values;
    for (std::size_t round = 0; round <= count; ++round) {
      const Eigen::VectorXd delta = solve_free(now, derivatives, damping, stays);
      bool again = false;
      for (std::size_t j = 0; j < count; ++j) {
        const FitParameter& parameter = problem_.parameters[j];
        const double change = delta[static_cast<Eigen::Index>(j)];
        to[j] = on_grid(parameter, now.values[j] * std::exp(change));
        const bool at_bound = to[j] < parameter.low + parameter.grid / 2 ||
                              to[j] > parameter.high - parameter.grid / 2;
        const bool outward = change != 0 && to[j] == now.values[j] && at_bound;
        if (outward && !stays[j]) again = stays[j] = true;
      }
      if (!again) break;
    }
    return to;
  }

  Eigen::VectorXd solve_free(const State& now, const Matrix& derivatives, double damping,
                             const std::vector<bool>& stays) const {
    const auto columns = static_cast<Eigen::Index>(problem_.parameters.size());
    const auto rows = static_cast<Eigen::Index>(problem_.targets.size());
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(rows + columns, columns);
    Eigen::VectorXd residuals = Eigen::VectorXd::Zero(rows + columns);
    for (Eigen::Index t = 0; t < rows; ++t) {
      const auto i = static_cast<std::size_t>(t);
      residuals[t] = -now.residuals[i];
      if (problem_.targets[i].sigma <= 0) continue;
      for (Eigen::Index j = 0; j < columns; ++j)
        if (!stays[static_cast<std::size_t>(j)])
          jacobian(t, j) = derivatives[i][static_cast<std::size_t>(j)] / problem_.targets[i].sigma;
    }
    for (Eigen::Index j = 0; j < columns; ++j)
      jacobian(rows + j, j) = std::sqrt(damping) * jacobian.col(j).head(rows).norm();
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(jacobian);
    solver.setThreshold(1e-9);
    return solver.solve(residuals);
  }

  FitOutcome outcome(State now, Matrix derivatives, int iterations) const {
    FitOutcome out;
    out.values = std::move(now.values);
    out.predicted = std::move(now.predicted);
    out.residuals = std::move(now.residuals);
    out.derivatives = std::move(derivatives);
    out.chi2 = now.chi2;
    out.degrees =
        static_cast<int>(weighted_targets(problem_)) - static_cast<int>(problem_.parameters.size());
    out.iterations = iterations;
    return out;
  }

  const LeastSquares& problem_;
  const FitOptions& options_;
};

Matrix to_rows(const Eigen::MatrixXd& matrix) {
  Matrix rows;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    rows.emplace_back();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) rows.back().push_back(matrix(i, j));
  }
  return rows;
}

// Makes the printed direction independent of the solver's sign.
void settle_sign(Vector& direction) {
  const auto greatest =
      std::max_element(direction.begin(), direction.end(),
                       [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (greatest != direction.end() && *greatest < 0)
    for (double& each : direction) each = -each;
}

}  // namespace

double FitOutcome::reduced_chi2() const {
  return degrees > 0 ? chi2 / degrees : 0.0;
}

Result<FitOutcome> fit_least_squares(const LeastSquares& problem, const FitOptions& options) {
  for (const FitParameter& parameter : problem.parameters)
    LATCHLAB_CHECK(parameter.low > 0 && parameter.low <= parameter.start &&
                       parameter.start <= parameter.high && parameter.step > 0,
                   "a parameter of a fit has no room to move");
  return Solver(problem, options).solve();
}

Identifiability identifiability(const LeastSquares& problem, const FitOutcome& fit) {
  const auto columns = static_cast<Eigen::Index>(problem.parameters.size());
  const auto rows = static_cast<Eigen::Index>(problem.targets.size());
  if (columns == 0) return {};  // nothing is free, so that the fit only compares
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(std::max(rows, columns), columns);
  for (Eigen::Index t = 0; t < rows; ++t) {
    const auto i = static_cast<std::size_t>(t);
    if (problem.targets[i].sigma <= 0) continue;
    for (Eigen::Index j = 0; j < columns; ++j)
      jacobian(t, j) = fit.derivatives[i][static_cast<std::size_t>(j)] / problem.targets[i].sigma;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(jacobian, Eigen::ComputeThinU | Eigen::ComputeThinV);
  Identifiability found;
  Eigen::VectorXd inverse(columns);
  for (Eigen::Index k = 0; k < columns; ++k) {
    const double value = svd.singularValues()[k];
    found.singular_values.push_back(value);
    inverse[k] = 1 / std::max(value, 1.0);
  }
  const Eigen::MatrixXd& v = svd.matrixV();
  const Eigen::MatrixXd pseudo = v * inverse.asDiagonal() * svd.matrixU().transpose();
  const Eigen::MatrixXd covariance = v * inverse.cwiseAbs2().asDiagonal() * v.transpose();
  found.directions = to_rows(v.transpose());
  for (Vector& direction : found.directions) settle_sign(direction);
  found.covariance = to_rows(covariance * std::max(1.0, fit.reduced_chi2()));
  Eigen::MatrixXd correlation = covariance;
  for (Eigen::Index i = 0; i < columns; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      correlation(i, j) /= std::sqrt(covariance(i, i) * covariance(j, j));
  found.correlation = to_rows(correlation);
  found.influence = to_rows(pseudo.leftCols(rows));
  return found;
}

double half_width_95(const Identifiability& found, std::size_t parameter) {
  return kTwoSided95 * std::sqrt(found.covariance[parameter][parameter]);
}

}  // namespace latchlab
