// Fits of models whose constants are known.

#include "models/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"

namespace latchlab {
namespace {

FitParameter parameter(const std::string& name, double start, double low, double high) {
  return {name, start, low, high, start * 0.05, 1e-6};
}

// Predictions from one function of all parameters.
Predictor from(Vector (*model)(const Vector&)) {
  return [model](const std::vector<Vector>& points) -> Result<Matrix> {
    Matrix all;
    for (const Vector& point : points) all.push_back(model(point));
    return all;
  };
}

// A round trip, a round trip with a hold, and a rate that the hold decides.
Vector trips(const Vector& p) {
  return {2 * p[0] + 100, 2 * p[0] + 100 + p[1], 1e9 / p[1]};
}

LeastSquares known_problem() {
  LeastSquares problem;
  problem.parameters = {parameter("one_way", 500, 100, 2000), parameter("hold", 200, 50, 1000)};
  const Vector truth = trips({658, 341});
  for (const double value : truth) problem.targets.push_back({"target", value, 0.01});
  problem.predict = from(trips);
  return problem;
}

// Only the sum of the two can be observed.
Vector tied(const Vector& p) {
  return {p[0] + p[1], 2 * (p[0] + p[1])};
}

TEST(LeastSquares, with_no_free_parameter_only_compares) {
  LeastSquares problem = known_problem();
  problem.parameters.clear();
  problem.predict = [](const std::vector<Vector>& points) -> Result<Matrix> {
    return Matrix(points.size(), trips({658, 300}));
  };
  const auto fit = fit_least_squares(problem, {});
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_TRUE(fit.value().values.empty());
  EXPECT_GT(fit.value().chi2, 1);
  EXPECT_TRUE(identifiability(problem, fit.value()).singular_values.empty());
}

TEST(LeastSquares, recovers_the_constants_of_a_known_model) {
  const auto fit = fit_least_squares(known_problem(), {});
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_NEAR(fit.value().values[0], 658, 0.01);
  EXPECT_NEAR(fit.value().values[1], 341, 0.01);
  EXPECT_NEAR(fit.value().chi2, 0, 1e-6);
  EXPECT_EQ(fit.value().degrees, 1);
}

TEST(LeastSquares, intervals_cover_the_truth_as_often_as_they_say) {
  constexpr int kTrials = 200;
  int covered = 0;
  Rng rng(7);
  const auto uniform = [&] { return static_cast<double>(rng.below(1'000'001)) / 1e6 - 0.5; };
  for (int trial = 0; trial < kTrials; ++trial) {
    LeastSquares problem = known_problem();
    for (FitTarget& target : problem.targets) {  // the sum of twelve is nearly normal
      double noise = 0;
      for (int i = 0; i < 12; ++i) noise += uniform();
      target.value *= std::exp(0.01 * noise);
    }
    const auto fit = fit_least_squares(problem, {});
    ASSERT_TRUE(fit);
    const Identifiability says = identifiability(problem, fit.value());
    covered += std::abs(std::log(fit.value().values[0] / 658)) <= half_width_95(says, 0) ? 1 : 0;
  }
  EXPECT_GE(covered, kTrials * 90 / 100);
}

TEST(LeastSquares, tied_parameters_show_as_a_direction_without_information) {
  LeastSquares problem;
  problem.parameters = {parameter("hold", 300, 100, 900), parameter("pipeline", 300, 100, 900)};
  problem.targets = {{"a", 700, 0.01}, {"b", 1400, 0.01}};
  problem.predict = from(tied);
  const auto fit = fit_least_squares(problem, {});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit.value().values[0] + fit.value().values[1], 700, 0.1);
  const Identifiability says = identifiability(problem, fit.value());
  EXPECT_GT(says.singular_values[0], 50);
  EXPECT_LT(says.singular_values[1], 0.01);
  EXPECT_LT(says.correlation[0][1], -0.99);
  EXPECT_LT(says.directions[1][0] * says.directions[1][1], 0) << "one up, the other down";
  EXPECT_GT(half_width_95(says, 0), 0.9);
}

TEST(LeastSquares, a_parameter_without_influence_is_undetermined_and_disturbs_no_other) {
  LeastSquares problem = known_problem();
  problem.parameters.push_back(parameter("idle", 10, 5, 20));
  const auto fit = fit_least_squares(problem, {});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit.value().values[1], 341, 0.01);
  EXPECT_DOUBLE_EQ(fit.value().values[2], 10);
  const Identifiability says = identifiability(problem, fit.value());
  EXPECT_GT(half_width_95(says, 2), 1.9);
  EXPECT_LT(half_width_95(says, 0), 0.1);
}

TEST(LeastSquares, stays_within_bounds_and_fits_the_rest_there) {
  LeastSquares problem = known_problem();
  problem.parameters[1].high = 300;
  problem.targets.pop_back();
  const auto fit = fit_least_squares(problem, {});
  ASSERT_TRUE(fit);
  EXPECT_DOUBLE_EQ(fit.value().values[1], 300);
  EXPECT_NEAR(fit.value().values[0], 669, 10);
}

TEST(LeastSquares, a_target_without_weight_is_predicted_but_changes_nothing) {
  LeastSquares problem = known_problem();
  problem.targets[2].sigma = 0;
  problem.targets[2].value = 1;
  const auto fit = fit_least_squares(problem, {});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit.value().values[1], 341, 0.01);
  EXPECT_NEAR(fit.value().predicted[2], 1e9 / 341, 1e3);
  EXPECT_DOUBLE_EQ(fit.value().residuals[2], 0);
  // Without the third target only the other two constrain the second parameter.
  const Identifiability says = identifiability(problem, fit.value());
  for (const double value : says.singular_values) EXPECT_TRUE(std::isfinite(value)) << value;
  const auto with_weight = fit_least_squares(known_problem(), {});
  EXPECT_GT(half_width_95(says, 1),
            half_width_95(identifiability(known_problem(), with_weight.value()), 1));
}

TEST(LeastSquares, wide_scatter_widens_the_intervals) {
  LeastSquares problem = known_problem();
  problem.targets[1].value *= 1.2;
  const auto fit = fit_least_squares(problem, {});
  ASSERT_TRUE(fit);
  const Identifiability says = identifiability(problem, fit.value());
  const auto exact = fit_least_squares(known_problem(), {});
  EXPECT_GT(half_width_95(says, 0),
            3 * half_width_95(identifiability(known_problem(), exact.value()), 0));
}

TEST(LeastSquares, a_prediction_of_zero_is_an_error_that_names_the_target) {
  LeastSquares problem = known_problem();
  problem.predict = from([](const Vector&) { return Vector{1, 0, 1}; });
  const auto fit = fit_least_squares(problem, {});
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().message, "the model predicts 0 for target; expected a positive number");
}

}  // namespace
}  // namespace latchlab
