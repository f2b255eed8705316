// Explains errors by a constant of the model: which constant, by how much, and from which others it
// cannot be told apart. Simulations are formulas here, with random noise.

#include "models/explanation.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/protocols/registry.h"
#include "models/fit_spec.h"
#include "tests/non_empty.h"
#include "tests/paths.h"

namespace latchlab {
namespace {

using ::testing::Contains;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kLocks = R"(
schema: 1
name: s
platform: {client_nodes: 2, nic: connectx-5}
protocol: {name: cas}
run: {repeats: 3}
sweep: {grid: {platform.clients_per_node: [1, 2, 4, 8, 16]}}
)";

double at(const NicModel& nic, const char* key) {
  return constant_of(nic, key);
}

// The latency of a lock by the formula: a round trip, then the queues of a slot and of the
// pipeline.
double cycle_ns(const Point& point) {
  const NicModel& nic = point.platform.nic;
  const double clients = point.platform.clients();
  const double trip = at(nic, "latency.post") + 2 * at(nic, "latency.one_way");
  return 2 * trip + clients * at(nic, "atomic.same_address") +
         clients * clients * at(nic, "responder.atomic_8") / 3 + at(nic, "local.cpu_access") / 1e3;
}

// Noise of one percent, which differs as soon as any input differs, as in a simulation whose events
// change their order. The fingerprint is that of the inputs of the formula.
RepeatOutcome repeat_of(const Point& point, std::uint64_t seed, double chance) {
  const double cycle = cycle_ns(point);
  Rng rng(seed + static_cast<std::uint64_t>(std::llround(cycle * 1e3)));
  const auto shaken = [&](double value) {
    const double noise = static_cast<double>(rng.below(2'000'001)) / 1e6 - 1;
    return value * (1 + chance * noise);
  };
  RepeatOutcome made;
  made.seed = seed;
  made.metrics.fingerprint = std::to_string(cycle) + std::to_string(seed);
  made.metrics.goodput_ops_s = shaken(point.platform.clients() * 1e9 / cycle);
  made.metrics.retry_share = shaken(1 / (1 + cycle / 1e4));
  return made;
}

PointOutcome outcome_of(const Point& point, std::uint64_t seed, double chance) {
  PointOutcome made;
  for (std::uint32_t r = 0; r < point.run.repeats; ++r)
    made.repeats.emplace_back(repeat_of(point, seed + r, chance));
  return made;
}

StoredStudy study_of(const NicChanges& changes, std::uint64_t seed, double chance = 0.01) {
  auto parsed = parse_scenario({kLocks, "s", LATCHLAB_SOURCE_DIR}, {}, protocol_infos(),
                               DataDirs{{LATCHLAB_SOURCE_DIR}});
  EXPECT_TRUE(parsed) << parsed.error().text();
  StoredStudy made;
  made.scenario = std::move(parsed).value();
  for (Point point : made.scenario.points) {
    point.platform.nic = changed(point.platform.nic, changes);
    made.outcome.points.push_back(outcome_of(point, seed, chance));
  }
  return made;
}

NicChanges times(const char* constant, double factor) {
  return {{constant, NicChange::Kind::scale, factor}};
}

Result<Explanation> explain(const StoredStudy& simulated, const StoredStudy& measured,
                            double chance = 0.01) {
  ExplainRequest request{simulated, measured, {}, {"goodput_ops_s", "retry_share"}};
  for (std::size_t i = 0; i < simulated.scenario.points.size(); ++i)
    request.points.emplace_back(i, i);
  return explain_errors(request, [&](const std::string&, const std::vector<Point>& points) {
    StudyOutcome all;
    for (const Point& point : points) all.points.push_back(outcome_of(point, 1, chance));
    return Result<StudyOutcome>(std::move(all));
  });
}

Explanation explained(const NicChanges& changes, std::uint64_t seed) {
  const auto found = explain(study_of({}, 1), study_of(changes, seed));
  EXPECT_TRUE(found) << found.error().text();
  return found ? found.value() : Explanation{};
}

const FactorOf* factor_of(const Explanation& found, const std::string& constant) {
  for (const ExplainedBy& each : found.alone)
    if (each.by[0].constant == constant) return &each.by[0];
  return nullptr;
}

TEST(Explanation, names_the_constant_and_covers_its_factor) {
  int covered = 0, first = 0, asked = 0;
  for (const char* constant : {"latency.one_way", "atomic.same_address", "responder.atomic_8"})
    for (const double factor : {0.8, 1.2})
      for (std::uint64_t seed = 100; seed < 105; ++seed) {
        ++asked;
        const Explanation found = explained(times(constant, factor), 10 * seed);
        ASSERT_THAT(found.alone, Not(IsEmpty())) << constant << " x " << factor;
        first += found.alone.front().by[0].constant == constant;
        const FactorOf* const named = factor_of(found, constant);
        covered += named != nullptr && named->low <= factor && factor <= named->high;
      }
  EXPECT_EQ(first, asked);
  EXPECT_GE(covered, asked * 9 / 10);
}

TEST(Explanation, reports_which_constants_cannot_be_told_apart) {
  const Explanation found = explained(times("latency.post", 3), 900);
  EXPECT_EQ(found.alone.front().by[0].constant, "latency.one_way");  // it changes less
  const FactorOf* const planted = factor_of(found, "latency.post");
  ASSERT_NE(planted, nullptr);
  EXPECT_LE(planted->low, 3);
  EXPECT_GE(planted->high, 3);
  EXPECT_THAT(sentences(found), Contains(HasSubstr("cannot be told apart here from latency.post")));
}

TEST(Explanation, names_the_benchmarks_that_measure_what_it_names) {
  const auto of = [](const char* constant) {
    FactorOf factor;
    factor.constant = constant;
    return factor;
  };
  Explanation found;
  found.alone.emplace_back().by = {of("atomic.window")};
  found.together.emplace().by = {of("atomic.window"), of("dc.connect")};
  EXPECT_THAT(sentences(found),
              Contains("latchlab calibrate --backend ibverbs measures atomic.window (benchmarks "
                       "same_address, window); no benchmark of latchlab calibrate measures "
                       "dc.connect"));
  const auto json = parse_json(explanation_json(found));
  EXPECT_EQ(json["measured_by"]["atomic.window"].size(), 2U);
  EXPECT_TRUE(json["measured_by"]["dc.connect"].empty());
}

TEST(Explanation, reports_constants_that_the_runs_do_not_determine) {
  const Explanation found = explained(times("latency.one_way", 1.2), 900);
  EXPECT_THAT(found.inert, Contains("responder.read"));
  EXPECT_THAT(found.inert, Contains("dc.connect"));
  // It changes the noise, and otherwise nothing that exceeds the noise.
  EXPECT_THAT(found.weak, Contains("local.cpu_access"));
  EXPECT_THAT(found.fixed, Contains("latency.completion"));  // 0
  EXPECT_THAT(found.fixed, Contains("atomic.slots"));
  // A constant that no formula reads changes nothing.
  const Explanation unseen = explained(times("rnr.timer", 5), 900);
  EXPECT_TRUE(unseen.within_chance);
  EXPECT_THAT(unseen.alone, IsEmpty());
}

TEST(Explanation, has_nothing_to_explain_for_a_run_compared_with_itself) {
  const StoredStudy same = study_of({}, 1);
  const auto found = explain(same, same);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_TRUE(found.value().within_chance);
  EXPECT_EQ(found.value().chi2, 0);
  EXPECT_THAT(sentences(found.value()), Contains(HasSubstr("nothing to explain")));
}

TEST(Explanation, covers_the_errors_of_each_point) {
  const StoredStudy simulated = study_of({}, 1);
  for (std::size_t i = 0; i < simulated.outcome.points.size(); ++i) {
    StoredStudy measured = simulated;
    for (auto& repeat : measured.outcome.points[i].repeats)
      repeat->metrics.goodput_ops_s = *repeat->metrics.goodput_ops_s * 0.6;
    const auto found = explain(simulated, measured);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_FALSE(found.value().within_chance) << "point " << i;
  }
}

TEST(Explanation, combines_two_constants_if_neither_alone_explains_the_error) {
  NicChanges both = times("latency.one_way", 1.5);
  both.push_back(times("atomic.same_address", 0.6).front());
  const Explanation found = explained(both, 900);
  ASSERT_TRUE(found.together);
  std::map<std::string, FactorOf> by;
  for (const FactorOf& each : found.together->by) by[each.constant] = each;
  ASSERT_THAT(by, SizeIs(2));
  EXPECT_TRUE(found.together->all_but_chance);
  ASSERT_TRUE(by.contains("atomic.same_address"));
  EXPECT_NEAR(by["atomic.same_address"].factor, 0.6, 0.1);
}

TEST(Explanation, reports_that_the_rest_exceeds_chance) {
  StoredStudy measured = study_of({}, 900);
  // An effect that the model lacks: every second point is slow.
  for (std::size_t i = 0; i < measured.outcome.points.size(); i += 2)
    for (auto& repeat : measured.outcome.points[i].repeats)
      repeat->metrics.goodput_ops_s = *repeat->metrics.goodput_ops_s * 0.6;
  const auto found = explain(study_of({}, 1), measured);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_FALSE(found.value().within_chance);
  for (const ExplainedBy& each : non_empty(found.value().alone)) EXPECT_FALSE(each.all_but_chance);
  EXPECT_FALSE(found.value().together && found.value().together->all_but_chance);
}

TEST(Explanation, refuses_runs_without_intervals_and_runs_that_cannot_be_simulated_again) {
  StoredStudy few = study_of({}, 1);
  for (PointOutcome& point : few.outcome.points) point.repeats.resize(2);
  EXPECT_THAT(explain(few, study_of({}, 5)).error().text(), HasSubstr("--repeats 3"));
  EXPECT_THAT(explain(study_of(times("latency.one_way", 1.1), 1), study_of({}, 5)).error().text(),
              HasSubstr("run it again"));
}

TEST(Explanation, ends_with_the_error_of_a_simulation_that_cannot_be_run) {
  const StoredStudy simulated = study_of({}, 1), measured = study_of(times("latency.post", 3), 900);
  std::set<std::string> stages;
  const auto explain_unless = [&](const std::string& fails) {
    ExplainRequest request{simulated, measured, {}, {"goodput_ops_s", "retry_share"}};
    for (std::size_t i = 0; i < simulated.scenario.points.size(); ++i)
      request.points.emplace_back(i, i);
    return explain_errors(request, [&](const std::string& stage, const std::vector<Point>& points) {
      stages.insert(stage);
      if (stage == fails) return Result<StudyOutcome>(Error{"no more of " + stage, {}});
      StudyOutcome all;
      for (const Point& point : points) all.points.push_back(outcome_of(point, 1, 0.01));
      return Result<StudyOutcome>(std::move(all));
    });
  };
  ASSERT_TRUE(explain_unless("none"));
  const std::set<std::string> asked = stages;
  ASSERT_THAT(asked, SizeIs(Ge(3)));
  for (const std::string& stage : asked) {
    const auto found = explain_unless(stage);
    ASSERT_FALSE(found) << stage;
    EXPECT_EQ(found.error().text(), "no more of " + stage);
  }
}

TEST(Explanation, is_written_as_json) {
  const auto json = parse_json(explanation_json(explained(times("latency.one_way", 1.2), 900)));
  EXPECT_EQ(json["alone"][0]["by"][0]["constant"], "latency.one_way");
  EXPECT_EQ(json["alone"][0]["by"][0]["value"], "657.8ns");
  EXPECT_FALSE(json["undetermined"]["inert"].empty());
  EXPECT_FALSE(json["says"].empty());
}

}  // namespace
}  // namespace latchlab
