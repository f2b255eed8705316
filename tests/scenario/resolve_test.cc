// The resolved scenario is complete and reads back as the same points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/protocols/registry.h"
#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;

TEST(Resolved, texts_keep_characters_that_cannot_be_printed) {
  const auto parsed = parse(scenario("description: \"a\\x01b\\x7f\""));
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed.value().description,
            "a\x01"
            "b\x7f");
  EXPECT_THAT(parsed.value().resolved_yaml, HasSubstr("\"a\\x01b\\x7f\""));
}

TEST(Resolved, texts_that_look_like_the_start_of_a_list_or_a_directive_read_back) {
  for (const char* text : {" indented", "- item", "-", "%YAML", "..."})
    expect_round_trip(scenario("description: \"" + std::string(text) + "\""));
}

TEST(Resolved, scenarios_read_back_as_the_same_points) {
  const std::string head = "schema: 1\nname: t\n";
  expect_round_trip(scenario(""));
  expect_round_trip(scenario("description: \"a: b # c\\n 'd' \\\"e\\\" \xc3\xa9\""));
  expect_round_trip(scenario(
      "platform: {servers: 3, client_nodes: 2, clients_per_node: 7, client_link_latency: 1.5us, "
      "clocks: {drift: 100ppm, offset: 3us}, nic: {base: connectx-5, atomic.window: 100}}\n"
      "locks: {count: 1234567, placement: {node: 2}, stride: 64B}\n"
      "workload: {distribution: {kind: hotspot, locks: 1%, accesses: 90%}, read_ratio: 33.3%, "
      "critical_section: 1us, think_time: {kind: exponential, mean: 5us}}\n"
      "faults: [{kind: skip_release, probability: 0.001%}, {kind: client_crash, at: 5ms, client: "
      "3}]\n"
      "run: {warmup: 1ms, duration: 2ms, seed: 18446744073709, repeats: 5, on_violation: record}\n"
      "expect: [{id: a, kind: value, metric: m, value: 278.3k, tolerance: 10%, source: \"S, 2.3\", "
      "use: calibration}]\n"
      "report: {figures: [{x: locks.count, y: goodput_ops_s}]}\n"));
  expect_round_trip(head +
                    "sweep: {grid: {protocol: [{name: cas, backoff: none, label: CAS-NB}, {name: "
                    "cas}, {name: shiftlock, profile: paper}], platform.clients_per_node: [1, "
                    "48]}}\n");
  expect_round_trip(head +
                    "protocol: {lease: 5ms}\nsweep: {grid: {protocol.name: [dslr, cas, "
                    "shiftlock]}}\n");
  expect_round_trip(scenario("sweep: {grid: {protocol.profile: [repaired, paper]}}"));
  expect_round_trip(scenario("sweep: {grid: {workload.distribution.kind: [zipf, uniform]}}"));
  expect_round_trip(
      scenario("sweep: {grid: {workload.distribution: [uniform, {kind: power_law, "
               "alpha: 2.5}], platform.nic.atomic.window: [48, 72]}}"));
  expect_round_trip(scenario("sweep: {zip: [{locks.count: [1, 10M], run.duration: [5ms, 9ms]}]}"));
  expect_round_trip(scenario("sweep: {grid: {locks.count: [1, 2]}}"),
                    {{"locks.count", "7"}, {"platform.nic.latency.jitter", "5ns"}});
}

TEST(Resolved, groups_follow_axes_that_apply_to_all_of_them) {
  const std::string two =
      "groups: [{name: a, clocks: {offset: 1us}}, {name: b, nic: connectx-4, workload: "
      "{think_time: 1us}}]\n";
  for (const char* axes :
       {"workload.read_ratio: [0%, 100%]", "platform.clocks.drift: [0ppm, 100ppm]",
        "platform.nic.atomic.window: [48, 72], groups.0.nic.link.rate: [25Gbps, 50Gbps]",
        "groups.1.nic.atomic.window: [48, 72]",
        "groups.1.workload.distribution.kind: [zipf, uniform]"})
    expect_round_trip(scenario(two + "sweep: {grid: {" + axes + "}}\n"));
}

TEST(Resolved, every_default_is_visible) {
  const auto result = parse(scenario("locks: {count: 10000000}"));
  ASSERT_TRUE(result) << result.error().text();
  const std::string& text = result.value().resolved_yaml;
  for (const char* line :
       {"schema: 1\n", "  servers: 1\n",
        "  clocks: {drift: 0ppm, offset: 0us, nic_drift: 0ppm, nic_offset: 0us}\n",
        "locks: {count: 10M, placement: round_robin, stride: 64B, memory: host}\n",
        "  distribution: {kind: uniform}\n", "  read_ratio: 0%\n", "faults: []\n",
        "profile: repaired", "max_consecutive_writers: 16", "lease: 10ms",
        "  warmup: auto\n  duration: 40ms\n  seed: 1\n  repeats: 1\n  precision: null\n",
        "  arrivals: null\n", "  hottest_lock: false\n", "value: 341ns"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Resolved, json_of_a_point_has_numbers_for_counts_and_ratios) {
  const auto result = parse(scenario("locks: {count: 10M}\nworkload: {read_ratio: 50%}"));
  ASSERT_TRUE(result) << result.error().text();
  const std::string& json = result.value().points[0].resolved_json;
  EXPECT_THAT(json, HasSubstr("\"count\":10000000"));
  EXPECT_THAT(json, HasSubstr("\"read_ratio\":0.5"));
  EXPECT_THAT(json, HasSubstr("\"lease\":\"10ms\""));
  EXPECT_THAT(json, HasSubstr("\"epoch_in_handover\":true"));
  EXPECT_THAT(json, HasSubstr("\"window\":72"));
}

TEST(Resolved, the_notation_of_a_value_does_not_matter) {
  const auto a = parse(scenario("locks: {count: 10M}\nrun: {warmup: 20ms}"));
  const auto b = parse(scenario("run:\n  warmup: 20000us\nlocks:\n  count: 10000000\n"));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a.value().points[0].resolved_yaml, b.value().points[0].resolved_yaml);
}

TEST(Resolved, profiles_set_parameters_and_the_scenario_overrides_them) {
  const std::string head = "schema: 1\nname: t\n";
  const auto paper = parse(head + "protocol: {name: shiftlock, profile: paper}");
  ASSERT_TRUE(paper) << paper.error().text();
  EXPECT_FALSE(paper.value().points[0].protocol.params.boolean("epoch_in_handover"));
  const auto both =
      parse(head + "protocol: {name: shiftlock, profile: paper, epoch_in_handover: true}");
  ASSERT_TRUE(both) << both.error().text();
  EXPECT_TRUE(both.value().points[0].protocol.params.boolean("epoch_in_handover"));
}

TEST(Warnings, name_the_value_to_set) {
  const auto result = parse(
      "schema: 1\nname: t\nrun: {warmup: 5ms, duration: 40ms}\nsweep: {grid: {protocol: [{name: "
      "cas, backoff: truncated_exponential}, {name: shiftlock}], locks.count: [1, 2]}}\n");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(
      result.value().warning_texts(),
      ::testing::ElementsAre("run.warmup 5ms is shorter than ten adaptation periods of cas (1ms "
                             "each): set run.warmup to 10ms",
                             "run.duration 40ms is shorter than three timeouts of shiftlock (30ms "
                             "each): set run.duration to 90ms"));
}

TEST(Warnings, recommend_give_back_for_several_locks_if_a_server_returns) {
  const auto warnings_of = [](const std::string& workload, const std::string& fault) {
    const auto result = parse(
        "schema: 1\nname: t\nprotocol: {name: cas}\nlocks: {count: 4}\nworkload: {" + workload +
        "}\nrun: {duration: 200ms}\nfaults: [{kind: node_crash, node: " + fault + "}]\n");
    EXPECT_TRUE(result) << result.error().text();
    return result ? result.value().warning_texts() : std::vector<std::string>{};
  };
  const std::string returns = "0, at: 10ms, for: 20ms";
  EXPECT_THAT(warnings_of("locks_per_section: 2", returns),
              ::testing::ElementsAre("faults.0 (node_crash): a server returns without its locks, "
                                     "and sections of several locks keep those that they had there "
                                     "while they ask again: set workload.on_abort to give_back"));
  EXPECT_THAT(warnings_of("locks_per_section: 2, on_abort: give_back", returns),
              ::testing::IsEmpty());
  EXPECT_THAT(warnings_of("locks_per_section: 1", returns), ::testing::IsEmpty());
  EXPECT_THAT(warnings_of("locks_per_section: 2", "0, at: 10ms"), ::testing::IsEmpty());
}

TEST(Warnings, of_grants_that_end_within_a_section_count_the_scans_of_transactions) {
  ProtocolInfo leased;
  leased.name = "leased";
  leased.longest_grant = [](const ParamSet&) { return milliseconds(10); };
  const auto warnings_of = [&](const std::string& scans) {
    const auto result = parse_scenario(
        {"schema: 1\nname: t\nprotocol: {name: leased}\nlocks: {count: 1M}\nworkload: {kind: "
         "transactions, transactions: {kind: tpcc_rows, scan_time: 15ms, scans: " +
             scans + "}}\n",
         "test.yaml", ""},
        {}, {leased}, data());
    EXPECT_TRUE(result) << result.error().text();
    return result ? result.value().warning_texts() : std::vector<std::string>{};
  };
  EXPECT_THAT(warnings_of("1%"),
              ::testing::ElementsAre(HasSubstr("sections of leased take 15ms, and its grants are "
                                               "valid for 10ms at most")));
  EXPECT_THAT(warnings_of("0%"), ::testing::IsEmpty());
}

TEST(Warnings, report_that_a_lock_without_its_timeout_does_not_notice_crashes) {
  ProtocolInfo queue;
  queue.name = "queue";
  queue.survives = "nodes that die";
  queue.params = {duration_param("timeout", milliseconds(50), Duration{}, seconds(10), "patience")};
  queue.longest_timeout = [](const ParamSet& params) { return params.duration("timeout"); };
  ProtocolInfo mortal = queue;
  mortal.name = "mortal";
  mortal.survives = "";
  const auto warnings_of = [&](const std::string& protocol, const std::string& fault) {
    const auto result =
        parse_scenario({"schema: 1\nname: t\nprotocol: {" + protocol +
                            "}\nrun: {duration: 200ms}\nfaults: [{" + fault + "}]\n",
                        "test.yaml", ""},
                       {}, {queue, mortal}, data());
    EXPECT_TRUE(result) << result.error().text();
    return result ? result.value().warning_texts() : std::vector<std::string>{};
  };
  const std::string patient = "name: queue, timeout: 0us";
  EXPECT_THAT(warnings_of(patient, "kind: node_crash, node: 1, at: 10ms"),
              ::testing::ElementsAre(
                  "faults.0 (node_crash): queue notices deaths by a timeout, and has none with "
                  "these parameters: what the dead hold stays taken"));
  EXPECT_THAT(warnings_of(patient, "kind: client_crash, at: 10ms"), ::testing::SizeIs(1));
  EXPECT_THAT(warnings_of(patient, "kind: node_crash, node: 0, at: 10ms, for: 20ms"),
              ::testing::IsEmpty());
  EXPECT_THAT(warnings_of(patient, "kind: pause, client: 0, at: 10ms, length: 1ms"),
              ::testing::IsEmpty());
  EXPECT_THAT(warnings_of("name: queue", "kind: client_crash, at: 10ms"), ::testing::IsEmpty());
  EXPECT_THAT(warnings_of("name: mortal, timeout: 0us", "kind: client_crash, at: 10ms"),
              ::testing::IsEmpty());
}

TEST(Warnings, are_left_out_if_the_scenario_gives_a_reason) {
  const std::string text =
      "schema: 1\nname: t\nrun: {warmup: 5ms, duration: 40ms}\nsweep: {grid: {protocol: [{name: "
      "cas, backoff: truncated_exponential}, {name: shiftlock}]}}\n";
  const auto result = parse(text + "allow: {short_duration: no client crashes}\n");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(result.value().warning_texts(),
              ::testing::ElementsAre(::testing::StartsWith("run.warmup 5ms")));
  ASSERT_EQ(result.value().allowed.size(), 1u);
  EXPECT_EQ(result.value().allowed.front().reason, "no client crashes");
  EXPECT_THAT(result.value().allowed.front().texts,
              ::testing::ElementsAre(::testing::StartsWith("run.duration 40ms")));
  const auto again = parse(result.value().resolved_yaml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().allowed.size(), 1u) << "a run's own scenario file keeps the reasons";
  const auto fails = [&](const std::string& allow) {
    const auto refused = parse(text + "allow: " + allow + "\n");
    return refused ? std::string("taken") : refused.error().text();
  };
  EXPECT_THAT(fails("{short_duratio: typing}"), ::testing::HasSubstr("short_duration"));
  EXPECT_THAT(fails("{short_duration: ''}"), ::testing::HasSubstr("expected a reason"));
}

TEST(Shipped, scenarios_parse_without_warnings_with_the_locks_of_this_build) {
  for (const char* name : {"quickstart", "teaching/one-lock"}) {
    SCOPED_TRACE(name);
    const auto result = load_scenario(name, {}, protocol_infos(), data());
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_THAT(result.value().warning_texts(), ::testing::IsEmpty());
    const auto again = parse_scenario({result.value().resolved_yaml, "resolved.yaml", ""}, {},
                                      protocol_infos(), DataDirs{});
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again.value().resolved_yaml, result.value().resolved_yaml);
  }
}

TEST(Loading, a_missing_file_gives_one_message) {
  const auto result = load_scenario("/nonexistent/x.yaml", {}, protocols(), data());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(), "/nonexistent/x.yaml: no such file; check the path");
  const auto directory = load_scenario("/", {}, protocols(), data());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().text(), "/: not a file; expected the path of a YAML file");
}

}  // namespace
}  // namespace latchlab::scenario_test
