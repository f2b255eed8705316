// Sharing of cores and QPs, the location of the table, faults of CPUs and clocks.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "core/scenario/scenario_keys.h"
#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Point point(const std::string& rest) {
  const auto result = parse(scenario(rest));
  if (!result) {
    ADD_FAILURE() << result.error().text();
    return {};
  }
  return result.value().points.front();
}

// The resolved scenario reads back as itself.
void expect_steady(const Point& made) {
  const auto again = parse(made.resolved_yaml);
  ASSERT_TRUE(again) << again.error().text() << "\n" << made.resolved_yaml;
  EXPECT_EQ(again.value().points.front().resolved_yaml, made.resolved_yaml);
}

TEST(Sharing, is_off_unless_the_scenario_says_so) {
  const Point made = point("locks: {count: 5}\n");
  EXPECT_EQ(made.platform.qps, QpOwner::client);
  EXPECT_EQ(made.platform.cores, 0U);
  EXPECT_FALSE(made.locks.device_memory);
  EXPECT_THAT(made.resolved_yaml, HasSubstr("qps: client\n  cores: null\n"));
}

TEST(Sharing, of_cores_and_qps_is_read_and_resolved) {
  const Point made = point("platform: {clients_per_node: 8, qps: core, cores: 2}\n");
  EXPECT_EQ(made.platform.qps, QpOwner::core);
  EXPECT_EQ(made.platform.cores, 2U);
  expect_steady(made);
  const Point pairs = point("platform: {clients_per_node: 8, qps: pair}\n");
  EXPECT_EQ(pairs.platform.qps, QpOwner::pair);
  expect_steady(pairs);
}

TEST(Sharing, of_more_cores_than_clients_is_refused) {
  EXPECT_EQ(problem(scenario("platform: {clients_per_node: 4, cores: 5}")),
            "test.yaml:4: platform.cores is 5 with 4 clients per node; at most 4 can be used");
}

TEST(Sharing, of_threads_on_the_cores_of_a_machine_is_read_and_resolved) {
  const Point made = point("platform: {clients_per_node: 30, cores: 24, core_sharing: threads}\n");
  EXPECT_EQ(made.platform.core_sharing, CoreSharing::threads);
  expect_steady(made);
  // The machine has these cores for any number of clients.
  expect_steady(point("platform: {clients_per_node: 8, cores: 24, core_sharing: threads}\n"));
}

TEST(Sharing, of_more_threads_than_a_machine_has_is_refused) {
  EXPECT_EQ(
      problem(scenario("platform: {clients_per_node: 49, cores: 24, core_sharing: threads}")),
      "test.yaml:4: platform.core_sharing is threads, with 49 clients per node on 24 cores; a core "
      "has two hardware threads: set platform.cores to 25 or more");
  EXPECT_EQ(
      problem(scenario("platform: {clients_per_node: 4, core_sharing: threads}")),
      "test.yaml:4: platform.core_sharing is threads, and platform.cores does not say how many "
      "cores a node has; add it, for example 'cores: 24'");
  EXPECT_EQ(
      problem(scenario("platform: {clients_per_node: 4, cores: 4, core_sharing: threads, qps: "
                       "core}")),
      "test.yaml:4: platform.core_sharing is threads, each of which has QPs of its own, and "
      "platform.qps is core; set it to client, node, pair or duplex");
}

TEST(ServerCpu, is_that_of_the_nic_file_unless_the_scenario_sets_it) {
  const Point usual = point("locks: {count: 5}\n");
  EXPECT_EQ(usual.platform.server_cpu, ServerCpuSpec{});
  EXPECT_THAT(usual.resolved_yaml, Not(HasSubstr("server_cpu")));
  const Point made = point("platform: {server_cpu: {cores: 12, call_service: 700ns}}\n");
  EXPECT_EQ(made.platform.server_cpu.cores, 12U);
  EXPECT_EQ(made.platform.server_cpu.call_service, nanoseconds(700));
  expect_steady(made);
  const Point half = point("platform: {server_cpu: {cores: null, call_service: 1us}}\n");
  EXPECT_FALSE(half.platform.server_cpu.cores);
  expect_steady(half);
}

TEST(ServerCpu, without_a_core_is_refused) {
  EXPECT_THAT(problem(scenario("platform: {server_cpu: {cores: 0}}")),
              HasSubstr("test.yaml:4: platform.server_cpu.cores is 0"));
}

TEST(FailureDetection, is_the_assumption_of_the_models_unless_the_scenario_sets_it) {
  std::ifstream in(LATCHLAB_SOURCE_DIR "/models/software/failure-detector.yaml");
  std::map<std::string, std::string> constant;
  for (std::string line; std::getline(in, line);)
    for (const char* key : {"value: ", "status: ", "source: "})
      if (const std::size_t at = line.find(key); at != std::string::npos && line[0] == ' ')
        constant[key] = line.substr(at + std::string(key).size());
  const Point usual = point("locks: {count: 5}\n");
  EXPECT_EQ(format_duration(usual.platform.failure_detection), constant["value: "]);
  EXPECT_EQ(constant["status: "], "assumed");
  EXPECT_GT(constant["source: "].size(), 20U);
  EXPECT_THAT(usual.resolved_yaml, HasSubstr("failure_detection: 10ms\n"));
  const std::vector<const ScenarioKey*> keys = find_scenario_keys("platform.failure_detection");
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_THAT(keys[0]->says, HasSubstr("assumed"));
  EXPECT_THAT(keys[0]->says, HasSubstr("models/software/failure-detector.yaml"));
}

TEST(FailureDetection, is_read_and_resolved) {
  const Point made = point("platform: {failure_detection: 250us}\n");
  EXPECT_EQ(made.platform.failure_detection, microseconds(250));
  expect_steady(made);
  EXPECT_THAT(problem(scenario("platform: {failure_detection: 101s}")),
              HasSubstr("test.yaml:4: platform.failure_detection is 101s"));
}

TEST(Datagrams, arrive_unless_the_scenario_sets_a_loss) {
  const Point usual = point("locks: {count: 5}\n");
  EXPECT_EQ(usual.platform.datagrams, DatagramSpec{});
  EXPECT_THAT(usual.resolved_yaml,
              HasSubstr("  datagrams: {loss: 0%, reorder: 0%, reorder_by: 5us}\n"));
  const Point made = point("platform: {datagrams: {loss: 0.1%, reorder: 2%, reorder_by: 9us}}\n");
  EXPECT_EQ(made.platform.datagrams.loss_ppb, 1'000'000);
  EXPECT_EQ(made.platform.datagrams.reorder_ppb, 20'000'000);
  EXPECT_EQ(made.platform.datagrams.reorder_by, microseconds(9));
  expect_steady(made);
}

TEST(NicClock, is_configured_separately_from_the_clocks_of_nodes) {
  const Point made = point("platform: {clocks: {nic_drift: 20ppm, nic_offset: 2us}}\n");
  EXPECT_EQ(made.platform.clocks.nic_drift_ppb, 20'000);
  EXPECT_EQ(made.platform.clocks.nic_offset, microseconds(2));
  EXPECT_EQ(made.platform.clocks.drift_ppb, 0);
  expect_steady(made);
}

TEST(DeviceMemory, holds_a_table_that_fits) {
  const Point made = point("locks: {count: 4096, memory: device}\n");
  EXPECT_TRUE(made.locks.device_memory);
  expect_steady(made);
}

TEST(DeviceMemory, that_is_too_small_for_the_table_is_refused) {
  EXPECT_EQ(problem(scenario("locks: {count: 4097, memory: device}")),
            "test.yaml:4: locks.count x stride is 4097 x 64B on one server, beyond the 256KiB of "
            "connectx-5's own memory; at most 4096 locks per server fit, or use memory: host");
}

// As many as the code of sherman's authors has. A cas lock has 8 bytes as well.
TEST(DeviceMemory, holds_32768_locks_of_8_bytes_and_none_more) {
  const std::string small = "schema: 1\nname: t\nprotocol: {name: cas}\n";
  EXPECT_EQ(problem(small + "locks: {count: 32768, stride: 8B, memory: device}"), "fine");
  EXPECT_EQ(problem(small + "locks: {count: 32769, stride: 8B, memory: device}"),
            "test.yaml:4: locks.count x stride is 32769 x 8B on one server, beyond the 256KiB of "
            "connectx-5's own memory; at most 32768 locks per server fit, or use memory: host");
  EXPECT_EQ(problem(small + "locks: {count: 32769, stride: 8B, memory: host}"), "fine");
}

// A lock whose entry is as long as its parameter says.
std::string problem_of_sizes(const std::string& params, const std::string& locks) {
  ProtocolInfo info;
  info.name = "sized";
  info.params = {integer_param("bytes", 8, 0, 1024, "bytes")};
  info.profiles = {{"only", "the only one", {}}};
  info.entry_bytes_of = [](const ParamSet& set) {
    return static_cast<std::uint64_t>(set.integer("bytes"));
  };
  const std::string text = "schema: 1\nname: t\nprotocol: {name: sized" + params + "}\n" + locks;
  const auto made = parse_scenario({text, "test.yaml", ""}, {}, {info}, data());
  return made ? "fine" : made.error().text();
}

TEST(DeviceMemory, holds_131072_locks_of_2_bytes_side_by_side_and_none_more) {
  const std::string packed = ", bytes: 2";
  const auto of = [](const char* count, const char* stride) {
    return fmt::format("locks: {{count: {}, stride: {}, memory: device}}", count, stride);
  };
  EXPECT_EQ(problem_of_sizes(packed, of("131072", "null")), "fine");
  EXPECT_EQ(problem_of_sizes(packed, of("131073", "null")),
            "test.yaml:4: locks.count x stride is 131073 x 2B on one server, beyond the 256KiB of "
            "connectx-5's own memory; at most 131072 locks per server fit, or use memory: host");
  EXPECT_EQ(problem_of_sizes(packed, of("32768", "8B")), "fine");
  EXPECT_THAT(problem_of_sizes(packed, of("32769", "8B")), HasSubstr("32769 x 8B"));
  EXPECT_EQ(problem_of_sizes("", of("32768", "null")), "fine");
  EXPECT_THAT(problem_of_sizes("", of("32769", "null")), HasSubstr("32769 x 8B"));
}

TEST(Strides, are_at_least_the_size_of_the_entry_for_the_given_parameters) {
  EXPECT_EQ(problem_of_sizes(", bytes: 24", "locks: {count: 9, stride: 24B}"), "fine");
  EXPECT_EQ(problem_of_sizes(", bytes: 24", "locks: {count: 9, stride: 16B}"),
            "test.yaml:4: locks.stride is 16B; this protocol's entry needs at least 24B");
  EXPECT_THAT(problem_of_sizes(", bytes: 2", "locks: {count: 9, stride: 2B}"),
              HasSubstr("expected at least 8B"));
  // The default, as a resolved scenario shows it, is enlarged.
  EXPECT_EQ(problem_of_sizes(", bytes: 696", "locks: {count: 9, stride: 64B}"), "fine");
  EXPECT_THAT(problem_of_sizes(", bytes: 696", "locks: {count: 9, stride: 128B}"),
              HasSubstr("needs at least 696B"));
}

// Empty entries still have a stride of one word.
TEST(Strides, of_empty_entries_are_one_word) {
  EXPECT_THAT(problem_of_sizes(", bytes: 0", "locks: {count: 32769, stride: null, memory: device}"),
              HasSubstr("32769 x 8B"));
}

TEST(DeviceMemory, that_the_nic_does_not_have_is_refused) {
  EXPECT_EQ(problem(scenario("platform: {nic: connectx-3}\nlocks: {memory: device}")),
            "test.yaml:5: locks.memory is device, and connectx-3 has no memory of its own "
            "(device_memory.size is 0B); use memory: host");
}

TEST(CpuFaults, are_read_and_resolved) {
  const Point made = point(
      "platform: {clients_per_node: 4, servers: 2}\nfaults:\n"
      "- {kind: pause, client: 3, at: 30ms, length: 1ms}\n"
      "- {kind: pause, rate: 100, length: 50us}\n"
      "- {kind: slow_client, client: 1, factor: 2.5, at: 0us}\n"
      "- {kind: drift, server: 1, at: 3ms, jump: -10us, drift: -200ppm}\n");
  ASSERT_EQ(made.faults.size(), 4U);
  EXPECT_EQ(made.faults[0].target, FaultTarget::client);
  EXPECT_EQ(made.faults[0].index, 3U);
  EXPECT_EQ(made.faults[1].target, FaultTarget::any_client);
  EXPECT_EQ(made.faults[1].per_second, 100U);
  EXPECT_EQ(made.faults[2].factor_ppb, 2'500'000'000);
  EXPECT_EQ(made.faults[3].target, FaultTarget::server);
  EXPECT_EQ(made.faults[3].jump, microseconds(-10));
  EXPECT_EQ(made.faults[3].drift_ppb, -200'000);
  expect_steady(made);
}

TEST(CpuFaults, that_are_incomplete_or_contradictory_are_refused) {
  const auto fault = [](const std::string& text) {
    return problem(scenario("platform: {clients_per_node: 4}\nfaults: [{" + text + "}]"));
  };
  EXPECT_EQ(fault("kind: pause, at: 1ms, length: 1us"),
            "test.yaml:5: faults.0 says not who it is about; expected client: N, client_node: N or "
            "server: N");
  EXPECT_EQ(fault("kind: pause, client: 1, server: 0, at: 1ms, length: 1us"),
            "test.yaml:5: faults.0 says twice who it is about; expected client: N, client_node: N "
            "or server: N");
  EXPECT_EQ(fault("kind: pause, client: 1, length: 1us"),
            "test.yaml:5: faults.0 needs one of 'at: 30ms' and 'rate: 100' (so many a second on "
            "average)");
  EXPECT_EQ(fault("kind: pause, client: 4, at: 1ms, length: 1us"),
            "test.yaml:5: faults.0.client is 4; allowed: 0 to 3");
  EXPECT_EQ(fault("kind: slow_client, client: 0, at: 1ms, factor: 0.5"),
            "test.yaml:5: faults.0.factor is 0.5; allowed: 1 to 10000");
  EXPECT_EQ(fault("kind: drift, server: 0, at: 1ms"),
            "test.yaml:5: faults.0 changes nothing; add 'jump: 10us' or 'drift: 200ppm'");
}

}  // namespace
}  // namespace latchlab::scenario_test
