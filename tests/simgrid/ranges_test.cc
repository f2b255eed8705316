// Runs whose sections request ranges of objects, and move the bytes of files.

#include "core/scenario/quantities.h"
#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

const std::string kSegments =
    "platform: {client_nodes: 2, clients_per_node: 8}\n"
    "protocol: {name: static_segments, units: 64, segment: 4}\n";

std::string ranges(const std::string& keys) {
  return "workload: {kind: range, units: 64, " + keys + "}";
}

TEST(Ranges, that_overlap_wait_for_each_other_and_disjoint_ones_do_not) {
  const RepeatMetrics apart = run(kSegments + ranges("sizes: 1, critical_section: 2us"));
  const RepeatMetrics alike = run(kSegments + ranges("sizes: 64, critical_section: 2us"));
  for (const RepeatMetrics* metrics : {&apart, &alike}) {
    EXPECT_EQ(metrics->safety.violations, 0U);
    EXPECT_GT(*metrics->safety.checks, 50U);
    EXPECT_EQ(**metrics->ranges_as_whole, 0U);
  }
  EXPECT_GT(*apart.goodput_ops_s, 4 * *alike.goodput_ops_s);
}

TEST(Ranges, of_mixed_sizes_and_modes_are_safe_with_many_clients) {
  for (const char* keys : {"sizes: [1, 5, 17], read_ratio: 50%", "sizes: [1, 5, 17]",
                           "sizes: {values: [1, 64], by: operation}, distribution: zipf"}) {
    const RepeatMetrics metrics = run(kSegments + "locks: {count: 2}\n" + ranges(keys));
    EXPECT_EQ(metrics.safety.violations, 0U) << keys;
    EXPECT_EQ(metrics.safety.late_effects, 0U) << keys;
    EXPECT_GT(metrics.acquire.count(), 200U) << keys;
  }
}

// A third of the clients each requests 1, 16 and 256 units; the server's RNIC, a slow one, is busy
// all the time.
RepeatMetrics sizes_apart(const std::string& citron, const char* warmup) {
  Point point = point_of(
      "platform: {nic: {base: connectx-6, responder.read: 9ns, responder.atomic_8: 24ns}}\n"
      "workload: {kind: range, units: 268435456, sizes: 1,\n"
      "           distribution: {kind: zipf, theta: 0.9, scramble: true}}\n"
      "groups:\n"
      "  - {name: one, nodes: 1, clients_per_node: 32, workload: {sizes: 1}}\n"
      "  - {name: sixteen, nodes: 1, clients_per_node: 32, workload: {sizes: 16}}\n"
      "  - {name: big, nodes: 1, clients_per_node: 32, workload: {sizes: 256}}\n"
      "protocol: {name: citron" +
      citron + "}");
  point.run.warmup = parse_duration(warmup).value();
  point.run.duration = milliseconds(10);
  const RepeatOutcome outcome = outcome_of(point);
  EXPECT_EQ(outcome.metrics.safety.violations, 0U);
  EXPECT_EQ(outcome.metrics.group_goodput.values.size(), 3U);
  return outcome.metrics;
}
TEST(Ranges, of_each_size_are_granted_by_citron_in_every_10_ms) {
  for (const char* lock : {"", ", retry: range"})
    for (const char* warmup : {"2ms", "12ms"})
      for (const auto& [group, goodput] : sizes_apart(lock, warmup).group_goodput.values)
        EXPECT_GT(goodput, 1'000) << group << lock << " from " << warmup;
}
TEST(Ranges, of_many_units_starve_if_citron_sets_bits_before_it_notifies) {
  const RepeatMetrics metrics = sizes_apart(", leaf_bits: before", "2ms");
  EXPECT_EQ(metrics.group_goodput.values.at("big"), 0);
  EXPECT_GT(metrics.group_goodput.values.at("one"), 1'000'000);
}

TEST(Ranges, of_a_lock_without_ranges_are_the_whole_object_and_are_counted) {
  const RepeatMetrics metrics =
      run("platform: {clients_per_node: 4}\nprotocol: {name: dslr}\n" + ranges("sizes: [1, 16]"));
  ASSERT_TRUE(metrics.ranges_as_whole.has_value());
  EXPECT_EQ(**metrics.ranges_as_whole, metrics.acquire.count());
  EXPECT_GT(metrics.acquire.count(), 0U);
  EXPECT_EQ(metrics.safety.violations, 0U);
  EXPECT_FALSE(run("protocol: {name: dslr}").ranges_as_whole.has_value());
}

// 16 clients, each with one of 64 units: a client whose lock covers more than its unit waits for
// clients with other units as well.
TEST(Ranges, that_wait_only_for_clients_with_other_units_are_false_conflicts) {
  const std::string clients = "platform: {client_nodes: 2, clients_per_node: 8}\n";
  const auto share = [&](const std::string& protocol, const std::string& sizes) {
    const RepeatMetrics metrics =
        run(clients + "protocol: {" + protocol + "}\n" + ranges(sizes + ", critical_section: 2us"));
    EXPECT_GT(metrics.acquire.count(), 100U) << protocol;
    return metrics.false_conflict_share.value_or(std::nullopt).value_or(-1);
  };
  const std::string segments = "name: static_segments, units: 64, segment: ";
  const double exact = share(segments + "1", "sizes: 1");
  const double coarse = share(segments + "4", "sizes: 1");
  const double whole = share("name: dslr", "sizes: 1");
  EXPECT_EQ(exact, 0);
  EXPECT_GT(coarse, 0.1);
  EXPECT_GT(whole, coarse);
  EXPECT_GT(whole, 0.5);
  EXPECT_EQ(share("name: dslr", "sizes: 64"), 0);
  const double citron = share("name: citron, units: 256", "sizes: 1");
  EXPECT_EQ(citron, 0);
  EXPECT_FALSE(run(clients + "protocol: {name: dslr}").false_conflict_share.has_value());
}

// Readers wait only for each other's bytes, which all leave by one port: at 100 Gb/s.
TEST(Files, of_many_readers_share_the_port_of_the_server) {
  const std::string text =
      "locks: {count: 11}\nprotocol: {name: static_segments, units: 4096, segment: 4096}\n"
      "workload: {kind: file_io, files: {kind: oltp, access_bytes: 64KiB}}\n";
  const auto bits_per_s = [&](const std::string& platform) {
    const RepeatMetrics metrics = run(text + platform);
    EXPECT_EQ(metrics.safety.violations, 0U);
    return static_cast<double>(metrics.acquire_read.count()) * 65'536 * 8 / 2e-3;
  };
  const double alone = bits_per_s("platform: {client_nodes: 1}");
  EXPECT_LT(alone, 70e9);  // with a lock's round trips in between
  for (const char* model : {"shared_ports", "flows"}) {
    const double all =
        bits_per_s("platform: {client_nodes: 8, bulk: {model: " + std::string(model) + "}}");
    EXPECT_LT(all, 103e9) << model;  // some of them began before the window
    EXPECT_GT(all, 85e9) << model;
  }
}

TEST(Files, are_written_by_one_verb_each_section) {
  const RepeatMetrics writing =
      run("protocol: {name: static_segments}\nworkload: {kind: file_io, files: hard_write}\n");
  EXPECT_NEAR(*writing.verbs_per_cycle.write, 1, 0.02);
  EXPECT_GT(*writing.cycle.min(), nanoseconds(3'760));  // 47,008 bytes at 100 Gb/s
}

TEST(Files, of_each_program_are_written_and_read_without_violations) {
  const std::string head =
      "platform: {client_nodes: 2, clients_per_node: 8}\n"
      "protocol: {name: static_segments, units: 4096, segment: 8}\n";
  for (const char* rest :
       {"workload: {kind: file_io, files: hard_write}",
        "workload: {kind: file_io, files: {kind: bt_io, grid: 64}}",
        "locks: {count: 11}\nworkload: {kind: file_io, files: oltp}",
        "workload: {kind: file_io, files: {kind: bt_io, data: false}, think_time: 1us}"}) {
    const RepeatMetrics metrics = run(head + rest);
    EXPECT_EQ(metrics.safety.violations, 0U) << rest;
    EXPECT_GT(metrics.acquire.count(), 200U) << rest;
    EXPECT_EQ(**metrics.ranges_as_whole, 0U) << rest;
  }
}

TEST(Files, of_oltp_are_mostly_read_and_reading_takes_longer_than_the_lock) {
  const std::string head =
      "locks: {count: 11}\nprotocol: {name: static_segments}\nworkload: {kind: ";
  const RepeatMetrics metrics = run(head + "file_io, files: {kind: oltp, access_bytes: 32KiB}}");
  EXPECT_GT(metrics.acquire_read.count(), 5 * metrics.acquire_write.count());
  const RepeatMetrics locks =
      run(head + "file_io, files: {kind: oltp, access_bytes: 32KiB, data: false}}");
  EXPECT_GT(*metrics.cycle.mean_ns(), *locks.cycle.mean_ns() + 2'600);  // 32 KiB at 100 Gb/s
}
// Data of 47,008 bytes leaves each of the 8 clients at 100 Gb/s if it goes to client nodes; to one
// server, they share the server's port.
TEST(Files, on_client_nodes_do_not_go_through_the_port_of_the_server) {
  const auto bytes_s = [](const std::string& data) {
    const RepeatMetrics metrics =
        run("platform: {client_nodes: 8}\nprotocol: {name: static_segments, units: 33554432, "
            "segment: 1}\nworkload: {kind: file_io, files: {kind: hard_write, data: " +
            data + "}}");
    EXPECT_EQ(metrics.safety.violations, 0U);
    EXPECT_NEAR(**metrics.file_bytes_s, *metrics.goodput_ops_s * 47'008, 4 * 47'008 / 2e-3);
    return **metrics.file_bytes_s;
  };
  const double servers = bytes_s("true");
  EXPECT_LT(servers, 12.9e9);
  EXPECT_GT(bytes_s("{on: clients, block: 48KiB}"), 1.5 * servers);
  EXPECT_FALSE(run("protocol: {name: static_segments}\nworkload: {kind: file_io, files: {kind: "
                   "hard_write, data: false}}")
                   .file_bytes_s.has_value());
}

// A cube of 16 cells has 64 runs of 640 bytes a step for each of 4 clients, spread over 3 nodes.
TEST(Files, are_written_by_clients_that_are_spread_unevenly) {
  const RepeatMetrics metrics =
      run("platform: {client_nodes: 3, clients: 4}\nprotocol: {name: static_segments}\n"
          "workload: {kind: file_io, files: {kind: bt_io, grid: 16, reads: true, data: {on: "
          "clients, block: 8KiB}}}");
  EXPECT_EQ(metrics.safety.violations, 0U);
  EXPECT_EQ(metrics.window_law.clients, 4U);
  EXPECT_NEAR(static_cast<double>(metrics.acquire_read.count()),
              static_cast<double>(metrics.acquire_write.count()), 4);
}

// One write follows ten reads of its node, 100 at once, and an append 3200.
TEST(Files, of_roles_are_written_as_often_as_the_reads_of_a_node_allow) {
  Point point = point_of(
      "platform: {client_nodes: 2, clients_per_node: 8}\nlocks: {count: 3}\n"
      "protocol: {name: static_segments, units: 2560, segment: 1}\n"
      "workload: {kind: file_io, files: {kind: oltp, file_bytes: 1MiB, access_bytes: 64B, "
      "append_bytes: 64B, roles: {readers: 5, writers: 2, loggers: 1}}}");
  point.run.by_group = true;
  point.run.warmup = Duration{};
  point.run.duration = milliseconds(8);
  const RepeatOutcome outcome = outcome_of(point);
  ASSERT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  const RepeatMetrics& metrics = outcome.metrics;
  EXPECT_TRUE(metrics.window_law.holds());
  const auto cycles = [&](const char* group) {
    return static_cast<double>(metrics.group_cycles.by_group.at(group).count());
  };
  const double reads = cycles("readers");
  ASSERT_GT(reads, 4'000);
  EXPECT_LE(cycles("writers"), reads / 10);
  EXPECT_GE(cycles("writers"), reads / 10 - 2 * 110);  // the last 1000 reads of each node
  EXPECT_LE(cycles("log"), reads / 3200);
  EXPECT_EQ(reads + cycles("writers") + cycles("log"), static_cast<double>(metrics.cycle.count()));
  EXPECT_NEAR(metrics.group_goodput.values.at("readers") * 8e-3, reads, 1e-6);
  double atomics = 0;
  for (const char* group : {"readers", "writers", "log"})
    atomics += cycles(group) * metrics.group_verbs.values.at(std::string(group) + ".atomic");
  EXPECT_NEAR(atomics, *metrics.verbs_per_cycle.atomic * static_cast<double>(metrics.cycle.count()),
              1e-3);
  EXPECT_EQ(metrics.group_verbs.values.at("writers.write"), 1);
  // A writer's cycle does not include its wait for reads.
  EXPECT_LT(metrics.group_cycles.by_group.at("writers").max(), microseconds(50));
}

}  // namespace
}  // namespace latchlab::simtest
