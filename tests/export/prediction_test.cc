// A simulation compared with hardware: relative errors, which pairs are refused, and which are only
// marked.

#include <gmock/gmock.h>

#include "core/base/json.h"
#include "core/conclude/emulation.h"
#include "tests/export/stored_studies.h"
#include "tests/non_empty.h"

namespace latchlab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace study_test;

constexpr const char* kHardware = "ibverbs on mlx5_0 (firmware 16.35, Linux 6.1)";

std::string refusal(const std::vector<Override>& overrides, const char* backend = kHardware) {
  const auto made = compare_studies(study(kBase), study(kBase, overrides, backend), {});
  return made ? std::string() : made.error().text();
}

TEST(Prediction, errors_are_of_the_simulation_whichever_run_comes_first) {
  const StoredStudy simulated = study(kBase);
  const StoredStudy measured = study({{"cas", 240}, {"mcs", 200}, {"dslr", 200}}, {}, kHardware);
  for (const StudyComparison& made :
       {compared(simulated, measured), compared(measured, simulated)}) {
    const auto& cas = *made.pairs[0].metrics[0].error;
    EXPECT_NEAR(cas.ratio - 1, 0.25, 1e-9);
    EXPECT_EQ(cas.ahead, 1);
    EXPECT_LT(*cas.low, *cas.high);
    EXPECT_EQ(made.pairs[4].lock, "dslr");
    EXPECT_NEAR(made.pairs[4].metrics[0].error->ratio - 1, -0.5, 1e-9);
    ASSERT_THAT(made.errors, SizeIs(1));
    EXPECT_EQ(made.errors[0].points, 6u);
    EXPECT_NEAR(made.errors[0].median, 0.25, 1e-9);
    EXPECT_NEAR(made.errors[0].greatest, 0.5, 1e-9);
    EXPECT_EQ(made.pairs[made.errors[0].greatest_at].lock, "dslr");
  }
}

TEST(Prediction, a_run_compared_with_itself_has_no_error) {
  const StudyComparison made = compared(study(kBase), study(kBase, {}, kHardware));
  for (const PointPair& pair : non_empty(made.pairs)) {
    EXPECT_EQ(pair.metrics[0].error->ratio, 1);
    EXPECT_EQ(pair.metrics[0].error->low, 1);
    EXPECT_EQ(pair.metrics[0].error->high, 1);
  }
  EXPECT_EQ(made.errors[0].greatest, 0);
  for (const RankAgreement& each : non_empty(made.ranks)) EXPECT_EQ(each.tau, 1);
}

TEST(Prediction, has_no_errors_between_two_simulations_or_two_hardware_runs) {
  EXPECT_FALSE(compared(study(kBase), study(kBase)).pairs[0].metrics[0].error);
  EXPECT_THAT(compared(study(kBase, {}, kHardware), study(kBase, {}, kHardware)).errors, IsEmpty());
}

TEST(Prediction, needs_the_same_guard_and_windows) {
  EXPECT_THAT(
      refusal({{"run.guard", "on"}}),
      AllOf(
          HasSubstr("run.guard is off in the first run (simgrid) and on in the second (ibverbs on "
                    "mlx5_0 (firmware 16.35, Linux 6.1)): what is measured is not the same"),
          EndsWith("run the simulation again with --set run.guard=on")));
  EXPECT_THAT(refusal({{"run.duration", "50ms"}}), HasSubstr("--set run.duration=50ms"));
  EXPECT_THAT(refusal({{"run.warmup", "50ms"}}), HasSubstr("--set run.warmup=50ms"));
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({{"run.guard", "on"}, {"run.duration", "50ms"}}, "simgrid"), "");
}

TEST(Prediction, needs_the_same_scenario) {
  EXPECT_THAT(refusal({{"platform.clients_per_node", "4"}}),
              HasSubstr("platform.clients_per_node is 2 in the first run"));
  EXPECT_THAT(refusal({{"workload.read_ratio", "10%"}}),
              HasSubstr("--set workload.read_ratio=0.1"));
  EXPECT_THAT(refusal({{"workload.think_time", "3us"}, {"locks.stride", "128B"}}),
              EndsWith("--set locks.stride=128 --set workload.think_time=3us"));
}

TEST(Prediction, suggests_no_setting_for_a_key_that_one_run_lacks) {
  EXPECT_THAT(refusal({{"workload.kind", "object_store"}}),
              EndsWith("run both with the same scenario and the same version"));
}

TEST(Prediction, may_be_of_another_nic_and_another_seed) {
  EXPECT_EQ(refusal({{"platform.nic", "connectx-6"},
                     {"platform.clocks.drift", "10ppm"},
                     {"run.seed", "9"},
                     {"run.repeats", "5"}}),
            "");
  EXPECT_TRUE(may_differ("groups.0.nic.latency.post"));
  EXPECT_FALSE(may_differ("groups.0.clients_per_node"));
  EXPECT_FALSE(may_differ("platform.nics"));
  EXPECT_FALSE(may_differ("platform.client_nodes_per_nic"));
}

TEST(Prediction, emulated_points_are_marked_and_ranked_apart) {
  StoredStudy measured = study({{"cas", 300}, {"mcs", 900}, {"dslr", 100}}, {}, kHardware);
  measured.manifest.emulated = {"all verbs on locks: agents (mcs)"};
  mark_emulated(measured.scenario, measured.manifest, measured.outcome);
  const StudyComparison made = compared(study(kBase), measured);
  for (const PointPair& pair : non_empty(made.pairs))
    EXPECT_EQ(pair.emulated, pair.lock == "mcs" ? "emulated" : "") << pair.lock;
  ASSERT_THAT(made.ranks, SizeIs(2));
  EXPECT_THAT(made.ranks[0].a, ElementsAre("cas", "dslr"));
  EXPECT_EQ(made.ranks[0].tau, 1);
  EXPECT_EQ(made.errors[0].points, 4u);
  EXPECT_EQ(made.errors[0].greatest, 0);
}

TEST(Prediction, all_points_of_a_software_device_are_marked) {
  StoredStudy measured = study(kBase, {}, "ibverbs on rxe0 (firmware none, Linux 6.1)");
  measured.manifest.software = {"rxe0 is soft-RoCE"};
  mark_emulated(measured.scenario, measured.manifest, measured.outcome);
  const StudyComparison made = compared(study(kBase), measured);
  for (const PointPair& pair : non_empty(made.pairs)) EXPECT_EQ(pair.emulated, "software");
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.ranks[0].emulated, "software");
  EXPECT_THAT(made.ranks[0].a, SizeIs(3));
}

TEST(Prediction, is_written_as_json) {
  const StoredStudy a = study(kBase),
                    b = study({{"cas", 150}, {"mcs", 200}, {"dslr", 100}}, {}, kHardware);
  const auto json =
      parse_json(comparison_json({"sim", "hw"}, a, b, compared(a, b), R"({"says": ["nothing"]})"));
  EXPECT_EQ(json["simulated"]["first"], true);
  EXPECT_EQ(json["simulated"]["second"], false);
  EXPECT_NEAR(json["pairs"][0]["metrics"][0]["error"]["relative"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(json["errors"][0]["greatest"].get<double>(), 1, 1e-9);
  EXPECT_EQ(json["explanation"]["says"][0], "nothing");
  EXPECT_THAT(comparison_json({"a", "b"}, a, a, compared(a, a)),
              AllOf(Not(HasSubstr("explanation")), Not(HasSubstr("\"error\""))));
}

}  // namespace
}  // namespace latchlab
