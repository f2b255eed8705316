// Factors that scale constants of a NIC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/scenario/nic_constants.h"
#include "core/scenario/suggestions.h"
#include "tests/non_empty.h"
#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

NicModel nic_of(const std::string& nic, const std::vector<Override>& overrides = {}) {
  const auto result = parse(scenario("platform: {nic: " + nic + "}"), overrides);
  EXPECT_TRUE(result) << result.error().text();
  return result ? result.value().points[0].platform.nic : NicModel();
}

std::set<std::string> changed(const NicModel& nic) {
  std::set<std::string> keys;
  for (const ConstantOrigin& origin : nic.origins)
    if (origin.overridden) keys.insert(origin.key);
  return keys;
}

TEST(Scale, a_group_covers_every_width_and_location_of_a_kind) {
  const NicModel plain = nic_of("connectx-7");
  const NicModel nic = nic_of("{base: connectx-7, scale: {atomics: 4x}}");
  for (const NicConstant& constant : non_empty(nic_constants())) {
    const bool hold = constant.name.starts_with("same_address") || constant.name == "read_hold";
    const bool served = constant.name.starts_with("atomic_") && constant.section != "latency";
    const std::int64_t before = number_in(plain, constant);
    if (hold || served)
      EXPECT_EQ(number_in(nic, constant), (before + 2) / 4) << constant.key();
    else
      EXPECT_EQ(number_in(nic, constant), before) << constant.key();
  }
}

TEST(Scale, groups_name_existing_constants_and_each_constant_is_in_one) {
  std::set<std::string> seen;
  for (const NicGroup& group : non_empty(nic_groups()))
    for (const std::string& key : non_empty(group.keys)) {
      ASSERT_NE(find_nic_constant(key), nullptr) << key;
      EXPECT_TRUE(seen.insert(key).second) << key;
    }
  for (const NicConstant& constant : non_empty(nic_constants()))
    EXPECT_TRUE(constant.section != "latency" || seen.contains(constant.key())) << constant.key();
}

TEST(Scale, a_factor_multiplies_what_its_name_says) {
  const NicModel plain = nic_of("connectx-5");
  const NicModel nic = nic_of(
      "{base: connectx-5, scale: {issue: 2x, bandwidth: 0.5x, latency: 1.5x, atomic.window: 2x, "
      "atomic.same_address: 2x}}");
  EXPECT_EQ(nic.request_gap.ps, plain.request_gap.ps / 2);
  EXPECT_EQ(nic.link_bits_per_s, plain.link_bits_per_s / 2);
  EXPECT_EQ(nic.one_way.ps, plain.one_way.ps * 3 / 2);
  EXPECT_EQ(nic.window, plain.window * 2);
  EXPECT_EQ(nic.hold_8, plain.hold_8 * 2);
  EXPECT_EQ(nic.hold_16, plain.hold_16);
}

TEST(Scale, of_one_and_of_zero_change_nothing) {
  EXPECT_THAT(changed(nic_of("{base: connectx-5, scale: {atomics: 1x, latency: 1.0x}}")),
              ::testing::IsEmpty());
  EXPECT_THAT(
      changed(nic_of("{base: connectx-5, atomic.read_hold: 0us, scale: {atomics: 4x}}")),
      AllOf(::testing::Contains("atomic.same_address"), ::testing::Contains("atomic.read_hold")));
  const NicModel nic = nic_of("{base: connectx-5, atomic.read_hold: 0us, scale: {atomics: 4x}}");
  EXPECT_EQ(nic.read_hold.ps, 0);
}

TEST(Scale, is_recorded_with_the_origin_of_the_constant) {
  const auto result = parse(scenario("platform: {nic: {base: connectx-5, scale: {atomics: 4x}}}"),
                            {{"platform.nic.scale.atomic.same_address", "0.5x"}});
  ASSERT_TRUE(result) << result.error().text();
  const Point& point = result.value().points[0];
  EXPECT_EQ(point.platform.nic.hold_8.ps, 42'625);
  EXPECT_THAT(point.resolved_yaml, HasSubstr("scaled: \"341ns by atomics 4x, atomic.same_address "
                                             "0.5x\"\n"));
  for (const ConstantOrigin& origin : non_empty(point.platform.nic.origins))
    EXPECT_EQ(origin.overridden, !origin.scaled.empty()) << origin.key;
  const auto again = parse(result.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().points[0].resolved_yaml, point.resolved_yaml);
}

TEST(Scale, another_base_keeps_the_scaling_of_the_file) {
  const std::string text = scenario("platform: {nic: {base: connectx-5, scale: {atomics: 4x}}}");
  const auto named = parse(text, {{"platform.nic.base", "connectx-6"}});
  ASSERT_TRUE(named) << named.error().text();
  const auto whole = parse(scenario("platform: {nic: {base: connectx-6, scale: {atomics: 4x}}}"));
  EXPECT_EQ(named.value().resolved_yaml, whole.value().resolved_yaml);
  const auto plain =
      parse(scenario("platform: {nic: connectx-5}"),
            {{"platform.nic.base", "connectx-6"}, {"platform.nic.scale.atomics", "4x"}});
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_EQ(plain.value().resolved_yaml, whole.value().resolved_yaml);
  const auto late =
      parse(text, {{"platform.nic.scale.latency", "2x"}, {"platform.nic.base", "connectx-6"}});
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().text(), HasSubstr("put this before other changes of the NIC"));
}

TEST(Scale, applies_after_values_beside_it_and_before_overrides) {
  const NicModel beside =
      nic_of("{base: connectx-5, scale: {atomics: 4x}, atomic.same_address: 400ns}");
  EXPECT_EQ(beside.hold_8, nanoseconds(100));
  const NicModel later = nic_of("{base: connectx-5, scale: {atomics: 4x}}",
                                {{"platform.nic.atomic.same_address", "400ns"}});
  EXPECT_EQ(later.hold_8, nanoseconds(400));
  for (const ConstantOrigin& origin : non_empty(later.origins))
    EXPECT_TRUE(origin.key != "atomic.same_address" || origin.scaled.empty()) << origin.scaled;
}

TEST(Scale, can_be_swept_and_a_resolved_scenario_scales_once) {
  const auto result =
      parse(scenario("groups: [{name: a, nic: connectx-6}, {name: b}]\nsweep: {grid: "
                     "{platform.nic.scale.atomics: [2x, 4x], groups.0.nic.scale.latency: [1x, 2x], "
                     "groups.1.nic.scale.latency: [2x]}}"));
  ASSERT_TRUE(result) << result.error().text();
  const auto& points = result.value().points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[2].platform.nic.hold_8.ps, 85'250);
  EXPECT_EQ(points[2].groups[1].nic->hold_8.ps, 85'250);
  EXPECT_EQ(points[1].groups[0].nic->one_way, points[0].groups[0].nic->one_way * 2);
  const auto again = parse(result.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(again.value().points[i].resolved_yaml, points[i].resolved_yaml) << i;
}

TEST(Scale, that_is_invalid_is_refused_with_its_line) {
  const auto told = [](const std::string& entry) {
    return problem(
        scenario("platform:\n  nic:\n    base: connectx-5\n    scale:\n      " + entry + "\n"));
  };
  EXPECT_EQ(
      told("atomics: 4"),
      "test.yaml:8: platform.nic.scale.atomics: '4' has no unit; expected a factor such as 4x "
      "or 0.5x");
  EXPECT_EQ(told("atomics: 0x"),
            "test.yaml:8: platform.nic.scale.atomics is 0x; allowed: 0.001x to 1000x");
  EXPECT_EQ(told("atomic: 4x"),
            "test.yaml:8: unknown key 'atomic' in platform.nic.scale; did you mean 'atomics'?");
  EXPECT_EQ(
      told("qp.cache: 2x"),
      "test.yaml:8: platform.nic.scale.qp.cache: no factor changes a curve; write its points");
  EXPECT_EQ(told("atomic.slots: 3x"),
            "test.yaml:8: atomic.slots is 1536; expected a power of two such as 512");
  EXPECT_EQ(told("atomic.window: 0.001x"),
            "test.yaml:8: platform.nic.scale.atomic.window: 72 times 0.001x is out of bounds for "
            "atomic.window (count, at least 1)");
  EXPECT_EQ(told("atomics: 4x\n      atomic.read_hold: 2x"),
            "test.yaml:9: platform.nic.scale: atomic.read_hold is scaled by its group too; leave "
            "one out");
  EXPECT_EQ(
      problem(scenario("platform: {nic: {base: connectx-5, scale: 4x}}")),
      "test.yaml:4: platform.nic.scale holds a single value; expected factors by name such as "
      "{atomics: 4x}");
  EXPECT_EQ(problem(scenario("platform: {nic: {scale: {atomics: 4x}}}")),
            "test.yaml:4: base is missing: platform.nic changes scale and does not say of which "
            "NIC; write '{base: connectx-5, scale: ...}'");
}

}  // namespace
}  // namespace latchlab::scenario_test
