// Two runs side by side: what differs, which points correspond, which run is better, and whether
// the ranking of the locks changes.

#include "core/conclude/study_comparison.h"

#include <gmock/gmock.h>

#include "core/base/json.h"
#include "core/conclude/emulation.h"
#include "tests/export/stored_studies.h"
#include "tests/non_empty.h"

namespace latchlab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using namespace study_test;

TEST(CompareStudies, names_what_differs_as_paths) {
  const StudyComparison made = compared(
      study(kBase), study(kBase, {{"platform.nic.atomic.window", "48"}, {"run.seed", "7"}}));
  ASSERT_THAT(made.differences, SizeIs(2));
  EXPECT_EQ(made.differences[0].path, "platform.nic.atomic.window");
  EXPECT_EQ(made.differences[0].a, "72");
  EXPECT_EQ(made.differences[0].b, "48");
  EXPECT_EQ(made.differences[0].points, 6u);
  EXPECT_EQ(made.differences[1].path, "run.seed");
  EXPECT_THAT(compared(study(kBase), study(kBase)).differences, IsEmpty());
}

TEST(CompareStudies, names_different_programs_and_plugins) {
  StoredStudy a = study(kBase), b = study(kBase);
  b.manifest.version = "2";
  a.manifest.plugins = {{"mine.so", "11"}};
  b.manifest.plugins = {{"mine.so", "22"}, {"yours.so", "33"}};
  const StudyComparison made = compared(a, b);
  ASSERT_THAT(made.differences, SizeIs(3));
  EXPECT_EQ(made.differences[0].path, "version");
  EXPECT_EQ(made.differences[1].path, "plug-in mine.so");
  EXPECT_EQ(made.differences[1].b, "22");
  EXPECT_EQ(made.differences[2].a, "-");
}

TEST(CompareStudies, points_correspond_by_label_and_axes) {
  // One run sweeps a value that the other sets.
  const StoredStudy swept = study(kBase), set = study(kBase, {{"locks.count", "[10, 100]"}});
  const StudyComparison made = compared(swept, set);
  EXPECT_THAT(made.pairs, SizeIs(3));
  for (const PointPair& pair : made.pairs) {
    EXPECT_EQ(pair.where, "locks.count=10");
    EXPECT_EQ(swept.scenario.points[pair.a].protocol.label,
              set.scenario.points[pair.b].protocol.label);
  }
  EXPECT_THAT(made.only_a,
              ElementsAre("cas, locks.count=1", "mcs, locks.count=1", "dslr, locks.count=1"));
  EXPECT_THAT(made.only_b,
              ElementsAre("cas, locks.count=100", "mcs, locks.count=100", "dslr, locks.count=100"));
  const StudyComparison fixed = compared(
      swept, study(kBase, {{"sweep", "{grid: {protocol: [{name: mcs}]}}"}, {"locks.count", "10"}}));
  ASSERT_THAT(fixed.pairs, SizeIs(1));
  EXPECT_EQ(fixed.pairs[0].lock, "mcs");
}

TEST(CompareStudies, ratios_are_of_the_second_run_to_the_first) {
  const StudyComparison made =
      compared(study(kBase), study({{"cas", 300}, {"mcs", 100}, {"dslr", 110}}));
  const auto better = [&](const std::string& lock) {
    for (const PointPair& pair : made.pairs)
      if (pair.lock == lock) return std::pair(pair.metrics[0].is->ratio, pair.metrics[0].better);
    return std::pair(0.0, 9);
  };
  EXPECT_EQ(better("cas"), std::pair(1.0, 0));
  EXPECT_EQ(better("mcs"), std::pair(0.5, -1));
  EXPECT_NEAR(better("dslr").first, 1.1, 1e-9);
  EXPECT_EQ(better("dslr").second, 1);
  EXPECT_TRUE(made.pairs[0].metrics[0].is->paired);
  EXPECT_FALSE(
      compared(study(kBase), study(kBase, {{"run.seed", "7"}})).pairs[0].metrics[0].is->paired);
}

TEST(CompareStudies, less_time_is_better_and_some_metrics_have_no_better_direction) {
  EXPECT_EQ(good_direction("acquire_ns.p99"), -1);
  EXPECT_EQ(good_direction("fairness.jain"), 1);
  EXPECT_EQ(good_direction("group_goodput_ops_s.readers"), 1);
  EXPECT_EQ(good_direction("verbs_per_cycle.atomic"), 0);
}

TEST(CompareStudies, a_point_with_a_verdict_is_never_better) {
  StoredStudy a = study(kBase), b = study({{"cas", 900}, {"mcs", 900}, {"dslr", 900}});
  b.outcome.points[0].repeats[1]->status = RepeatStatus::unsafe;
  a.outcome.points[2].repeats[0].reset();
  const StudyComparison made = compared(a, b);
  EXPECT_EQ(made.pairs[0].unsound, "the second is unsafe");
  EXPECT_EQ(made.pairs[0].metrics[0].better, 0);
  EXPECT_EQ(made.pairs[2].unsound, "the first is interrupted");
  EXPECT_EQ(made.pairs[2].metrics[0].better, 0);
  EXPECT_EQ(made.pairs[1].metrics[0].better, 1);
  // At one of the two values only one lock of three is left, so there is no ranking.
  ASSERT_THAT(made.ranks, SizeIs(1));
  EXPECT_EQ(made.ranks[0].where, "locks.count=10");
}

TEST(CompareStudies, reports_which_locks_changed_rank) {
  const StudyComparison made =
      compared(study(kBase), study({{"cas", 150}, {"mcs", 200}, {"dslr", 100}}));
  ASSERT_THAT(made.ranks, SizeIs(2));
  EXPECT_EQ(made.ranks[0].where, "locks.count=1");
  EXPECT_THAT(made.ranks[0].a, ElementsAre("cas", "mcs", "dslr"));
  EXPECT_THAT(made.ranks[0].b, ElementsAre("mcs", "cas", "dslr"));
  EXPECT_NEAR(made.ranks[0].tau, 1.0 / 3, 1e-12);  // two of three pairs agree
  EXPECT_THAT(made.ranks[0].changed, ElementsAre(Pair("cas", "mcs")));
  EXPECT_EQ(compared(study(kBase), study({{"cas", 1}, {"mcs", 2}, {"dslr", 3}})).ranks[0].tau, -1);
}

// The difference is half a percent: the means change order, and it is undecided whether the locks
// do.
TEST(CompareStudies, a_difference_within_chance_changes_no_rank) {
  const StudyComparison made =
      compared(study(kBase), study({{"cas", 199}, {"mcs", 200}, {"dslr", 100}}));
  EXPECT_LT(made.ranks[0].tau, 1);
  EXPECT_THAT(made.ranks[0].changed, IsEmpty());
  EXPECT_THAT(made.ranks[0].decided_a, ElementsAre(true, true));
  EXPECT_THAT(made.ranks[0].b, ElementsAre("mcs", "cas", "dslr"));
  EXPECT_THAT(made.ranks[0].decided_b, ElementsAre(false, true));
}

TEST(CompareStudies, emulated_locks_are_ranked_only_among_themselves) {
  const auto emulating = [](const std::vector<std::string>& lines) {
    StoredStudy made = study({{"cas", 100}, {"mcs", 900}, {"dslr", 200}}, {}, "ibverbs on mlx5_0");
    made.manifest.emulated = lines;
    mark_emulated(made.scenario, made.manifest, made.outcome);
    return made;
  };
  const StudyComparison mixed = compared(
      study(kBase),
      emulating({"masked_atomics_16: agent (mcs)", "reliable_messages: by frames (dslr)"}));
  ASSERT_THAT(mixed.ranks, SizeIs(2));
  for (const RankAgreement& each : mixed.ranks) {
    EXPECT_THAT(each.a, ElementsAre("cas", "dslr"));
    EXPECT_THAT(each.b, ElementsAre("dslr", "cas"));
    EXPECT_EQ(each.tau, -1);
  }
  for (const PointPair& pair : non_empty(mixed.pairs)) {
    EXPECT_EQ(pair.emulated, pair.lock == "mcs" ? "emulated" : "");
    EXPECT_EQ(pair.metrics[0].better, pair.lock == "dslr" ? 1 : pair.lock == "cas" ? -1 : 0);
  }
  for (const RankAgreement& each :
       non_empty(compared(study(kBase), emulating({"all verbs: agent"})).ranks))
    EXPECT_EQ(each.emulated, "emulated");
}

TEST(CompareStudies, is_written_as_json) {
  const StoredStudy a = study(kBase);
  StoredStudy b = study({{"cas", 150}, {"mcs", 200}, {"dslr", 100}}, {{"run.seed", "2"}});
  b.manifest.emulated = {"masked_atomics_16: agent"};
  const auto json = parse_json(comparison_json({"old", "new"}, a, b, compared(a, b)));
  EXPECT_EQ(json["first"], "old");
  EXPECT_EQ(json["differences"][0]["path"], "run.seed");
  EXPECT_EQ(json["emulated"]["second"][0], "masked_atomics_16: agent");
  const auto& metric = json["pairs"][0]["metrics"][0];
  EXPECT_NEAR(metric["first"].get<double>(), 300.3, 1e-9);
  EXPECT_NEAR(metric["second"].get<double>(), 150.15, 1e-9);
  EXPECT_NEAR(metric["ratio"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(metric["better"], -1);
  EXPECT_EQ(json["ranks"][0]["changed"][0][0], "cas");
  EXPECT_THAT(json["ranks"][0]["second_decided"], ElementsAre(true, true));
}

}  // namespace
}  // namespace latchlab
