// The whole path from a fit's file to its page, with formulas in place of simulations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/fit_problem.h"
#include "tests/models/fixture.h"
#include "tests/paths.h"

namespace latchlab::fit_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SyntheticFit : public ::testing::Test {
 protected:
  void SetUp() override {
    auto spec =
        load_fit(LATCHLAB_SOURCE_DIR "/tests/models/synthetic.yaml", protocol_infos(), data());
    ASSERT_TRUE(spec) << spec.error().text();
    spec_ = std::move(spec).value();
    Formula formula(spec_);
    auto result = calibrate(spec_, formula, {[](const std::string&) {}});
    ASSERT_TRUE(result) << result.error().text();
    result_ = std::move(result).value();
  }
  const FittedConstant& constant(const std::string& key) const {
    return *std::find_if(result_.constants.begin(), result_.constants.end(),
                         [&](const FittedConstant& c) { return c.given.key == key; });
  }

  FitSpec spec_;
  Calibration result_;
};

TEST_F(SyntheticFit, recovers_the_constants_that_the_data_determine) {
  EXPECT_TRUE(constant("latency.one_way").fitted);
  EXPECT_NEAR(constant("latency.one_way").value, 650, 0.2);
  EXPECT_NEAR(constant("atomic.same_address_failed").value, 250, 0.2);
  EXPECT_LT(constant("latency.one_way").low, 650);
  EXPECT_GT(constant("latency.one_way").high, 650);
  EXPECT_LT(constant("latency.one_way").high, 655);
}

TEST_F(SyntheticFit, of_two_tied_constants_one_is_held_and_neither_is_called_fitted) {
  ASSERT_EQ(result_.dropped.size(), 1u);
  const bool pipeline = result_.dropped[0] == "responder.atomic_16";
  const std::string held = pipeline ? "responder.atomic_16" : "atomic.same_address_16";
  const std::string other = pipeline ? "atomic.same_address_16" : "responder.atomic_16";
  EXPECT_EQ(result_.dropped[0], held);
  EXPECT_TRUE(constant(held).held);
  EXPECT_FALSE(constant(held).fitted);
  EXPECT_EQ(constant(held).low, constant(held).given.low);
  EXPECT_FALSE(constant(other).held);
  EXPECT_NEAR(constant(other).value + constant(held).value, 500, 0.5);
  EXPECT_LT(constant(other).high / constant(other).low,
            constant(other).given.high / constant(other).given.low + 1e-9);
  EXPECT_THAT(constant(other).widened_by, ::testing::Contains(HasSubstr(held)));
}

TEST_F(SyntheticFit, another_reading_of_the_data_widens_the_interval_to_its_own_value) {
  const FittedConstant& failed = constant("atomic.same_address_failed");
  EXPECT_NEAR(failed.high, 312.5, 0.5);
  EXPECT_LT(failed.alone_high, 255);
  EXPECT_THAT(failed.widened_by, ::testing::ElementsAre("slower"));
}

TEST_F(SyntheticFit, a_reading_leaves_out_exactly_the_runs_that_it_names) {
  Formula formula(spec_);
  const FitProblem problem(spec_, formula);
  Reading reading;
  reading.without = {"fai"};  // a part of "fails"
  Trial trial;
  trial.reading = &reading;
  ASSERT_EQ(spec_.observations.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(problem.target(i, trial).sigma == 0, i == 1) << i;
}

TEST_F(SyntheticFit, reports_the_distance_of_predictions_from_observations_in_sigmas) {
  Observation other = spec_.observations[0];
  other.value *= 1.02;
  spec_.observations.push_back(other);
  Formula formula(spec_);
  const auto between = calibrate(spec_, formula, {[](const std::string&) {}});
  ASSERT_TRUE(between) << between.error().text();
  const auto& predictions = between.value().predictions;
  ASSERT_EQ(predictions.size(), 4u);
  EXPECT_GT(predictions[0].residual, 1);
  EXPECT_LT(predictions[3].residual, -1);
  EXPECT_NEAR(predictions[1].residual, 0, 0.1);
}

TEST_F(SyntheticFit, reports_which_run_determines_a_constant) {
  const auto& moved = constant("atomic.same_address_failed").moved_by;
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].first, "fails");
  EXPECT_NEAR(moved[0].second, 1, 1e-6);
}

TEST_F(SyntheticFit, a_constant_without_influence_fits_equally_well_at_any_value) {
  const auto window = std::find_if(result_.profiles.begin(), result_.profiles.end(),
                                   [](const auto& p) { return p.what == "atomic.window = 48"; });
  ASSERT_NE(window, result_.profiles.end());
  EXPECT_TRUE(window->equally_good);
}

TEST_F(SyntheticFit, sensitivity_reports_how_far_predictions_and_conclusions_move) {
  ASSERT_EQ(result_.sensitivity.size(), 2u);
  EXPECT_EQ(result_.sensitivity[0].most_moved, "trip cycle_ns.mean");
  EXPECT_NEAR(result_.sensitivity[0].most_moved_ratio, 1.1, 0.001);
  EXPECT_NEAR(result_.conclusions[0], 1800.0 / 1300, 0.001);
  EXPECT_NEAR(result_.sensitivity[0].conclusions[0], 1930.0 / 1430, 0.001);
  EXPECT_NEAR(result_.sensitivity[1].most_moved_ratio, 2, 0.001);
}

TEST_F(SyntheticFit, page_and_json_are_byte_identical_each_time) {
  Formula formula(spec_);
  const auto again = calibrate(spec_, formula, {[](const std::string&) {}});
  ASSERT_TRUE(again);
  EXPECT_EQ(calibration_page(spec_, again.value()), calibration_page(spec_, result_));
  EXPECT_EQ(calibration_json(spec_, again.value()), calibration_json(spec_, result_));
  EXPECT_THAT(calibration_page(spec_, result_), HasSubstr("Held at their start"));
}

TEST_F(SyntheticFit, page_has_a_section_on_sensitivity_if_the_fit_asks_for_it) {
  const std::string page = calibration_page(spec_, result_);
  EXPECT_THAT(page, HasSubstr("\n## Sensitivity\n"));
  for (const SensitivityResult& each : result_.sensitivity)
    EXPECT_THAT(page, HasSubstr("\n| " + each.id + " | "));
  Calibration without = result_;
  without.sensitivity.clear();
  EXPECT_THAT(calibration_page(spec_, without), Not(HasSubstr("Sensitivity")));
}

}  // namespace
}  // namespace latchlab::fit_test
