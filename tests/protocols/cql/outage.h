#pragma once
// Paths that are down for longer than RC retries, and recover: which verbs fail meanwhile, and what
// happens to locks that are being reset.

#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {

// Each lock is wanted by two clients on each of two nodes, and versions run out all the time.
inline testing::RunSetup busy_resets(const char* protocol) {
  constexpr std::uint32_t kLocks = 60;
  testing::RunSetup setup;
  setup.protocol = protocol;
  setup.params = {{"version_bits", testing::number(1)},
                  {"capacity", testing::number(4)},
                  {"timeout", microseconds(500)}};
  setup.client_nodes = 6;
  setup.clients_per_node = 40;
  setup.locks = kLocks;
  setup.make = plain_simulation;
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    section.wants.push_back(Want{world.lock(LockId{client.value / 2 % kLocks})});
    return count < 60;
  };
  return setup;
}

// Resets of many locks are at every step when the port of a node goes down for two milliseconds.
// All clients still complete their sections.
inline testing::Labels after_outage(const char* protocol, bool of_the_server) {
  using namespace testing;
  CaseRun run(busy_resets(protocol), 1);
  Backend& backend = run.backend();
  const NodeId server = run.world().lock(LockId{0}).entry.node;
  const NodeId node = of_the_server ? server : run.world().node_of(ClientId{8});
  const auto set = [&backend, node](bool up) {
    backend.hardware_faults()->set_link(node, kNoNode, up);
  };
  backend.at(Time{} + microseconds(200), [&set] { set(false); });
  backend.at(Time{} + microseconds(2200), [&set] { set(true); });
  backend.at(Time{} + milliseconds(60), [&backend] { backend.request_stop(); });
  paths::forget();
  paths::record(true);
  const Outcome outcome = run.go();
  paths::record(false);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, 60ULL * 240);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_EQ(outcome.safety.late_effects, 0U);
  return labels("cql", true);
}

}  // namespace latchlab::cql_tests

#endif
