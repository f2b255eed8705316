// platform.topology, platform.bulk and the faults of nodes and links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;

PlatformSpec platform_of(const std::string& platform) {
  const Result<Scenario> parsed = parse(scenario("platform: " + platform));
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text();
    return {};
  }
  return parsed.value().points.front().platform;
}

std::string topology_problem(const std::string& topology, int client_nodes = 5) {
  return problem(scenario("platform: {client_nodes: " + std::to_string(client_nodes) +
                          ", topology: " + topology + "}"));
}

std::int64_t product(const std::vector<std::int64_t>& numbers) {
  std::int64_t all = 1;
  for (const std::int64_t each : numbers) all *= each;
  return all;
}

TEST(Topologies, have_a_shape_that_fits_any_number_of_nodes) {
  for (const int nodes : {1, 2, 3, 6, 7, 8, 9, 26, 27, 28, 100, 1'023, 5'000}) {
    const std::string head = "{client_nodes: " + std::to_string(nodes) + ", topology: ";
    const TopologySpec tree = platform_of(head + "fat_tree}").topology;
    EXPECT_GE(product(tree.down), nodes + 1);
    EXPECT_EQ(tree.up.size(), tree.down.size());
    const TopologySpec fly = platform_of(head + "dragonfly}").topology;
    EXPECT_GE(fly.groups * fly.chassis * fly.routers * fly.hosts, nodes + 1);
    EXPECT_LE(fly.groups, fly.routers);
    const TopologySpec torus = platform_of(head + "torus}").topology;
    EXPECT_GE(product(torus.dimensions), nodes + 1);
    EXPECT_LT(product(torus.dimensions), 3 * (nodes + 1));
  }
}

TEST(Topologies, take_a_shape_as_written) {
  const TopologySpec tree =
      platform_of(
          "{topology: {kind: fat_tree, down: [4, 3], up: [1, 2], parallel: [1, 2], "
          "hop_latency: 90ns}}")
          .topology;
  EXPECT_EQ(tree.down, (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(tree.up, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(tree.parallel, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(tree.hop_latency, nanoseconds(90));
  const TopologySpec torus =
      platform_of("{topology: {kind: torus, dimensions: [4, 4, 2]}}").topology;
  EXPECT_EQ(product(torus.dimensions), 32);
}

TEST(Topologies, that_do_not_fit_are_refused_with_the_numbers) {
  EXPECT_EQ(topology_problem("{kind: torus, dimensions: [2, 2]}"),
            "test.yaml:4: platform.topology has 4 hosts (dimensions multiplied), and the scenario "
            "has 6 nodes; make it larger, or leave the shape out to have it follow from the nodes");
  EXPECT_THAT(topology_problem("{kind: fat_tree, down: [2, 2]}"),
              HasSubstr("has 4 hosts (down multiplied), and the scenario has 6 nodes"));
  EXPECT_THAT(topology_problem("{kind: fat_tree, down: [4, 4], up: [1]}"),
              HasSubstr("down has 2 levels, up 1 and parallel 2"));
  EXPECT_THAT(topology_problem("{kind: fat_tree, down: [4, 4], up: [2, 1]}"),
              HasSubstr("a host has one port"));
  EXPECT_THAT(topology_problem("{kind: dragonfly, groups: 4, routers: 3, hosts: 9}"),
              HasSubstr("4 groups and 3 routers per chassis"));
  EXPECT_THAT(topology_problem("{kind: torus, dimensions: [65535, 65535, 65535]}"),
              HasSubstr("more than 65535 hosts"));
  EXPECT_THAT(topology_problem("{kind: torus, dimensions: 4}"), HasSubstr("expected a list"));
  EXPECT_THAT(topology_problem("{kind: torus, dimensions: [0]}"), HasSubstr("allowed: 1 to"));
  EXPECT_THAT(topology_problem("hypercube"),
              HasSubstr("expected star, fat_tree, dragonfly, torus"));
  EXPECT_THAT(topology_problem("{kind: star, dimensions: [2]}"),
              HasSubstr("unknown key 'dimensions' in platform.topology"));
  EXPECT_THAT(topology_problem("{kind: torus, radix: 4}"), HasSubstr("unknown key 'radix'"));
}

TEST(Topologies, can_be_read_back_from_the_resolved_scenario) {
  for (const char* topology : {"star", "fat_tree", "dragonfly", "{kind: torus, dimensions: [9]}"}) {
    const auto first = parse(scenario(std::string("platform: {client_nodes: 5, topology: ") +
                                      topology + ", bulk: {model: flows, above: 4KiB}}\n"));
    ASSERT_TRUE(first) << first.error().text();
    const auto again = parse(first.value().resolved_yaml);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again.value().points.front().resolved_yaml,
              first.value().points.front().resolved_yaml);
  }
}

TEST(Topologies, follow_a_swept_number_of_nodes_when_read_back) {
  const auto first = parse(scenario(
      "platform: {topology: torus}\nsweep: {grid: {platform.client_nodes: [2, 5, 40]}}\n"));
  ASSERT_TRUE(first) << first.error().text();
  const auto again = parse(first.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(again.value().points[i].resolved_yaml, first.value().points[i].resolved_yaml);
}

TEST(Topologies, can_be_swept_by_kind) {
  const auto swept = parse(
      scenario("platform: {client_nodes: 5}\nsweep: {grid: {platform.topology: [star, torus]}}\n"));
  ASSERT_TRUE(swept) << swept.error().text();
  EXPECT_EQ(swept.value().points[1].platform.topology.kind, TopologyKind::torus);
}

TEST(PlatformFiles, are_checked_before_they_are_used) {
  const std::string path = testing::TempDir() + "scenario-platform.xml";
  const std::string key = "{file: \"" + path + "\"}";
  EXPECT_THAT(topology_problem("{file: nowhere.xml}"), HasSubstr("there is no file 'nowhere.xml'"));
  std::ofstream(path) << "hello";
  EXPECT_THAT(topology_problem(key), HasSubstr("is no SimGrid platform"));
  std::ofstream(path) << "<platform><link id=\"a\" state_file=\"x\"/></platform>";
  EXPECT_THAT(topology_problem(key), HasSubstr("written as faults"));
  std::ofstream(path) << "<platform/>";
  EXPECT_EQ(topology_problem(key), "fine");
  EXPECT_THAT(topology_problem("{kind: star, file: \"" + path + "\"}"),
              HasSubstr("a platform file has no kind"));
}

TEST(PlatformFiles, that_have_changed_are_detected) {
  const std::string path = testing::TempDir() + "changing-platform.xml";
  std::ofstream(path) << "<platform/>";
  const auto first = parse(scenario("platform: {topology: {file: \"" + path + "\"}}"));
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_TRUE(parse(first.value().resolved_yaml));
  std::ofstream(path) << "<platform />";
  EXPECT_THAT(problem(first.value().resolved_yaml), HasSubstr("the file has changed"));
}

TEST(PlatformFiles, may_name_the_host_of_each_node) {
  const std::string path = ::testing::TempDir() + "named.xml";
  std::ofstream(path) << "<platform/>";
  const auto document = [&](const std::string& nodes) {
    return scenario("platform: {client_nodes: 2, topology: {file: \"" + path +
                    "\", nodes: " + nodes + "}}");
  };
  const auto first = parse(document("[front, rack-10, '9', spare]"));
  ASSERT_TRUE(first) << first.error().text();
  const std::vector<std::string> names = {"front", "rack-10", "9", "spare"};
  EXPECT_EQ(first.value().points.front().platform.topology.nodes, names);
  const auto again = parse(first.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().points.front().platform.topology.nodes, names);
  EXPECT_THAT(problem(document("[front, rack-10]")),
              HasSubstr("platform.topology.nodes names 2 hosts, and the scenario has 3 nodes"));
  EXPECT_THAT(problem(document("[]")), HasSubstr("names 0 hosts"));
  EXPECT_THAT(problem(document("[front, rack-10, front]")),
              HasSubstr("platform.topology.nodes names 'front' twice; a host is one node"));
  EXPECT_THAT(problem(scenario("platform: {topology: {kind: torus, nodes: [a, b]}}")),
              HasSubstr("nodes"));
}

TEST(BulkModels, depend_on_the_topology_unless_the_scenario_sets_them) {
  EXPECT_EQ(platform_of("{servers: 1}").bulk.model, BulkModel::shared_ports);
  EXPECT_EQ(platform_of("{topology: torus}").bulk.model, BulkModel::flows);
  EXPECT_EQ(platform_of("{bulk: flows}").bulk.model, BulkModel::flows);
  EXPECT_EQ(platform_of("{topology: torus, bulk: shared_ports}").bulk.model,
            BulkModel::shared_ports);
  EXPECT_EQ(platform_of("{bulk: {above: 1MiB}}").bulk.above_bytes, 1U << 20);
  EXPECT_THAT(problem(scenario("platform: {bulk: {above: 8B}}")), HasSubstr("at least 256B"));
  EXPECT_THAT(problem(scenario("platform: {bulk: packets}")),
              HasSubstr("expected shared_ports, flows"));
}

TEST(HardwareFaults, name_nodes_by_number_and_read_back) {
  const auto parsed =
      parse(scenario("platform: {servers: 2, client_nodes: 3}\nfaults:\n"
                     "  - {kind: link_down, at: 1ms, node: 0, for: 2us}\n"
                     "  - {kind: link_down, at: 1ms, node: 0, to: 4}\n"
                     "  - {kind: node_crash, at: 2ms, node: 1}\n"
                     "  - {kind: process_crash, at: 3ms, client: 2}\n"));
  ASSERT_TRUE(parsed) << parsed.error().text();
  const std::vector<FaultSpec>& faults = parsed.value().points.front().faults;
  ASSERT_EQ(faults.size(), 4U);
  EXPECT_EQ(faults[0].outage, microseconds(2));
  EXPECT_FALSE(faults[0].to.has_value());
  EXPECT_EQ(faults[1].to, 4U);
  EXPECT_FALSE(faults[1].outage.has_value());
  EXPECT_EQ(faults[2].node, 1U);
  EXPECT_EQ(faults[3].client, 2U);
  const auto again = parse(parsed.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().points.front().resolved_yaml,
            parsed.value().points.front().resolved_yaml);
}

TEST(HardwareFaults, that_name_no_node_are_refused) {
  EXPECT_EQ(problem(scenario("faults: [{kind: node_crash, at: 1ms, node: 2}]")),
            "test.yaml:4: faults.0.node is 2; allowed: 0 to 1");
  EXPECT_THAT(problem(scenario("faults: [{kind: link_down, at: 1ms}]")),
              HasSubstr("faults.0.node is missing"));
  EXPECT_THAT(problem(scenario("faults: [{kind: link_down, at: 1ms, node: 1, to: 1}]")),
              HasSubstr("are the same node"));
}

// Which settings are compatible with a server that returns.
TEST(HardwareFaults, allow_a_server_to_return) {
  const auto parsed =
      parse(scenario("platform: {servers: 2}\nfaults:\n"
                     "  - {kind: node_crash, at: 30ms, node: 1}\n"
                     "  - {kind: node_crash, at: 1ms, node: 1, for: 20ms}\n"
                     "  - {kind: node_crash, at: 22ms, node: 1, for: 2ms}\n"
                     "  - {kind: node_crash, at: 1ms, node: 0, for: 3600s}\n"));
  ASSERT_TRUE(parsed) << parsed.error().text();
  const std::vector<FaultSpec>& faults = parsed.value().points.front().faults;
  EXPECT_EQ(faults[0].outage, std::nullopt);
  EXPECT_EQ(faults[1].outage, milliseconds(20));
  const auto again = parse(parsed.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().points.front().faults[1].outage, milliseconds(20));
}

TEST(HardwareFaults, refuse_the_return_of_other_nodes_and_overlapping_outages) {
  EXPECT_THAT(problem(scenario("faults: [{kind: node_crash, at: 1ms, node: 1, for: 1ms}]")),
              HasSubstr("faults.0.for: node 1 hosts clients, and only a server that hosts none "
                        "comes back; leave out faults.0.for, or let faults.0.node be below 1"));
  EXPECT_THAT(problem(scenario("platform: {servers: 2, client_nodes: 1, colocated: true}\n"
                               "faults: [{kind: node_crash, at: 1ms, node: 0, for: 1ms}]")),
              HasSubstr("a server without clients (platform.colocated)"));
  EXPECT_THAT(problem(scenario("run: {guard: on}\n"
                               "faults: [{kind: node_crash, at: 1ms, node: 0, for: 1ms}]")),
              HasSubstr("faults.0.for and run.guard"));
  EXPECT_THAT(problem(scenario("faults:\n  - {kind: node_crash, at: 1ms, node: 0, for: 3ms}\n"
                               "  - {kind: node_crash, at: 2ms, node: 0}")),
              HasSubstr("faults.0 and faults.1 crash server 0 while it is down already"));
  EXPECT_THAT(problem(scenario("faults:\n  - {kind: node_crash, at: 1ms, node: 0}\n"
                               "  - {kind: node_crash, at: 2ms, node: 0, for: 1ms}")),
              HasSubstr("faults.1 and faults.0 crash server 0 while it is down already"));
  EXPECT_THAT(problem(scenario("faults: [{kind: client_crash, at: 1ms, client: 0, for: 1ms}]")),
              HasSubstr("unknown key 'for'"));
}

}  // namespace
}  // namespace latchlab::scenario_test
