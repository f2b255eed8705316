// To which constants of the model the ranking of locks is sensitive, for studies whose goodput is a
// formula of the NIC's constants.

#include "core/conclude/sensitivity.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/base/json.h"
#include "core/protocols/registry.h"
#include "tests/paths.h"

namespace latchlab {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using PointFormula = double (*)(const Point& point);

constexpr const char* kText = R"(
schema: 1
name: s
platform: {client_nodes: 2, clients_per_node: 2, nic: connectx-5}
run: {repeats: 3}
sweep: {grid: {protocol: [{name: cas}, {name: mcs}]}}
)";

class Sensitive : public ::testing::Test {
 protected:
  Sensitive() {
    auto parsed = parse_scenario({kText, "s", LATCHLAB_SOURCE_DIR}, {}, protocol_infos(),
                                 DataDirs{{LATCHLAB_SOURCE_DIR}});
    if (parsed)
      scenario_ = std::move(parsed).value();
    else
      ADD_FAILURE() << parsed.error().text();
  }

  // The repeats of a point differ by half a percent, equally for each point.
  StudyOutcome run(const std::vector<Point>& points, PointFormula formula) const {
    StudyOutcome outcome;
    for (const Point& point : points) {
      PointOutcome made;
      for (std::uint32_t r = 0; r < point.run.repeats; ++r) {
        RepeatOutcome repeat;
        const double goodput = formula(point) * (1 + 0.005 * r);
        repeat.metrics.goodput_ops_s = goodput;
        repeat.metrics.fingerprint = std::to_string(goodput);
        if (parts_)
          for (const double part : {1.001, 0.999, 1.001, 0.999, 1.0})
            repeat.metrics.window.batches.emplace_back(goodput * part);
        made.repeats.emplace_back(repeat);
      }
      outcome.points.push_back(made);
    }
    return outcome;
  }

  Sensitivity find(PointFormula formula) {
    const StudyOutcome outcome = run(scenario_.points, formula);
    const RunPoints runner = [&](const std::string& stage, const std::vector<Point>& points) {
      for (const Point& point : points) {
        runs_[stage] += point.run.repeats;
        longest_[stage] = std::max(longest_[stage], point.run.duration);
      }
      return Result<StudyOutcome>(run(points, formula));
    };
    const auto found = find_sensitivity(scenario_, outcome, {0, 1}, cost_, runner);
    EXPECT_TRUE(found) << found.error().text();
    return found ? found.value() : Sensitivity{};
  }

  Scenario scenario_;
  std::map<std::string, std::size_t> runs_;  // repeats, by stage
  std::map<std::string, Duration> longest_;  // window, by stage
  // A repeat costs its milliseconds.
  SensitivityCost cost_ = {[](const Point& point) { return point.run.duration.seconds() * 1e3; },
                           1e9, 1e9};
  bool parts_ = false;  // runs have the goodput of parts of the window
};

double nanoseconds(Duration time) {
  return static_cast<double>(time.ps) / 1e3;
}

// The goodput of cas is 1.2x that of mcs, but lower once a failing CAS takes 290 ns or more (267;
// bounds 192 to 385).
double failing_cas(const Point& point) {
  if (point.protocol.name == "mcs") return 1e6;
  return 1e6 * (1 + (290 - nanoseconds(point.platform.nic.hold_8_failed)) / 115);
}

TEST_F(Sensitive, to_a_constant_at_whose_bound_the_order_flips) {
  const Sensitivity found = find(failing_cas);
  EXPECT_THAT(found.labels, ElementsAre("cas", "mcs"));
  ASSERT_EQ(found.moved.size(), 2u);
  EXPECT_EQ(found.moved[0].end.at, "192.2ns");
  ASSERT_EQ(found.moved[0].pairs.size(), 1u);
  EXPECT_EQ(found.moved[0].pairs[0].order, Order::holds);
  EXPECT_EQ(found.moved[1].end.origin.key, "atomic.same_address_failed");
  EXPECT_EQ(found.moved[1].end.at, "385.1ns");
  ASSERT_EQ(found.moved[1].pairs.size(), 1u);
  EXPECT_EQ(found.moved[1].pairs[0].order, Order::flips);
  EXPECT_NEAR(found.moved[1].pairs[0].ratio, 1.2, 0.001);
  EXPECT_NEAR(found.moved[1].pairs[0].ratio_at, 20.0 / 115, 0.001);
  EXPECT_THAT(sentences(found),
              ElementsAre("The order of cas and mcs (1.20) flips at atomic.same_address_failed = "
                          "385.1ns (0.17)."));
}

TEST_F(Sensitive, only_bounds_that_move_a_ratio_run_in_full) {
  find(failing_cas);
  EXPECT_EQ(runs_["ends"], 2u * 2 * 3);  // both bounds, both locks, all repeats
  // Sections: the original, and both bounds of each section. Then both bounds of the constants of
  // one section.
  EXPECT_GT(runs_["sections"], runs_["constants"]);
  EXPECT_EQ(runs_["constants"] % 2, 0u);
  // mcs has the same events at all bounds, so only cas runs there.
  const ConstantBounds bounds = parameter_bounds(scenario_.points[0]);
  const std::vector<NicSection> sections = sections_of(bounds);
  const auto atomic = std::find_if(sections.begin(), sections.end(), [](const NicSection& each) {
    return each.ends.front().origin.key.starts_with("atomic.");
  });
  ASSERT_NE(atomic, sections.end());
  EXPECT_EQ(runs_["constants"], atomic->ends.size());
  EXPECT_LE(runs_["sections"] + runs_["constants"],
            2 * short_runs(scenario_.points, cost_)[0].run.repeats);
}

TEST_F(Sensitive, bounds_at_which_short_runs_show_each_order_do_not_run_in_full) {
  parts_ = true;
  const Sensitivity found = find(failing_cas);
  EXPECT_EQ(runs_["ends"], 1u * 2 * 3);  // at 385.1ns the order flips
  ASSERT_EQ(found.moved.size(), 2u);
  EXPECT_EQ(found.moved[0].end.at, "192.2ns");
  ASSERT_EQ(found.moved[0].pairs.size(), 1u);
  EXPECT_EQ(found.moved[0].pairs[0].order, Order::holds);
  EXPECT_NEAR(found.moved[0].pairs[0].ratio, 1.2, 0.001);
  EXPECT_EQ(found.moved[1].pairs[0].order, Order::flips);
}

TEST_F(Sensitive, windows_are_shorter_if_the_search_costs_too_much) {
  const Duration window = scenario_.points[0].run.duration;
  find(failing_cas);
  EXPECT_EQ(longest_["sections"], window / 4);
  EXPECT_EQ(longest_["ends"], window);
  // Both bounds, both locks, three repeats: 12 windows, of which the limit allows a third.
  cost_.last_runs = 4 * window.seconds() * 1e3;
  cost_.short_runs =
      2 * short_runs(scenario_.points, cost_)[0].run.repeats * (window / 8).seconds() * 1e3;
  longest_.clear();
  find(failing_cas);
  EXPECT_EQ(longest_["sections"], window / 8);
  EXPECT_EQ(longest_["constants"], window / 8);
  EXPECT_EQ(longest_["ends"], window / 3);
  // Never shorter than a millisecond, and whole if events have dates.
  cost_.last_runs = cost_.short_runs = 1e-3;
  longest_.clear();
  find(failing_cas);
  EXPECT_EQ(longest_["ends"], std::min(milliseconds(1), window));
  FaultSpec crash;
  crash.kind = FaultKind::client_crash;
  crash.at = milliseconds(1);
  for (Point& point : scenario_.points) point.faults.push_back(crash);
  longest_.clear();
  find(failing_cas);
  EXPECT_EQ(longest_["sections"], window);
}

// All goodputs change by the same factor: no ratio moves.
TEST_F(Sensitive, to_nothing_if_all_locks_move_together) {
  const Sensitivity found = find([](const Point& point) {
    return (point.protocol.name == "mcs" ? 1e6 : 1.1e6) * nanoseconds(point.platform.nic.one_way);
  });
  EXPECT_THAT(found.moved, IsEmpty());
  EXPECT_EQ(runs_["ends"], 0u);
  EXPECT_THAT(sentences(found),
              ElementsAre(AllOf(HasSubstr("No order of two locks turns round"),
                                HasSubstr("none moves a ratio by more than 2%"))));
}

TEST_F(Sensitive, to_a_bound_at_which_two_locks_cannot_be_told_apart) {
  const Sensitivity found = find([](const Point& point) {
    const bool far = point.platform.nic.receive.ps >= 350'000;
    return point.protocol.name == "mcs" && far ? 1.095e6
           : point.protocol.name == "mcs"      ? 1e6
                                               : 1.1e6;
  });
  EXPECT_THAT(sentences(found),
              Contains("cas and mcs (1.10) cannot be told apart at latency.receive = 350ns "
                       "(1.00)."));
}

// With three repeats the interval decides, not the mean.
TEST_F(Sensitive, is_undecided_if_the_difference_is_within_chance) {
  const auto outcome_of = [](std::vector<double> goodputs) {
    PointOutcome point;
    for (const double goodput : goodputs) {
      RepeatOutcome repeat;
      repeat.metrics.goodput_ops_s = goodput;
      repeat.metrics.fingerprint = "0";
      point.repeats.emplace_back(repeat);
    }
    return point;
  };
  StudyOutcome outcome;
  outcome.points = {outcome_of({1.2e6, 1.2e6, 1.2e6}), outcome_of({1e6, 1e6, 1e6})};
  const RunPoints runner = [&](const std::string& stage, const std::vector<Point>& points) {
    StudyOutcome made;
    for (const Point& point : points) {
      const bool low = point.platform.nic.read.ps == 200'000 && point.protocol.name == "cas";
      const std::vector<double> noisy = {0.7e6, 1.3e6, 0.8e6};
      const std::vector<double> one = {low ? 0.7e6 : 1.2e6};
      if (stage == "ends" && low)
        made.points.push_back(outcome_of(noisy));
      else if (point.protocol.name == "cas")
        made.points.push_back(outcome_of(one));
      else
        made.points.push_back(outcome_of({1e6, 1e6, 1e6}));
      if (low) made.points.back().repeats[0]->metrics.fingerprint = "1";
    }
    return Result<StudyOutcome>(made);
  };
  const auto found = find_sensitivity(scenario_, outcome, {0, 1}, cost_, runner);
  ASSERT_TRUE(found);
  ASSERT_EQ(found.value().moved.size(), 1u);
  EXPECT_EQ(found.value().moved[0].pairs[0].order, Order::undecided);
}

TEST_F(Sensitive, to_a_bound_at_which_a_lock_has_no_goodput) {
  const Sensitivity found = find([](const Point& point) {
    const bool stops = point.protocol.name == "mcs" && point.platform.nic.window == 48;
    return stops ? 0 : point.protocol.name == "mcs" ? 1e6 : 1.1e6;
  });
  ASSERT_EQ(found.moved.size(), 1u);
  EXPECT_EQ(found.moved[0].broken, "mcs: nothing done");
  EXPECT_THAT(sentences(found),
              Contains("At atomic.window = 48 there is no comparison: mcs: nothing done."));
}

TEST_F(Sensitive, not_to_a_constant_that_the_scenario_sets) {
  for (Point& point : scenario_.points)
    for (ConstantOrigin& origin : point.platform.nic.origins)
      if (origin.key == "atomic.same_address_failed") origin.overridden = true;
  EXPECT_THAT(find(failing_cas).moved, IsEmpty());
}

TEST_F(Sensitive, an_interruption_ends_the_search) {
  const StudyOutcome outcome = run(scenario_.points, failing_cas);
  const auto found =
      find_sensitivity(scenario_, outcome, {0, 1}, cost_,
                       [](const std::string&, const std::vector<Point>&) -> Result<StudyOutcome> {
                         return Error{"interrupted", {}};
                       });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text(), "interrupted");
}

TEST_F(Sensitive, cannot_be_known_from_a_file_that_cannot_be_read) {
  std::string home =
      (fs::temp_directory_path() / ("latchlab-sensitivity-" + std::string(6, 'X'))).string();
  ASSERT_NE(::mkdtemp(home.data()), nullptr);
  const StudyOutcome outcome = run(scenario_.points, failing_cas);
  const auto absent = stored_sensitivity(home, outcome);
  ASSERT_TRUE(absent) << absent.error().text();
  EXPECT_EQ(absent.value(), "");
  fs::create_directory(home + "/sensitivity.json");
  const auto unreadable = stored_sensitivity(home, outcome);
  fs::remove_all(home);
  ASSERT_FALSE(unreadable);
  EXPECT_THAT(unreadable.error().text(), HasSubstr("sensitivity.json: not a file"));
}

TEST_F(Sensitive, is_written_with_all_data_of_the_page) {
  const auto json = parse_json(sensitivity_json(find(failing_cas)));
  EXPECT_EQ(json["says"].size(), 1u);
  const auto& moved = json["moved"][1];
  EXPECT_EQ(moved["constant"], "atomic.same_address_failed");
  EXPECT_EQ(moved["status"], "fitted");
  EXPECT_EQ(moved["at"], "385.1ns");
  EXPECT_EQ(moved["pairs"][0]["order"], "flips");
}

}  // namespace
}  // namespace latchlab
