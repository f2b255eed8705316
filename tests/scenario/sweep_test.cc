#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/labels.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

TEST(Sweep, variants_of_an_rnic_are_named_by_what_they_change) {
  const auto result = parse(
      scenario("sweep: {grid: {platform.nic: [connectx-5, {base: connectx-5, atomic.window: 48, "
               "atomic.same_address: 300ns}]}}"));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(result.value().points[0].axes, ElementsAre(Pair("platform.nic", "connectx-5")));
  EXPECT_THAT(
      result.value().points[1].axes,
      ElementsAre(Pair("platform.nic", "connectx-5 atomic.window=48 atomic.same_address=300ns")));
}

TEST(Sweep, axes_are_crossed_with_the_first_outermost) {
  const auto result =
      parse(scenario("sweep: {grid: {locks.count: [1, 10M], platform.clients_per_node: [4, 16]}}"));
  ASSERT_TRUE(result) << result.error().text();
  const auto& points = result.value().points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_THAT(points[1].axes,
              ElementsAre(Pair("locks.count", "1"), Pair("platform.clients_per_node", "16")));
  EXPECT_THAT(points[2].axes,
              ElementsAre(Pair("locks.count", "10M"), Pair("platform.clients_per_node", "4")));
  EXPECT_EQ(points[2].locks.count, 10'000'000u);
  EXPECT_EQ(points[2].platform.clients_per_node, 4u);
}

TEST(Sweep, zipped_lists_change_together) {
  const auto result =
      parse(scenario("sweep: {zip: [{locks.count: [1, 10], run.duration: [40ms, 20ms]}]}"));
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result.value().points.size(), 2u);
  EXPECT_EQ(result.value().points[1].locks.count, 10u);
  EXPECT_EQ(result.value().points[1].run.duration, milliseconds(20));
}

TEST(Sweep, whole_protocols_are_named_by_their_label_or_their_name) {
  const auto result = parse(kHead +
                            "sweep: {grid: {protocol: [{name: cas, backoff: none, label: CAS-NB}, "
                            "{name: cas}, {name: shiftlock}]}}");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(labels(result.value()), ElementsAre("CAS-NB", "cas", "shiftlock"));
  EXPECT_THAT(result.value().points[0].axes, ElementsAre(Pair("protocol", "CAS-NB")));
}

TEST(Sweep, two_protocols_with_one_label_are_refused) {
  EXPECT_EQ(problem(kHead + "sweep:\n  grid:\n    protocol:\n      - {name: cas}\n      - {name: "
                            "cas, backoff: none}\n"),
            "test.yaml:7: the label 'cas' names two protocols of the sweep; give this one its own, "
            "for example 'label: cas-2'");
}

TEST(Sweep, parameters_beside_a_swept_name_apply_to_the_locks_that_declare_them) {
  const std::string swept = "sweep: {grid: {protocol.name: [cas, shiftlock]}}\n";
  const auto result = parse(kHead + "protocol: {name: cas, lease: 5ms}\n" + swept);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(labels(result.value()), ElementsAre("cas", "shiftlock"));
  EXPECT_EQ(result.value().points[1].protocol.params.duration("lease"), milliseconds(5));
  EXPECT_EQ(problem(kHead + "protocol: {leese: 5ms}\n" + swept),
            "test.yaml:3: unknown key 'leese' in protocol cas; known: name, profile, label, "
            "backoff, release");
  EXPECT_EQ(problem(kHead + "protocol: {max_consecutive_writers: 4}\nsweep: {grid: "
                            "{protocol.name: [cas, mcs]}}\n"),
            "test.yaml:3: parameter 'max_consecutive_writers' belongs to shiftlock, not to cas; "
            "remove it");
}

TEST(Sweep, the_best_of_several_variants_is_told_by_labels) {
  const std::string grid =
      "sweep:\n  grid: {locks.count: [1, 2], protocol: [cas, {name: cas, backoff: none, label: "
      "bare}, "
      "mcs]}\n";
  const auto with = [&](const std::string& lines) {
    return kHead + grid + "  best_of: {lines: " + lines + "}\n";
  };
  const auto result = parse(with("{CAS: [cas, bare]}"));
  ASSERT_TRUE(result) << result.error().text();
  const Scenario& scenario = result.value();
  ASSERT_EQ(scenario.points.size(), 6u) << "all of them run";
  EXPECT_EQ(scenario.best_of.metric, "goodput_ops_s");
  EXPECT_EQ(scenario.line_of(scenario.points[1]), "CAS");
  EXPECT_EQ(scenario.line_of(scenario.points[2]), "mcs");
  EXPECT_EQ(parse(scenario.resolved_yaml).value().best_of.lines.size(), 1u);
  EXPECT_THAT(problem(with("{CAS: [cas, bar]}")),
              HasSubstr("test.yaml:5: sweep.best_of.lines.CAS: no lock of the sweep has the label "
                        "'bar' (did you mean 'bare'?)"));
  EXPECT_THAT(problem(with("{A: [cas, bare], B: [bare]}")), HasSubstr("belongs to 'A' already"));
  EXPECT_THAT(problem(with("{mcs: [cas, bare]}")), HasSubstr("is the label of another lock"));
  EXPECT_THAT(problem(with("{CAS: cas}")), HasSubstr("expected a list of labels"));
  // --set may remove variants.
  const auto one = parse(with("{CAS: [cas, bare]}"), {{"sweep.grid", "{protocol: [cas, mcs]}"}});
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(one.value().line_of(one.value().points[0]), "CAS");
}

TEST(Sweep, a_swept_parameter_that_a_lock_lacks_is_reported) {
  const auto result = parse(kHead +
                            "sweep: {grid: {protocol: [cas, dslr], protocol.lease: [1ms, "
                            "2ms]}}\n");
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result.value().points.size(), 4u);
  EXPECT_THAT(result.value().warning_texts(),
              Contains("protocol.lease is swept, and cas has no such parameter: cas runs once, and "
                       "its curve is flat"));
  const std::string& warnings = fmt::format("{}", fmt::join(result.value().warning_texts(), "\n"));
  EXPECT_THAT(warnings, Not(HasSubstr("dslr has no such parameter")));
  EXPECT_THAT(problem(kHead + "sweep: {grid: {protocol: [cas, mcs], protocol.lease: [1ms, 2ms]}}"),
              HasSubstr("parameter 'lease' belongs to dslr, shiftlock, not to cas"));
}

TEST(Sweep, locks_may_be_given_by_their_names_alone) {
  const auto one = parse(kHead + "protocol: mcs\n");
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_THAT(labels(one.value()), ElementsAre("mcs"));
  const std::string swept =
      kHead + "sweep: {grid: {protocol: [cas, {name: cas, label: b}, mcs]}}\n";
  const auto several = parse(swept);
  ASSERT_TRUE(several) << several.error().text();
  EXPECT_THAT(labels(several.value()), ElementsAre("cas", "b", "mcs"));
  expect_round_trip(swept);
  expect_round_trip(kHead + "protocol: mcs\n");
  const std::string zipped =
      kHead + "sweep: {zip: [{protocol: [cas, mcs], locks.count: [1, 2]}]}\n";
  const auto pairs = parse(zipped);
  ASSERT_TRUE(pairs) << pairs.error().text();
  EXPECT_THAT(labels(pairs.value()), ElementsAre("cas", "mcs"));
  EXPECT_THAT(problem(kHead + "protocol: msc\n"),
              AllOf(HasSubstr("there is no protocol 'msc'"), HasSubstr("did you mean 'mcs'?")));
  EXPECT_THAT(problem(kHead + "protocol: [cas, mcs]\n"),
              HasSubstr("sweep: {grid: {protocol: [cas, mcs]}}"));
  EXPECT_THAT(problem(kHead + "sweep: {grid: {protocol: [cas, cas]}}\n"), HasSubstr("twice"));
}

TEST(Sweep, constants_of_the_nic_can_be_swept) {
  const auto result = parse(scenario("sweep: {grid: {platform.nic.atomic.window: [48, 128]}}"));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result.value().points[0].platform.nic.window, 48);
  EXPECT_EQ(result.value().points[1].platform.nic.window, 128);
  EXPECT_NE(result.value().points[0].resolved_yaml, result.value().points[1].resolved_yaml);
}

TEST(Sweep, a_mapping_is_named_by_its_name_key) {
  const auto result = parse(scenario(
      "sweep:\n  grid:\n    platform.nic: [{name: today, base: connectx-6}, {name: faster, base: "
      "connectx-6, atomic.window: 96}]\n    workload.distribution: [uniform, {name: skewed, kind: "
      "zipf}]\nexpect: [{id: x, kind: order, metric: goodput_ops_s, over: platform.nic, order: "
      "[faster, today], where: {workload.distribution: skewed}, use: validation, source: s}]\n"));
  ASSERT_TRUE(result) << result.error().text();
  const auto& points = result.value().points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_THAT(points[3].axes,
              ElementsAre(Pair("platform.nic", "faster"), Pair("workload.distribution", "skewed")));
  EXPECT_EQ(points[3].platform.nic.window, 96);
  EXPECT_EQ(points[3].platform.nic.name, "faster");
  EXPECT_EQ(points[3].workload.distribution.kind, DistributionKind::zipf);
  EXPECT_THAT(result.value().expectations.front().groups,
              ElementsAre(ElementsAre(3u), ElementsAre(1u)));
  const auto again = parse(result.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(again.value().points[i].resolved_yaml, points[i].resolved_yaml) << i;
}

TEST(Sweep, two_mappings_with_one_name_are_refused) {
  EXPECT_EQ(problem(scenario("sweep:\n  grid:\n    platform.nic:\n      - {name: x, base: "
                             "connectx-5}\n      - {name: x, base: connectx-6}\n")),
            "test.yaml:8: sweep of platform.nic has the value 'x' twice; remove one");
  EXPECT_THAT(
      problem(scenario("sweep: {grid: {workload.distribution: [{name: [x], kind: zipf}]}}")),
      HasSubstr("workload.distribution.name holds a list; expected a name"));
}

TEST(Sweep, a_list_in_place_of_a_value_is_refused_with_a_hint_to_sweep) {
  EXPECT_EQ(problem(scenario("workload: {read_ratio: [20%, 50%]}\n")),
            "test.yaml:4: workload.read_ratio holds a list; expected a ratio such as 40%. To try "
            "several values, list them as sweep.grid.workload.read_ratio");
}

TEST(Sweep, groups_are_not_named_by_their_name_key_which_may_be_equal) {
  const auto result = parse(scenario(
      "groups: [{name: a}]\nsweep: {grid: {groups.0: [{name: a, nodes: 1}, {name: a, nodes: "
      "2}]}}"));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result.value().points[1].axes.front().second, "{name: a, nodes: 2}");
}

TEST(Sweep, paths_that_do_not_exist_are_refused) {
  EXPECT_EQ(problem(scenario("sweep: {grid: {plaform.servers: [1, 2]}}")),
            "test.yaml:4: sweep path 'plaform.servers' does not exist; did you mean "
            "'platform.servers'?");
  EXPECT_EQ(problem(scenario("sweep:\n  grid:\n    platform.client_per_node: [1, 2]\n")),
            "test.yaml:6: unknown key 'client_per_node' in platform; did you mean "
            "'clients_per_node'?");
  EXPECT_THAT(problem(scenario("sweep: {grid: {platform.nic.atomic.windw: [1, 2]}}")),
              HasSubstr("did you mean 'atomic.window'?"));
  EXPECT_THAT(problem(scenario("sweep: {grid: {run.seed.x: [1, 2]}}")),
              StartsWith("test.yaml:4: run.seed holds"));
}

TEST(Sweep, empty_unequal_and_repeated_lists_are_refused) {
  EXPECT_EQ(problem(scenario("sweep: {grid: {locks.count: []}}")),
            "test.yaml:4: sweep path 'locks.count' has an empty list; give at least one value");
  EXPECT_EQ(problem(scenario("sweep: {grid: {locks.count: 5}}")),
            "test.yaml:4: sweep path 'locks.count' has a single value; expected a list of values, "
            "or a range such as {from: 1, to: 256, steps: 9, scale: log}");
  EXPECT_EQ(problem(scenario("sweep:\n  zip:\n    - locks.count: [1, 2]\n      run.seed: [1]\n")),
            "test.yaml:7: sweep.zip: 'locks.count' has 2 values and 'run.seed' has 1; lists that "
            "change together need equal lengths");
  EXPECT_EQ(problem(scenario("sweep: {grid: {locks.count: [1, 1]}}")),
            "test.yaml:4: sweep of locks.count has the value '1' twice; remove one");
  EXPECT_EQ(problem(scenario("sweep: {grid: {run.seed: [1]}, zip: [{run.seed: [2]}]}")),
            "test.yaml:4: sweep path 'run.seed' is swept twice; remove one");
}

TEST(Sweep, too_many_points_are_refused) {
  std::string values = "1";
  for (int i = 2; i <= 101; ++i) values += ", " + std::to_string(i);
  EXPECT_THAT(problem(scenario("sweep: {grid: {run.seed: [" + values + "], locks.count: [" +
                               values + "]}}")),
              HasSubstr("more than 10000 points"));
}

TEST(Sweep, a_bad_value_of_an_axis_is_named_with_its_line) {
  EXPECT_EQ(problem(scenario("sweep:\n  grid:\n    locks.count: [1, 2us]\n")),
            "test.yaml:6: locks.count: '2us' has an unknown unit 'us'; expected a whole number "
            "such as 48 or 10M (k, M, G decimal)");
}

}  // namespace
}  // namespace latchlab::scenario_test
