// Ranges in place of a list of values of an axis.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string swept(const std::string& path, const std::string& range) {
  return scenario("sweep:\n  grid:\n    " + path + ": " + range + "\n");
}

std::vector<std::string> values(const std::string& path, const std::string& range) {
  const auto result = parse(swept(path, range));
  if (!result) return {result.error().text()};
  std::vector<std::string> all;
  for (const Point& point : result.value().points) all.push_back(point.axes.front().second);
  return all;
}

TEST(Range, of_counts_has_whole_numbers_without_repetition) {
  EXPECT_THAT(values("platform.clients_per_node", "{from: 1, to: 256, steps: 9, scale: log}"),
              ElementsAre("1", "2", "4", "8", "16", "32", "64", "128", "256"));
  EXPECT_THAT(values("platform.clients_per_node", "{from: 1, to: 4, steps: 9, scale: log}"),
              ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(values("locks.count", "{from: 1, to: 10M, steps: 8, scale: log}"),
              ElementsAre("1", "10", "100", "1k", "10k", "100k", "1M", "10M"));
  EXPECT_THAT(values("locks.count", "{from: 10, to: 1k, steps: 6, scale: log}"),
              ElementsAre("10", "25", "63", "158", "398", "1k"));
  EXPECT_THAT(values("locks.count", "{from: 0001, to: 10, steps: 3}"),
              ElementsAre("0001", "6", "10"));
}

TEST(Range, keeps_units_and_rounds_to_readable_numbers) {
  EXPECT_THAT(values("workload.think_time", "{from: 1us, to: 1ms, steps: 4, scale: log}"),
              ElementsAre("1us", "10us", "100us", "1ms"));
  EXPECT_THAT(values("workload.think_time", "{from: 1us, to: 1ms, steps: 5, scale: log}"),
              ElementsAre("1us", "5.623us", "31.62us", "177.8us", "1ms"));
  EXPECT_THAT(values("workload.think_time", "{from: 0us, to: 1ms, steps: 4, scale: linear}"),
              ElementsAre("0us", "333.3us", "666.7us", "1ms"));
  EXPECT_THAT(values("workload.think_time", "{from: 1000us, to: 1001us, steps: 5}"),
              ElementsAre("1000us", "1.00025ms", "1.0005ms", "1.00075ms", "1001us"));
  EXPECT_THAT(values("workload.read_ratio", "{from: 0%, to: 100%, steps: 5}"),
              ElementsAre("0%", "25%", "50%", "75%", "100%"));
  EXPECT_THAT(values("workload.read_ratio", "{from: 0, to: 1, steps: 3}"),
              ElementsAre("0", "0.5", "1"));
  EXPECT_THAT(values("platform.clocks.drift", "{from: 10ppm, to: 1000ppm, steps: 3, scale: log}"),
              ElementsAre("10ppm", "100ppm", "1000ppm"));
  EXPECT_THAT(values("locks.stride", "{from: 64B, to: 4KiB, steps: 4, scale: log}"),
              ElementsAre("64B", "256B", "1KiB", "4KiB"));
}

TEST(Range, works_for_constants_factors_faults_and_parameters) {
  EXPECT_THAT(values("platform.nic.link.rate", "{from: 25Gbps, to: 100Gbps, steps: 4}"),
              ElementsAre("25Gbps", "50Gbps", "75Gbps", "100Gbps"));
  EXPECT_THAT(values("platform.nic.scale.atomics", "{from: 0.5x, to: 8x, steps: 5, scale: log}"),
              ElementsAre("0.5x", "1x", "2x", "4x", "8x"));
  EXPECT_THAT(values("protocol.lease", "{from: 1ms, to: 4ms, steps: 3, scale: log}"),
              ElementsAre("1ms", "2ms", "4ms"));
  EXPECT_THAT(values("protocol.max_consecutive_writers", "{from: 1, to: 5, steps: 3}"),
              ElementsAre("1", "3", "5"));
  const auto faults =
      parse(scenario("faults: [{kind: slow_client, client: 0, at: 0us, factor: 2}]\nsweep: {grid: "
                     "{faults.0.factor: {from: 1, to: 4, steps: 3, scale: log}}}"));
  ASSERT_TRUE(faults) << faults.error().text();
  EXPECT_EQ(faults.value().points[1].faults[0].factor_ppb, 2'000'000'000);
}

TEST(Range, may_begin_below_zero_if_its_path_allows_negative_values) {
  const auto result =
      parse(scenario("faults: [{kind: drift, server: 0, at: 1us, jump: 1us}]\nsweep: {grid: "
                     "{faults.0.jump: {from: -9us, to: 9us, steps: 4}}}"));
  ASSERT_TRUE(result) << result.error().text();
  std::vector<std::int64_t> jumps;
  for (const Point& point : result.value().points)
    jumps.push_back(point.faults[0].jump.ps / 1'000'000);
  EXPECT_THAT(jumps, ElementsAre(-9, -3, 3, 9));
  EXPECT_EQ(result.value().points[1].axes.front().second, "-3us");
}

TEST(Range, reaches_the_ends_of_what_can_be_counted) {
  for (const std::string scale : {"linear", "log"}) {
    const auto all =
        values("run.seed", "{from: 1, to: 9223372036854775807, steps: 1000, scale: " + scale + "}");
    ASSERT_GT(all.size(), 900u) << scale;
    EXPECT_EQ(all.back(), "9223372036854775807");
  }
}

TEST(Range, can_be_used_in_a_zip_and_with_set) {
  const auto zipped =
      parse(scenario("sweep: {zip: [{locks.count: {from: 1, to: 4, steps: 3, scale: log}, "
                     "run.duration: [40ms, 20ms, 10ms]}]}"));
  ASSERT_TRUE(zipped) << zipped.error().text();
  EXPECT_EQ(zipped.value().points[1].locks.count, 2u);
  EXPECT_EQ(zipped.value().points[1].run.duration, milliseconds(20));
  const auto set = parse(scenario("sweep: {grid: {locks.count: [7]}}"),
                         {{"locks.count", "{from: 1, to: 3, steps: 3}"}});
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set.value().points.size(), 3u);
}

TEST(Range, is_expanded_in_the_resolved_scenario) {
  const auto result = parse(swept("locks.count", "{from: 1, to: 100, steps: 3, scale: log}"));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(result.value().resolved_yaml, HasSubstr("{locks.count: [1, 10, 100]}"));
}

TEST(Range, that_is_invalid_is_refused_with_its_line) {
  const auto told = [](const std::string& path, const std::string& range) {
    return problem(swept(path, range));
  };
  EXPECT_EQ(
      told("locks.count", "{from: 8, to: 1, steps: 3}"),
      "test.yaml:6: sweep of locks.count: the range goes from 8 to 1; expected from below to");
  EXPECT_EQ(told("workload.think_time", "{from: 0us, to: 1ms, steps: 3, scale: log}"),
            "test.yaml:6: sweep of workload.think_time: a log scale begins above 0, not at 0us");
  EXPECT_EQ(told("locks.count", "{from: 0, to: 8, steps: 3}"),
            "test.yaml:6: locks.count is 0; allowed: 1 to 9223372036854775807");
  EXPECT_EQ(
      told("locks.count", "{from: 1, to: 8us, steps: 3}"),
      "test.yaml:6: locks.count: '8us' has an unknown unit 'us'; expected a whole number such "
      "as 48 or 10M (k, M, G decimal)");
  EXPECT_EQ(told("locks.count", "{from: 1, to: 8}"),
            "test.yaml:6: sweep of locks.count.steps is missing; add it, for example 'steps: 9'");
  EXPECT_EQ(told("locks.count", "{from: 1, to: 8, steps: 1}"),
            "test.yaml:6: sweep of locks.count.steps is 1; allowed: 2 to 10k");
  EXPECT_EQ(told("locks.count", "{from: 1, to: 8, steps: 4, scale: exp}"),
            "test.yaml:6: sweep of locks.count.scale is 'exp'; expected linear, log");
  EXPECT_EQ(
      told("locks.memory", "{from: 1, to: 8, steps: 4}"),
      "test.yaml:6: sweep of locks.memory: a range needs a number, and this is a choice; list "
      "its values");
  EXPECT_THAT(told("locks.count", "{to: 8}"), HasSubstr("or a range such as {from: 1, to: 256"));
  EXPECT_THAT(told("platform.clients_per_nod", "{from: 1, to: 8, steps: 4}"),
              HasSubstr("did you mean 'clients_per_node'?"));
}

}  // namespace
}  // namespace latchlab::scenario_test
