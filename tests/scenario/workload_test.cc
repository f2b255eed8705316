// What a workload may ask for, and what it is told when it cannot have it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;

const std::string kColocated =
    "platform: {colocated: true, servers: 2, client_nodes: 2}\nlocks: {count: 8}\n";

Point point_of(const std::string& text) {
  const auto parsed = parse(scenario(text));
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text();
    return {};
  }
  return parsed.value().points.front();
}

TEST(Workloads, have_a_locality_where_clients_and_locks_share_nodes) {
  const Point point = point_of(kColocated + "workload: {locality: 90%}");
  EXPECT_EQ(point.workload.locality_ppb, 900'000'000);
  EXPECT_THAT(point.resolved_yaml, HasSubstr("locality: 90%"));
  EXPECT_FALSE(point_of("workload: {locality: null}").workload.locality_ppb.has_value());
  EXPECT_EQ(problem(scenario("workload:\n  locality: 90%\n")),
            "test.yaml:5: workload.locality needs clients on servers: set platform.colocated to "
            "true, or remove the key");
  EXPECT_EQ(problem(scenario("platform: {colocated: true, servers: 2}\nlocks: {count: 8, "
                             "placement: {node: 1}}\nworkload: {locality: 90%}")),
            "test.yaml:6: workload.locality needs locks on every server, and locks.placement puts "
            "all on one; use round_robin or partitioned");
  EXPECT_EQ(problem(scenario("platform: {colocated: true, servers: 4}\nlocks: {count: 3}\n"
                             "workload: {locality: 90%}")),
            "test.yaml:6: workload.locality needs locks on every server: set locks.count to 4 or "
            "more");
  EXPECT_EQ(problem(scenario("platform: {colocated: true}\nworkload: {locality: 90%}")),
            "test.yaml:5: workload.locality is below 100%, and one server has no others; set "
            "platform.servers to 2 or more, or locality to 100%");
  EXPECT_EQ(problem(scenario("platform: {colocated: true}\nworkload: {locality: 100%}")), "fine");
  EXPECT_EQ(problem(scenario(kColocated + "workload: {locality: 90}")),
            "test.yaml:6: workload.locality is 90; allowed: 0 to 1; did you mean 90%?");
}

}  // namespace
}  // namespace latchlab::scenario_test
