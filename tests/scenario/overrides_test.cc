// Values set by --set, on paths that are swept and on others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/labels.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Overrides, set_values_before_the_scenario_is_read) {
  const auto result =
      parse(scenario("locks: {count: 5}"), {{"locks.count", "10M"},
                                            {"platform.servers", "2"},
                                            {"workload.distribution", "{kind: zipf, theta: 0.5}"},
                                            {"platform.nic.atomic.same_address", "300ns"}});
  ASSERT_TRUE(result) << result.error().text();
  const Point& point = result.value().points.front();
  EXPECT_EQ(point.locks.count, 10'000'000u);
  EXPECT_EQ(point.platform.servers, 2u);
  EXPECT_EQ(point.workload.distribution.theta_ppb, 500'000'000);
  EXPECT_EQ(point.platform.nic.hold_8, nanoseconds(300));
}

TEST(Overrides, of_the_sweep_leave_those_of_other_paths_in_force) {
  const std::string swept = scenario("sweep: {grid: {locks.count: [1, 2]}}");
  const std::vector<Override> sets = {{"locks.count", "7"},
                                      {"sweep", "{grid: {locks.count: [3, 4], run.seed: [1, 2]}}"}};
  const auto result = parse(swept, sets);
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result.value().points.size(), 2u);
  for (const Point& point : result.value().points) EXPECT_EQ(point.locks.count, 7u);
}

TEST(Overrides, errors_name_the_override) {
  EXPECT_EQ(problem(scenario(""), {{"lock.count", "5"}}),
            "--set lock.count=5: unknown key 'lock'; did you mean 'locks'?");
  EXPECT_EQ(problem(scenario(""), {{"locks.cuont", "5"}}),
            "--set locks.cuont=5: unknown key 'cuont' in locks; did you mean 'count'?");
  EXPECT_EQ(problem(scenario(""), {{"name.x", "5"}}),
            "--set name.x=5: name holds a single value, so 'x' cannot be set in it");
  EXPECT_EQ(problem(scenario(""), {{"locks..count", "5"}}),
            "--set locks..count=5: 'locks..count' is not a path; expected one such as locks.count");
  EXPECT_THAT(problem(scenario(""), {{"locks.count", "[1"}}), HasSubstr("is a bracket left open?"));
  EXPECT_EQ(problem(scenario(""),
                    {
                        {"faults.0.at", "5ms"},
                    }),
            "--set faults.0.at=5ms: faults holds a mapping; expected a list such as [{kind: "
            "client_crash, at: 30ms, client: 0}]");
}

TEST(Overrides, choose_a_lock_by_its_name_or_its_label) {
  const std::string swept = kHead +
                            "sweep: {grid: {protocol: [{name: mcs}, {name: cas, label: "
                            "CAS-B}, {name: shiftlock}], locks.count: [1, 2]}}";
  const auto of = [](const std::string& text, const std::string& path, const std::string& value) {
    const auto result = parse(text, {{path, value}});
    EXPECT_TRUE(result) << result.error().text();
    return result ? labels(result.value()) : std::vector<std::string>();
  };
  EXPECT_THAT(of(swept, "protocol", "CAS-B"), ElementsAre("CAS-B", "CAS-B"));
  EXPECT_THAT(of(swept, "protocol", "dslr"), ElementsAre("dslr", "dslr"));
  EXPECT_THAT(of(swept, "protocol", "[dslr, CAS-B]"),
              ElementsAre("dslr", "dslr", "CAS-B", "CAS-B"));
  EXPECT_THAT(of(kHead + "protocol: cas", "protocol", "mcs"), ElementsAre("mcs"));
  EXPECT_THAT(of(kHead + "protocol: cas", "protocol.backoff", "none"), ElementsAre("cas"));
  EXPECT_THAT(of(kHead, "protocol", "mcs"), ElementsAre("mcs"));
  const std::string names = kHead + "sweep: {grid: {protocol.name: [cas, shiftlock]}}";
  EXPECT_THAT(of(names, "protocol", "mcs"), ElementsAre("mcs"));
  EXPECT_THAT(of(names, "protocol", "[mcs, dslr]"), ElementsAre("mcs", "dslr"));
  EXPECT_THAT(problem(swept, {{"protocol", "CASB"}}),
              AllOf(HasSubstr("no lock with the label 'CASB'"), HasSubstr("mcs, CAS-B, shiftlock"),
                    HasSubstr("did you mean 'CAS-B'?")));
  EXPECT_THAT(problem(swept, {{"protocol", "[mcs, shfitlock]"}}),
              HasSubstr("did you mean 'shiftlock'?"));
  EXPECT_THAT(problem(kHead + "protocol: cas", {{"protocol", "shfitlock"}}),
              HasSubstr("did you mean 'shiftlock'?"));
  EXPECT_THAT(problem(names, {{"protocol", "shfitlock"}}), HasSubstr("did you mean 'shiftlock'?"));
}

TEST(Overrides, on_a_swept_path_replace_the_axis) {
  const std::string swept = scenario("sweep: {grid: {platform.clients_per_node: [1, 4, 16]}}");
  const auto pinned = parse(swept, {{"platform.clients_per_node", "48"}});
  ASSERT_TRUE(pinned) << pinned.error().text();
  ASSERT_EQ(pinned.value().points.size(), 1u);
  EXPECT_EQ(pinned.value().points[0].platform.clients_per_node, 48u);
  const std::string named = kHead +
                            "sweep: {grid: {platform.nic: [{name: today, base: connectx-5}, {name: "
                            "wide, base: connectx-5, atomic.window: 96}], protocol: [{name: mcs}, "
                            "{name: cas, label: CAS-B}, {name: cas, backoff: none}]}}";
  const auto chosen = parse(named, {{"platform.nic", "wide"}, {"protocol", "[CAS-B, mcs]"}});
  ASSERT_TRUE(chosen) << chosen.error().text();
  ASSERT_EQ(chosen.value().points.size(), 2u);
  EXPECT_EQ(chosen.value().points[0].platform.nic.window, 96);
  EXPECT_THAT(labels(chosen.value()), ElementsAre("CAS-B", "mcs"));
  const auto list = parse(swept, {{"sweep.grid.platform.clients_per_node", "[2, 3]"}});
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_EQ(list.value().points.size(), 2u);
  EXPECT_THAT(
      problem(kHead + "sweep: {grid: {protocol: [{name: cas}]}}", {{"protocol.backoff", "none"}}),
      HasSubstr("protocol is varied by the sweep"));
}

}  // namespace
}  // namespace latchlab::scenario_test
