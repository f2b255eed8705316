// platform.software: files whose constants say what the programs on the CPUs cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/scenario/scenario.h"
#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;

const ConstantOrigin& origin_of(const NicModel& nic, const std::string& key) {
  return *std::ranges::find(nic.origins, key, &ConstantOrigin::key);
}

Point first_of(const std::string& text) {
  const auto parsed = parse(scenario(text));
  EXPECT_TRUE(parsed) << parsed.error().text();
  return parsed ? parsed.value().points.front() : Point{};
}

TEST(Software, replaces_costs_of_cpus_with_their_source_and_leaves_the_nic) {
  const NicModel usual = first_of("platform: {nic: connectx-3}\n").platform.nic;
  const NicModel nic =
      first_of("platform: {nic: connectx-3, software: event_channel}\n").platform.nic;
  EXPECT_EQ(nic.completion, microseconds(12));
  EXPECT_EQ(nic.call_service, microseconds(24));
  EXPECT_EQ(nic.post, usual.post);
  EXPECT_EQ(nic.hold_8, usual.hold_8);
  EXPECT_THAT(origin_of(nic, "latency.completion").source, HasSubstr("FastWake"));
  EXPECT_FALSE(origin_of(nic, "latency.completion").overridden);
  EXPECT_EQ(origin_of(nic, "latency.completion").high, "25us");
}

TEST(Software, says_whether_completions_are_learned_of_by_event) {
  EXPECT_TRUE(first_of("platform: {software: event_channel}\n").platform.by_event);
  EXPECT_FALSE(first_of("platform: {software: remus}\n").platform.by_event);
  EXPECT_FALSE(first_of("platform: {nic: connectx-3}\n").platform.by_event);
  const std::string path = ::testing::TempDir() + "napping.yaml";
  std::ofstream(path) << "name: napping\ncompletions: polling\n";
  EXPECT_FALSE(first_of("platform: {software: " + path + "}\n").platform.by_event);
  std::ofstream(path) << "name: napping\ncompletions: sleeping\n";
  EXPECT_THAT(problem(scenario("platform: {software: " + path + "}\n")),
              HasSubstr("napping.yaml:2: completions is 'sleeping'; expected polling or event"));
  std::filesystem::remove(path);
}

TEST(Software, leaves_what_the_scenario_says_of_the_nic) {
  const NicModel nic = first_of(
                           "platform: {nic: {base: connectx-3, latency.completion: 3us}, "
                           "software: event_channel}\n")
                           .platform.nic;
  EXPECT_EQ(nic.completion, microseconds(3));
  EXPECT_EQ(nic.call_service, microseconds(24));
}

TEST(Software, is_not_scaled_by_a_factor_on_the_file_of_the_nic) {
  const std::string scaled =
      "platform: {nic: {base: connectx-3, scale: {cpu: 2x}}, software: remus}";
  EXPECT_THAT(problem(scenario(scaled + "\n")),
              HasSubstr("scale multiplies local.cpu_access of the NIC's file, in whose place "
                        "platform.software puts another value"));
  const NicModel nic = first_of(
                           "platform: {nic: {base: connectx-3, latency.completion: 12us, "
                           "scale: {latency: 4x}}, software: event_channel}\n")
                           .platform.nic;
  EXPECT_EQ(nic.completion, microseconds(48));
}

TEST(Software, runs_on_the_nodes_of_groups_with_rnics_of_their_own) {
  const Point point = first_of(
      "platform: {software: event_channel}\n"
      "groups: [{name: a, nic: connectx-3}]\n");
  ASSERT_TRUE(point.groups.at(0).nic);
  EXPECT_EQ(point.groups.at(0).nic->completion, microseconds(12));
}

TEST(Software, can_be_swept_and_is_the_same_when_the_resolved_scenario_is_read_again) {
  const auto parsed =
      parse(scenario("platform: {nic: connectx-3}\n"
                     "sweep: {grid: {platform.software: [event_channel, remus, null]}}\n"));
  ASSERT_TRUE(parsed) << parsed.error().text();
  ASSERT_EQ(parsed.value().points.size(), 3U);
  EXPECT_TRUE(parsed.value().points[0].platform.by_event);
  EXPECT_EQ(parsed.value().points[2].platform.software, "");
  EXPECT_EQ(parsed.value().points[0].platform.nic.completion, microseconds(12));
  EXPECT_EQ(parsed.value().points[1].platform.nic.post, nanoseconds(773));
  for (const Point& point : parsed.value().points) {
    const auto again = parse(point.resolved_yaml);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again.value().points.front().resolved_yaml, point.resolved_yaml);
  }
}

TEST(Software, that_does_not_exist_is_an_error_that_names_what_does) {
  EXPECT_EQ(
      problem(scenario("platform:\n  software: event_chanel\n")),
      "test.yaml:5: there is no software 'event_chanel'; known: event_channel, r2_coroutines, "
      "remus (did you mean 'event_channel'?)");
}

TEST(Software, has_no_constants_of_the_nic) {
  const std::string path = ::testing::TempDir() + "own_software.yaml";
  std::ofstream(path) << "name: own\natomic:\n  window: {value: 3, status: published, source: x}\n";
  EXPECT_THAT(problem(scenario("platform: {software: " + path + "}\n")),
              HasSubstr("own_software.yaml:3: 'atomic.window' is not a constant of software; those "
                        "are latency.post, latency.completion"));
  std::ofstream(path) << "latency:\n  post: {value: 3us, status: assumed, source: x}\n";
  EXPECT_THAT(problem(scenario("platform: {software: " + path + "}\n")),
              HasSubstr("latency.post is not published and so needs 'range: [low, high]'"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace latchlab::scenario_test
