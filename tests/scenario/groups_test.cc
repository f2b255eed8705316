// Groups of clients: how many clients they have, what each does, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;

const std::string kTwo =
    "groups:\n"
    "  - {name: readers, nodes: 2, clients_per_node: 3, workload: {read_ratio: 100%}}\n"
    "  - {name: writers, clients_per_node: 5}\n"
    "workload: {read_ratio: 10%, think_time: 1us}\n";

TEST(Groups, determine_the_number_of_clients_and_the_workload_of_each) {
  const auto parsed = parse(scenario(kTwo));
  ASSERT_TRUE(parsed) << parsed.error().text();
  const Point& point = parsed.value().points.front();
  EXPECT_EQ(point.platform.clients(), 11U);
  EXPECT_EQ(point.platform.client_nodes, 3U);
  EXPECT_EQ(point.platform.nodes(), 4U);
  ASSERT_EQ(point.groups.size(), 2U);
  EXPECT_EQ(point.groups[0].name, "readers");
  EXPECT_EQ(point.groups[0].workload.read_ratio_ppb, 1'000'000'000);
  EXPECT_EQ(point.groups[0].workload.think_time, microseconds(1));  // from the common workload
  EXPECT_EQ(point.groups[1].workload.read_ratio_ppb, 100'000'000);
}

TEST(Groups, of_another_kind_ignore_kind_specific_keys_of_the_common_workload) {
  for (const char* kind : {"file_io", "transactions"}) {
    const auto parsed =
        parse(scenario("workload: {update_ratio: 50%, upgrade_ratio: 10%, read_ratio: 20%}\n"
                       "groups: [{name: a}, {name: b, workload: {kind: " +
                       std::string(kind) + "}}]\n"));
    ASSERT_TRUE(parsed) << kind << parsed.error().text();
    const Point& point = parsed.value().points.front();
    EXPECT_EQ(point.groups[0].workload.update_ratio_ppb, 500'000'000);
    const WorkloadSpec usual;
    EXPECT_EQ(point.groups[1].workload.update_ratio_ppb, usual.update_ratio_ppb) << kind;
    EXPECT_EQ(point.groups[1].workload.upgrade_ratio_ppb, usual.upgrade_ratio_ppb) << kind;
    EXPECT_EQ(point.groups[1].workload.read_ratio_ppb, usual.read_ratio_ppb) << kind;
  }
}

TEST(Groups, are_the_same_when_the_resolved_scenario_is_read_again) {
  const auto parsed = parse(scenario(kTwo));
  ASSERT_TRUE(parsed) << parsed.error().text();
  const auto again = parse(parsed.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().points.front().resolved_yaml,
            parsed.value().points.front().resolved_yaml);
}

TEST(Groups, may_have_rnics_and_clocks_of_their_own) {
  const auto parsed = parse(scenario(
      "platform: {clocks: {drift: 50ppm, offset: 1us}}\n"
      "groups:\n"
      "  - {name: slow, nic: {base: connectx-5, link.rate: 25Gbps}, clocks: {drift: 200ppm}}\n"
      "  - {name: usual}\n"));
  ASSERT_TRUE(parsed) << parsed.error().text();
  const Point& point = parsed.value().points.front();
  const NodeHardware slow = point.groups[0].hardware(point.platform);
  EXPECT_EQ(slow.nic.link_bits_per_s, 25'000'000'000);
  EXPECT_EQ(slow.nic.hold_8, point.platform.nic.hold_8);
  EXPECT_EQ(slow.clocks.drift_ppb, 200'000);
  EXPECT_EQ(slow.clocks.offset, microseconds(1));  // from the platform
  const NodeHardware usual = point.groups[1].hardware(point.platform);
  EXPECT_EQ(usual.nic.link_bits_per_s, point.platform.nic.link_bits_per_s);
  EXPECT_EQ(usual.clocks, point.platform.clocks);
  const auto again = parse(parsed.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().points.front().resolved_yaml, point.resolved_yaml);
  EXPECT_THAT(point.resolved_json, HasSubstr("\"rate\":\"25Gbps\""));
}

TEST(Groups, constants_of_their_rnics_can_be_swept) {
  const auto parsed =
      parse(scenario("platform: {nic: {base: connectx-5, atomic.window: 99}}\ngroups: [{name: a}]\n"
                     "sweep: {grid: {groups.0.nic.atomic.same_address: [200ns, 300ns]}}\n"));
  ASSERT_TRUE(parsed) << parsed.error().text();
  ASSERT_EQ(parsed.value().points.size(), 2U);
  for (const Point& point : parsed.value().points) EXPECT_EQ(point.groups[0].nic->window, 99);
  EXPECT_EQ(parsed.value().points[0].groups[0].nic->hold_8, nanoseconds(200));
  EXPECT_EQ(parsed.value().points[1].groups[0].nic->hold_8, nanoseconds(300));
}

TEST(Groups, constants_that_are_set_replace_those_of_the_platform_in_any_order) {
  const auto parsed = parse(scenario("groups: [{name: a}]\n"),
                            {{"groups.0.nic.atomic.window", "8"}, {"platform.nic", "connectx-6"}});
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed.value().points[0].groups[0].nic->name, "connectx-6");
  EXPECT_EQ(parsed.value().points[0].groups[0].nic->window, 8);
}

TEST(Groups, with_another_link_rate_are_refused_with_flows) {
  const std::string slow = "groups: [{name: a, nic: {base: connectx-5, link.rate: 25Gbps}}]\n";
  EXPECT_THAT(problem(scenario("platform: {topology: fat_tree}\n" + slow)),
              HasSubstr("test.yaml:5: a group's connectx-5 has another link.rate than the "
                        "platform's connectx-5"));
  EXPECT_EQ(problem(scenario("platform: {topology: fat_tree, bulk: shared_ports}\n" + slow)),
            "fine");
}

TEST(Platform, client_nodes_may_share_rnics) {
  const auto parsed = parse(scenario(
      "platform: {client_nodes_per_nic: 4}\ngroups: [{name: a, nodes: 6}, {name: b, nodes: 4}]\n"));
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed.value().points.front().platform.nodes(), 11U);
  EXPECT_EQ(parsed.value().points.front().platform.rnics(), 4U);
  EXPECT_EQ(problem(scenario("platform: {colocated: true, client_nodes_per_nic: 2}")),
            "test.yaml:4: platform.client_nodes_per_nic needs client nodes apart from the servers, "
            "which have an RNIC each; remove it, or set platform.colocated to false");
  EXPECT_EQ(problem(scenario("platform: {client_nodes: 3, client_nodes_per_nic: 2}\n"
                             "faults: [{kind: link_down, at: 1ms, node: 1, to: 2}]\n")),
            "test.yaml:5: faults.0.node and faults.0.to are behind the same RNIC, and reach each "
            "other without any link");
  EXPECT_EQ(problem(scenario("platform: {client_nodes: 3, client_nodes_per_nic: 2}\n"
                             "faults: [{kind: link_down, at: 1ms, node: 2, to: 3}]\n")),
            "fine");
}

TEST(Groups, can_be_swept) {
  const auto parsed =
      parse(scenario(kTwo + "sweep: {grid: {groups.1.nodes: [1, 4], groups.0.workload.read_ratio: "
                            "[50%, 100%]}}\n"));
  ASSERT_TRUE(parsed) << parsed.error().text();
  ASSERT_EQ(parsed.value().points.size(), 4U);
  EXPECT_EQ(parsed.value().points[0].platform.clients(), 11U);
  EXPECT_EQ(parsed.value().points[3].platform.clients(), 26U);
  EXPECT_EQ(parsed.value().points[2].groups[0].workload.read_ratio_ppb, 500'000'000);
  const auto again = parse(parsed.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(again.value().points[i].resolved_yaml, parsed.value().points[i].resolved_yaml);
}

TEST(Groups, that_contradict_the_platform_or_each_other_are_refused) {
  EXPECT_EQ(problem(scenario(kTwo + "platform: {client_nodes: 3}\n")),
            "test.yaml:8: platform.client_nodes and groups both say how many clients there are; "
            "remove one of them");
  EXPECT_EQ(problem(scenario("groups:\n  - {name: a}\n  - {name: a}\n")),
            "test.yaml:6: groups.1.name is 'a', as an earlier group's; give each its own");
  EXPECT_EQ(problem(scenario("groups: [{name: a b}]")),
            "test.yaml:4: groups.0.name is 'a b'; expected 1 to 64 letters, digits, '-' or '_'");
  EXPECT_EQ(problem(scenario("groups: [{nodes: 1}]")),
            "test.yaml:4: groups.0.name is missing; add it, for example 'name: readers'");
  EXPECT_THAT(problem(scenario("groups: [{name: a, nic: connectx-55}]")),
              HasSubstr("test.yaml:4: there is no NIC 'connectx-55'; known: "));
  EXPECT_THAT(problem(scenario("platform: {colocated: true}\nlocks: {memory: device}\n"
                               "groups: [{name: a, nic: connectx-4}]\n")),
              HasSubstr("test.yaml:6: groups have RNICs of their own on nodes that are servers"));
  EXPECT_THAT(problem(scenario("groups: [{name: a, clocks: {drfit: 1ppm}}]")),
              HasSubstr("test.yaml:4: unknown key 'drfit' in groups.0.clocks; did you mean "
                        "'drift'?"));
  EXPECT_EQ(
      problem(scenario("groups: {name: a}")),
      "test.yaml:4: groups holds a mapping; expected a list such as [{name: readers, nodes: 2, "
      "workload: {read_ratio: 100%}}, {name: writers}]");
  EXPECT_THAT(problem(scenario("groups: [{name: a, nodes: 60000, clients_per_node: 1000}]")),
              HasSubstr("platform has 60000000 clients"));
  EXPECT_EQ(problem(scenario("groups:\n  - name: a\n    workload:\n      read_ratio: 50\n")),
            "test.yaml:7: workload.read_ratio is 50; allowed: 0 to 1; did you mean 50%?");
  EXPECT_THAT(problem(scenario("groups:\n  - name: a\n    workload: {locality: 50%}\n")),
              HasSubstr("test.yaml:6: workload.locality needs clients on servers"));
}

TEST(Run, opens_its_window_after_the_warm_up_or_after_half_the_duration) {
  EXPECT_EQ(point_of("run: {duration: 10ms}").run.earliest(), milliseconds(5));
  EXPECT_EQ(point_of("run: {duration: 10ms, warmup: 1ms}").run.earliest(), milliseconds(1));
}

TEST(Run, may_report_a_series_and_the_hottest_lock) {
  const auto parsed = parse(scenario("run: {series: 1ms, hottest_lock: true}"));
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed.value().points.front().run.series, milliseconds(1));
  EXPECT_TRUE(parsed.value().points.front().run.hottest_lock);
  EXPECT_EQ(problem(scenario("run: {duration: 1s, series: 10us}")),
            "test.yaml:4: run.series is 10us, which makes 100000 intervals of a run.duration of "
            "1s; at most 10000 are possible");
}
TEST(Clients, are_spread_over_the_client_nodes) {
  const Point point = point_of("platform: {client_nodes: 3, clients: 64}");
  ASSERT_EQ(point.platform.groups.size(), 2U);
  EXPECT_EQ(point.platform.groups[0].nodes, 1U);
  EXPECT_EQ(point.platform.groups[0].clients_per_node, 22U);
  EXPECT_EQ(point.platform.groups[1].nodes, 2U);
  EXPECT_EQ(point.platform.groups[1].clients_per_node, 21U);
  EXPECT_EQ(point.platform.clients(), 64U);
  EXPECT_EQ(point.platform.client_nodes, 3U);
  EXPECT_EQ(point_of("platform: {client_nodes: 3, clients: 1}").platform.clients(), 1U);
  const Point even = point_of("platform: {client_nodes: 3, clients: 9}");
  EXPECT_TRUE(even.platform.groups.empty());
  EXPECT_EQ(even.platform.clients_per_node, 3U);
  for (const char* clients : {"1", "9", "64"})
    expect_round_trip(
        scenario("platform: {client_nodes: 3, clients: " + std::string(clients) + "}"));
  EXPECT_EQ(problem(scenario("platform: {clients_per_node: 3, clients: 9}")),
            "test.yaml:4: platform.clients spreads clients over the client nodes, one RNIC each, "
            "and another key says how many there are on each node or RNIC; remove clients, or "
            "clients_per_node and client_nodes_per_nic");
  EXPECT_NE(problem(scenario("platform: {client_nodes: 4, client_nodes_per_nic: 2, clients: 9}")),
            "fine");
  EXPECT_EQ(problem(scenario("platform: {clients: 9}\ngroups: [{name: a}]")),
            "test.yaml:4: platform.clients and groups both say how many clients there are; remove "
            "one of them");
}

TEST(Groups, are_roles_or_sizes_if_the_scenario_has_none) {
  using ::testing::ElementsAre;
  const auto groups = [](const std::string& text) { return client_groups(point_of(text)); };
  const std::string range =
      "platform: {clients_per_node: 4}\nworkload: {kind: range, sizes: [16, 1, 16]}\n";
  const ClientGroups sizes = groups(range + "run: {by_group: true}");
  EXPECT_THAT(sizes.names, ElementsAre("1", "16"));
  EXPECT_THAT(sizes.of_clients, ElementsAre(1, 0, 1, 1));
  EXPECT_TRUE(groups(range).names.empty());
  const ClientGroups roles = groups(
      "platform: {client_nodes: 2, clients_per_node: 4}\nlocks: {count: 3}\nrun: {by_group: true}"
      "\nworkload: {kind: file_io, files: {kind: oltp, roles: {readers: 2, writers: 1, loggers: "
      "1}}}");
  EXPECT_THAT(roles.names, ElementsAre("readers", "writers", "log"));
  EXPECT_THAT(roles.of_clients, ElementsAre(0, 0, 1, 2, 0, 0, 1, 2));
  const ClientGroups own = groups("groups: [{name: a, clients_per_node: 2}, {name: b}]");
  EXPECT_THAT(own.names, ElementsAre("a", "b"));
  EXPECT_THAT(own.of_clients, ElementsAre(0, 0, 1));
  EXPECT_EQ(problem(scenario("run: {by_group: true}")),
            "test.yaml:4: run.by_group measures groups of clients apart, and there are none; set "
            "groups, or workload.files.roles, or several workload.sizes that clients have in turn, "
            "or remove the key");
}

}  // namespace
}  // namespace latchlab::scenario_test
