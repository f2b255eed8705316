// What a workload can request, and the messages if that is impossible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;

const std::string kColocated =
    "platform: {colocated: true, servers: 2, client_nodes: 2}\nlocks: {count: 8}\n";

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

TEST(Workloads, hold_a_lock_for_a_time_or_for_a_number_of_verbs) {
  const Point point = point_of("workload: {critical_section: {remote_ops: 3, bytes: 4KiB}}");
  EXPECT_EQ(point.workload.remote_ops, 3U);
  EXPECT_EQ(point.workload.object_bytes, 4096U);
  EXPECT_EQ(point_of("workload: {critical_section: {remote_ops: 1}}").workload.object_bytes, 8U);
  EXPECT_EQ(point_of("workload: {critical_section: {remote_ops: 0}}").workload.remote_ops, 0U);
  EXPECT_EQ(
      problem(scenario("workload:\n  critical_section:\n    remote_ops: 1\n    bytes: 12B\n")),
      "test.yaml:7: workload.critical_section.bytes is 12B; expected a multiple of 8B, 16KiB "
      "at most");
  EXPECT_EQ(problem(scenario("workload: {critical_section: {bytes: 8B}}")),
            "test.yaml:4: workload.critical_section.remote_ops is missing; add it, for example "
            "'remote_ops: 1'");
  EXPECT_THAT(
      problem(scenario("locks: {count: 1000G}\nworkload: {critical_section: {remote_ops: 1, "
                       "bytes: 1KiB}}")),
      HasSubstr("test.yaml:5: objects of 1KiB for 1000000000000 locks go beyond"));
}

TEST(Workloads, hold_several_locks_in_one_of_three_modes) {
  const Point point = point_of(
      "locks: {count: 9}\nworkload: {locks_per_section: 3, order: as_asked, on_abort: give_back, "
      "retry_pause: 5us, read_ratio: 50%, update_ratio: 50%, upgrade_ratio: 10%}");
  EXPECT_EQ(point.workload.locks_per_section, 3U);
  EXPECT_FALSE(point.workload.locks_sorted);
  EXPECT_TRUE(point.workload.gives_back);
  EXPECT_EQ(point.workload.retry_pause, microseconds(5));
  EXPECT_EQ(point.workload.upgrade_ratio_ppb, 100'000'000);
  EXPECT_EQ(problem(scenario("locks: {count: 2}\nworkload: {locks_per_section: 3}")),
            "test.yaml:5: workload.locks_per_section is 3, and there are 2 locks (locks.count)");
  EXPECT_EQ(problem(scenario("workload: {read_ratio: 60%, update_ratio: 50%}")),
            "test.yaml:4: workload.read_ratio 60% and update_ratio 50% are more than all "
            "acquisitions; lower one of them");
  EXPECT_EQ(problem(scenario("workload: {upgrade_ratio: 50%}")),
            "test.yaml:4: workload.upgrade_ratio is a share of the acquisitions for update, and "
            "there are none; set workload.update_ratio, or remove the key");
  EXPECT_EQ(problem(scenario("workload: {order: sortd}")),
            "test.yaml:4: workload.order is 'sortd'; expected sorted, as_asked (did you mean "
            "'sorted'?)");
}

TEST(Workloads, may_be_open_loops) {
  EXPECT_EQ(
      point_of("workload: {arrivals: {kind: poisson, rate: 2M}}").workload.arrivals.per_second,
      2'000'000);
  const Point scripted = point_of(
      "platform: {clients_per_node: 2}\nlocks: {count: 4}\nworkload: {arrivals: {kind: script, "
      "list: [{at: 10us, client: 1, lock: 3, mode: shared}, {at: 5us, client: 0, lock: 0}]}}");
  ASSERT_EQ(scripted.workload.arrivals.script.size(), 2U);
  EXPECT_EQ(scripted.workload.arrivals.script[0].at, microseconds(10));
  EXPECT_EQ(scripted.workload.arrivals.script[0].mode, ScriptedArrival::Mode::shared);
  EXPECT_EQ(problem(scenario("workload: {arrivals: {kind: poisson}}")),
            "test.yaml:4: workload.arrivals.rate is missing; add it, for example 'rate: 1M'");
  EXPECT_EQ(problem(scenario("workload: {think_time: 1us, arrivals: {kind: poisson, rate: 1}}")),
            "test.yaml:4: workload.think_time is of a closed loop, and workload.arrivals say when "
            "sections begin; remove one of them");
  EXPECT_EQ(problem(scenario("workload: {arrivals: {kind: script}}")),
            "test.yaml:4: workload.arrivals: a script needs either a file or a list; write one of "
            "'file: arrivals.csv' and 'list: [{at: 10us, client: 0, lock: 3}]'");
  EXPECT_EQ(
      problem(scenario("workload: {arrivals: {kind: script, list: [{at: 1us, client: 1, lock: "
                       "0}]}}")),
      "test.yaml:4: workload.arrivals has client 1; allowed: 0 to 0");
  EXPECT_EQ(
      problem(scenario("workload: {arrivals: {kind: script, list: [{at: 1us, client: 0, lock: "
                       "1}]}}")),
      "test.yaml:4: workload.arrivals has lock 1; allowed: 0 to 0");
}

TEST(Workloads, read_scripts_from_a_file_and_report_the_line_of_an_error) {
  const std::string file = testing::TempDir() + "arrivals.csv";
  const std::string text = "workload: {arrivals: {kind: script, file: " + file + "}}";
  std::ofstream(file) << "at,client,lock,mode\n10us, 0, 0, shared\n20us,0,0,exclusive\n";
  const Point point = point_of(text);
  ASSERT_EQ(point.workload.arrivals.script.size(), 2U);
  EXPECT_EQ(point.workload.arrivals.script[1].at, microseconds(20));
  const auto again = parse(point.resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().points.front().resolved_yaml, point.resolved_yaml);
  std::ofstream(file) << "at,client,lock,mode\n10us,0,0,shared\n20,0,0,exclusive\n";
  EXPECT_THAT(problem(scenario(text)), HasSubstr("arrivals.csv:3: workload.arrivals.list.1.at"));
  std::ofstream(file) << "at,client,lock,mode\n10us,0,0\n";
  EXPECT_THAT(problem(scenario(text)), HasSubstr("arrivals.csv:2: 3 cells"));
  std::ofstream(file) << "10us,0,0,shared\n";
  EXPECT_THAT(problem(scenario(text)), HasSubstr("arrivals.csv:1: a script begins with the line"));
  EXPECT_THAT(problem(scenario("workload: {arrivals: {kind: script, file: nowhere.csv}}")),
              HasSubstr("test.yaml:4: workload.arrivals.file: there is no file 'nowhere.csv'"));
}

}  // namespace
}  // namespace latchlab::scenario_test
