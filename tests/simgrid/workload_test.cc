// Clients do what the workload says: whole runs, one for each key.

#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

TEST(Workload, with_locality_stays_on_its_node_and_without_leaves_it) {
  const std::string head =
      "platform: {servers: 3, client_nodes: 1, colocated: true}\nlocks: {count: 10}\n"
      "protocol: {name: cas}\n";
  const RepeatMetrics at_home = run(head + "workload: {locality: 100%}");
  const RepeatMetrics away = run(head + "workload: {locality: 0%}");
  EXPECT_LT(*at_home.acquire.max(), *away.acquire.min());
}

TEST(Workload, of_groups_is_what_each_group_does) {
  const RepeatMetrics metrics = run(
      "groups:\n  - {name: readers, nodes: 2, clients_per_node: 3, workload: {read_ratio: 100%}}\n"
      "  - {name: slow, nodes: 1, clients_per_node: 1, workload: {think_time: 100us}}\n"
      "locks: {count: 100}\nprotocol: {name: shiftlock}\n");
  const double readers = metrics.group_goodput.values.at("readers");
  const double slow = metrics.group_goodput.values.at("slow");
  EXPECT_DOUBLE_EQ(readers + slow, *metrics.goodput_ops_s);
  EXPECT_EQ(metrics.window_law.clients, 7U);
  EXPECT_GT(slow, 8'000);  // 2 ms of 100 us and a little: 19 cycles
  EXPECT_LT(slow, 10'001);
  EXPECT_NEAR(slow * 2e-3, static_cast<double>(metrics.acquire_write.count()), 1);
  EXPECT_GT(readers, 50 * slow);
}

TEST(Workload, of_groups_of_different_size_runs_on_servers) {
  const RepeatMetrics metrics = run(
      "platform: {servers: 3, colocated: true}\nlocks: {count: 30}\n"
      "groups: [{name: one, clients_per_node: 1}, {name: many, nodes: 2, clients_per_node: 4}]\n"
      "workload: {locality: 50%}\nprotocol: {name: mcs}\n");
  EXPECT_EQ(metrics.window_law.clients, 9U);
}

TEST(Workload, reads_or_writes_the_object_of_the_lock) {
  const std::string head =
      "locks: {count: 10}\nprotocol: {name: shiftlock}\nworkload: {critical_section: {remote_ops: "
      "2, bytes: 256B}, read_ratio: ";
  const RepeatMetrics reading = run(head + "100%}");
  const RepeatMetrics writing = run(head + "0%}");
  const RepeatMetrics nothing =
      run("locks: {count: 10}\nprotocol: {name: shiftlock}\nworkload: {read_ratio: 100%}");
  EXPECT_NEAR(*reading.verbs_per_cycle.read - *nothing.verbs_per_cycle.read, 2, 0.02);
  EXPECT_NEAR(*writing.verbs_per_cycle.write, 2, 0.02);
  EXPECT_GT(*reading.cycle.mean_ns(), *nothing.cycle.mean_ns() + 2'000);
}

TEST(Workload, of_two_locks_holds_both_and_counts_one_cycle) {
  const RepeatMetrics metrics =
      run("platform: {clients_per_node: 8}\nlocks: {count: 4}\nprotocol: {name: mcs}\n"
          "workload: {locks_per_section: 2}");
  EXPECT_NEAR(static_cast<double>(metrics.acquire.count()),
              2 * static_cast<double>(metrics.cycle.count()), 16);
  EXPECT_EQ(metrics.safety.violations, 0U);
}

// The one machine's own warehouses are all warehouses.
TEST(Workload, of_transactions_has_as_many_home_warehouses_as_asked_for_each_machine) {
  const auto goodput = [](const std::string& homes) {
    return *run("platform: {clients_per_node: 3}\nlocks: {count: 1M}\nprotocol: {name: cas}\n"
                "workload: {kind: transactions, transactions: {kind: tpcc_blocks, warehouses: 1, "
                "homes: " +
                homes + "}}")
                .goodput_ops_s;
  };
  EXPECT_EQ(goodput("own"), goodput("common"));
}

TEST(Workload, for_update_counts_how_often_a_lock_without_updates_was_taken_exclusively) {
  const RepeatMetrics metrics =
      run("locks: {count: 4}\nprotocol: {name: shiftlock}\n"
          "workload: {read_ratio: 50%, update_ratio: 50%, upgrade_ratio: 50%}");
  ASSERT_TRUE(metrics.update_as_exclusive.has_value());
  EXPECT_EQ(*metrics.update_as_exclusive, metrics.acquire_write.count());
  EXPECT_GT(metrics.acquire_write.count(), 0U);
}

// 16 clients at about 2 us per cycle: 100k/s is a light load, 20M/s an overload.
TEST(OpenLoop, is_carried_if_possible_and_otherwise_reported) {
  const std::string head =
      "platform: {clients_per_node: 16, clocks: {drift: 100ppm, offset: 3s}}\nlocks: {count: "
      "100}\nprotocol: {name: cas}\nworkload: {arrivals: {kind: poisson, rate: ";
  const RepeatMetrics light = run(head + "100k}}");
  const RepeatMetrics heavy = run(head + "20M}}");
  EXPECT_EQ(*light.open_loop.carried, 1U);
  EXPECT_EQ(*heavy.open_loop.carried, 0U);
  EXPECT_NEAR(**light.open_loop.offered_s, 100e3, 40e3);  // 200 arrivals
  EXPECT_NEAR(**heavy.open_loop.offered_s, 20e6, 0.5e6);
  EXPECT_NEAR(*light.goodput_ops_s, **light.open_loop.offered_s, 5e3);
  EXPECT_LT(*heavy.goodput_ops_s, 15e6);
  EXPECT_LT(**light.open_loop.backlog_max, 5U);
  EXPECT_GT(**heavy.open_loop.backlog_max, 100U);
  // Latency counts from the arrival: of an overload it is most of the run.
  EXPECT_LT(*light.acquire.mean_ns(), 4'000);
  EXPECT_GT(*heavy.acquire.mean_ns(), 200'000);
  EXPECT_GT(*heavy.cycle.mean_ns(), *heavy.acquire.mean_ns());
}

TEST(OpenLoop, of_a_script_runs_the_sections_of_the_script) {
  const RepeatMetrics metrics =
      run("platform: {clients_per_node: 2}\nlocks: {count: 2}\nprotocol: {name: cas}\n"
          "workload: {critical_section: 50us, arrivals: {kind: script, list: [{at: 1ms, client: 0, "
          "lock: 0}, {at: 1100us, client: 1, lock: 1, mode: shared}, {at: 1001us, client: 0, lock: "
          "1}]}}");
  EXPECT_EQ(metrics.acquire.count(), 3U);
  EXPECT_EQ(metrics.acquire_read.count(), 1U);
  EXPECT_EQ(**metrics.open_loop.backlog_max, 1U);
  // The second section of client 0 arrives 1 us after its first, which holds its lock for 50 us.
  EXPECT_GT(*metrics.acquire.max(), microseconds(50));
  EXPECT_LT(*metrics.acquire.max(), microseconds(60));
}

TEST(Run, series_has_all_intervals_of_the_window) {
  const std::string head =
      "platform: {clients_per_node: 4}\nlocks: {count: 4}\nprotocol: {name: cas}\n"
      "workload: {distribution: {kind: zipf, theta: 1}}\n";
  Point point = point_of(head);
  const RepeatMetrics plain = outcome_of(point).metrics;
  point.run.series = microseconds(300);
  point.run.hottest_lock = true;
  const RepeatMetrics told = outcome_of(point).metrics;
  EXPECT_EQ(told.fingerprint, plain.fingerprint);
  ASSERT_EQ(told.series.goodput_ops_s.size(), 7U);  // 2 ms: six, and 200 us
  double cycles = 0;
  for (std::size_t i = 0; i < 7; ++i)
    cycles += *told.series.goodput_ops_s[i] * (i < 6 ? 300e-6 : 200e-6);
  EXPECT_NEAR(cycles, static_cast<double>(told.cycle.count()), 1e-6);
  // Lock 0 of four is asked for in 12 of 25 cases.
  ASSERT_TRUE(told.hottest_lock.acquire.has_value());
  const double share = static_cast<double>(told.hottest_lock.acquire->count()) /
                       static_cast<double>(told.acquire.count());
  EXPECT_NEAR(share, 0.48, 0.03);
}

}  // namespace
}  // namespace latchlab::simtest
