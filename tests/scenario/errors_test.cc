// Each error is one line: file:line, what was found, what was expected or probably meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ScenarioErrors, misspelt_keys_suggest_the_nearest_one) {
  EXPECT_EQ(problem(scenario("platfrom: {servers: 1}")),
            "test.yaml:4: unknown key 'platfrom'; did you mean 'platform'?");
  EXPECT_EQ(problem(scenario("platform:\n  servers: 1\n  client_node: 5\n")),
            "test.yaml:6: unknown key 'client_node' in platform; did you mean 'client_nodes'?");
  EXPECT_EQ(problem(scenario("workload: {distribution: {kind: zipf, tehta: 0.9}}")),
            "test.yaml:4: unknown key 'tehta' in workload.distribution; did you mean 'theta'?");
  EXPECT_EQ(problem(scenario("locks: {colour: red}")),
            "test.yaml:4: unknown key 'colour' in locks; known: count, placement, stride, memory");
  EXPECT_EQ(problem("schema: 1\nnmae: x\n"),
            "test.yaml:2: unknown key 'nmae'; did you mean 'name'?");
  EXPECT_EQ(problem(scenario("faults: [{knid: skip_release}]")),
            "test.yaml:4: unknown key 'knid' in faults.0; did you mean 'kind'?");
}

TEST(ScenarioErrors, duplicate_keys_name_the_first_line) {
  EXPECT_EQ(problem(scenario("locks: {count: 1}\nrun: {seed: 1}\nlocks: {count: 2}\n")),
            "test.yaml:6: duplicate key 'locks' (first on line 4); remove one");
  EXPECT_EQ(problem(scenario("run:\n  seed: 1\n  seed: 2\n")),
            "test.yaml:6: duplicate key 'seed' (first on line 5); remove one");
}

TEST(ScenarioErrors, required_keys_are_asked_for_with_an_example) {
  EXPECT_EQ(problem("name: x\nprotocol: {name: cas}\n"),
            "test.yaml:1: schema is missing; add it, for example 'schema: 1'");
  EXPECT_EQ(problem("schema: 1\nprotocol: {name: cas}\n"),
            "test.yaml:1: name is missing; add it, for example 'name: quickstart'");
  EXPECT_EQ(problem("schema: 1\nname: x\n"),
            "test.yaml:1: protocol is missing; add it, for example 'protocol: {name: shiftlock}'");
  EXPECT_EQ(problem("schema: 1\nname: x\nprotocol: {lease: 1ms}\n"),
            "test.yaml:3: protocol.name is missing; add it, for example 'name: shiftlock'");
  EXPECT_EQ(problem("schema: 2\nnom: x\n"),
            "test.yaml:1: schema is '2'; this build reads schema 1");
  EXPECT_EQ(problem("schema: 1\nname: a/b\nprotocol: {name: cas}\n"),
            "test.yaml:2: name is 'a/b'; expected 1 to 64 letters, digits, '-', '_' or '.'");
}

TEST(ScenarioErrors, names_are_short_and_have_letters_digits_and_few_signs) {
  const auto of_scenario = [](const std::string& name) {
    return problem("schema: 1\nname: \"" + name + "\"\nprotocol: {name: cas}\n");
  };
  const auto of_group = [](const std::string& name) {
    return problem(scenario("groups: [{name: \"" + name + "\"}]"));
  };
  const std::string longest(64, 'x');
  std::vector<std::string> wrong = {"", longest + "x"};
  for (const char beside : std::string("`{@[/:")) wrong.push_back(std::string("a") + beside);
  for (const auto& problem_of : {+of_scenario, +of_group}) {
    for (const std::string& name : {std::string("azAZ09-_"), longest})
      EXPECT_EQ(problem_of(name), "fine");
    for (const std::string& name : wrong)
      EXPECT_THAT(problem_of(name), HasSubstr("expected 1 to 64 letters")) << name;
  }
  EXPECT_EQ(of_scenario("a.b"), "fine");
  EXPECT_NE(of_scenario(".b"), "fine");
  EXPECT_NE(of_group("a.b"), "fine");
}

TEST(ScenarioErrors, units_counts_and_ranges_are_checked) {
  EXPECT_EQ(problem(scenario("run: {warmup: 20}")),
            "test.yaml:4: run.warmup: '20' has no unit; expected a duration such as 2us (units: "
            "ps, ns, us, ms, s)");
  EXPECT_EQ(problem(scenario("run: {duration: 0us}")),
            "test.yaml:4: run.duration is 0us; allowed: 1us to 3600s");
  EXPECT_EQ(problem(scenario("platform: {servers: -1}")),
            "test.yaml:4: platform.servers: '-1' is negative; expected a whole number such as 48 "
            "or 10M (k, M, G decimal)");
  EXPECT_EQ(problem(scenario("platform: {client_nodes: 0}")),
            "test.yaml:4: platform.client_nodes is 0; allowed: 1 to 65535");
  EXPECT_EQ(problem(scenario("locks: {count: 0}")),
            "test.yaml:4: locks.count is 0; allowed: 1 to 9223372036854775807");
  EXPECT_EQ(problem(scenario("workload: {read_ratio: 50}")),
            "test.yaml:4: workload.read_ratio is 50; allowed: 0 to 1; did you mean 50%?");
  EXPECT_EQ(problem(scenario("platform: {colocated: yes}")),
            "test.yaml:4: platform.colocated is 'yes'; expected true or false");
  EXPECT_EQ(problem(scenario("run: {seed:}")),
            "test.yaml:4: run.seed has no value; give one or remove the key");
  EXPECT_EQ(problem(scenario("run: 40ms")),
            "test.yaml:4: run holds a single value; expected a mapping of keys to values");
  EXPECT_EQ(problem(scenario("workload: {distribution: {kind: power_law, alpha: 1}}")),
            "test.yaml:4: workload.distribution.alpha is 1; allowed: 1.000000001 to 20");
}

TEST(ScenarioErrors, limits_of_nodes_clients_and_addresses_hold) {
  EXPECT_THAT(problem(scenario("platform: {servers: 1, client_nodes: 65535}")),
              StartsWith("test.yaml:4: platform has 65536 nodes"));
  EXPECT_THAT(problem(scenario("platform: {client_nodes: 5, clients_per_node: 3M}")),
              StartsWith("test.yaml:4: platform has 15000000 clients"));
  EXPECT_EQ(problem(scenario("locks:\n  count: 100000G\n  stride: 64B\n")),
            "test.yaml:5: locks.count x stride is 100000000000000 x 64B on one server, beyond the "
            "48-bit address space; at most 4398046511040 locks per server fit");
  EXPECT_EQ(problem(scenario("platform: {servers: 100}\nlocks: {count: 100000G, stride: 64B}")),
            "fine");
  EXPECT_EQ(problem(scenario("locks: {stride: 8B}")),
            "test.yaml:4: locks.stride is 8B; this protocol's entry needs at least 16B");
  EXPECT_EQ(problem(scenario("locks: {placement: {node: 1}}")),
            "test.yaml:4: locks.placement.node is 1; allowed: 0 to 0 (there are 1 servers)");
  EXPECT_THAT(problem(scenario("platform: {colocated: true, servers: 2, client_nodes: 3}")),
              HasSubstr("at most 2 are possible"));
}

TEST(ScenarioErrors, unknown_nics_list_the_known_ones) {
  EXPECT_EQ(problem(scenario("platform: {nic: conectx-5}")),
            "test.yaml:4: there is no NIC 'conectx-5'; known: connectx-3, connectx-4, connectx-5, "
            "connectx-6, connectx-7, soft-roce (did you mean 'connectx-5'?)");
}

TEST(ScenarioErrors, parameters_of_protocols_are_checked) {
  const std::string head = "schema: 1\nname: t\n";
  EXPECT_EQ(problem(head + "protocol: {name: shiftlok}"),
            "test.yaml:3: there is no protocol 'shiftlok'; known: cas, mcs, dslr, shiftlock (did "
            "you mean 'shiftlock'?)");
  EXPECT_EQ(problem(head + "protocol: {name: shiftlock, max_consecutive_writers: 0}"),
            "test.yaml:3: protocol.max_consecutive_writers is 0; allowed: 1 to 1M");
  EXPECT_EQ(problem(head + "protocol: {name: shiftlock, lease: 1us}"),
            "test.yaml:3: protocol.lease is 1us; allowed: 10us to 10s");
  EXPECT_EQ(problem(head + "protocol:\n  name: cas\n  max_consecutive_writers: 4\n"),
            "test.yaml:5: parameter 'max_consecutive_writers' belongs to shiftlock, not to cas; "
            "remove it");
  EXPECT_EQ(problem(head + "protocol: {name: cas, bakoff: none}"),
            "test.yaml:3: unknown key 'bakoff' in protocol cas; did you mean 'backoff'?");
  EXPECT_EQ(problem(head + "protocol: {name: cas, backoff: nune}"),
            "test.yaml:3: protocol.backoff is 'nune'; expected none, truncated_exponential (did "
            "you mean 'none'?)");
  EXPECT_EQ(problem(head + "protocol: {name: shiftlock, profile: papers}"),
            "test.yaml:3: protocol.profile is 'papers'; expected repaired, paper (did you mean "
            "'paper'?)");
  EXPECT_EQ(problem(head + "protocol: {name: cas, profile: paper}"),
            "test.yaml:3: protocol cas has no profiles; remove 'profile'");
  EXPECT_EQ(problem(head + "protocol: {name: shiftlock, max_consecutive_writers: 13, profile: "
                           "paper}"),
            "test.yaml:3: protocol shiftlock: 13 writers need epoch_in_handover: true");
}

TEST(ScenarioErrors, unsupported_keys_are_reported_as_such) {
  EXPECT_EQ(problem(scenario("workload: {distribution: {kind: trace}}")),
            "test.yaml:4: workload.distribution.kind trace is not supported by this build yet; "
            "supported: uniform, zipf, power_law, hotspot");
  EXPECT_EQ(problem(scenario("platform: {topology: {kind: star}}\ngroups: []\nworkload: {kind: "
                             "micro, locality: null}\nrun: {guard: off}\n")),
            "fine");
}

TEST(ScenarioErrors, faults_take_their_own_keys_only) {
  EXPECT_EQ(problem(scenario("platform: {clients_per_node: 2}\nfaults:\n  - {kind: client_crash, "
                             "at: 1ms, client: 2}\n")),
            "test.yaml:6: faults.0.client is 2; allowed: 0 to 1");
  EXPECT_EQ(problem(scenario("faults: [{kind: skip_release, probability: 1%, at: 1ms}]")),
            "test.yaml:4: unknown key 'at' in faults.0 of kind skip_release: it is for kinds "
            "client_crash, process_crash, node_crash, link_down, slow_client, drift, pause; change "
            "the kind, or remove the key");
  EXPECT_EQ(problem(scenario("faults: [{kind: skip_release}]")),
            "test.yaml:4: faults.0.probability is missing; add it, for example 'probability: "
            "0.1%'");
}

}  // namespace
}  // namespace latchlab::scenario_test
