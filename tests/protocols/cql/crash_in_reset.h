#pragma once
// Nodes that crash while locks are being reset. The crash is known after ten milliseconds; RC
// retries for half a second.

#include "tests/protocols/cql/outage.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {

inline std::unique_ptr<Backend> patient_simulation(const WorldPlan& plan) {
  SimgridOptions options = plain_options();
  options.nic.ack_timeout = milliseconds(60);
  return make_simgrid(plan, options);
}

// A node crashes at this time; the other nodes have a tenth of a second.
inline testing::Outcome after_death_of(const testing::RunSetup& setup, std::uint32_t node,
                                       Duration at) {
  testing::CaseRun run(setup, 1);
  std::vector<ClientId> dead;
  for (std::uint32_t i = 0; i < setup.clients_per_node; ++i)
    dead.push_back(ClientId{node * setup.clients_per_node + i});
  run.crash_at(Time{} + at, dead, CrashKind::node);
  run.backend().at(Time{} + milliseconds(100), [&run] { run.backend().request_stop(); });
  paths::forget();
  paths::record(true);
  const testing::Outcome outcome = run.go();
  paths::record(false);
  return outcome;
}

// Resets of many locks are at every step when a node crashes. The remaining clients have to finish
// long before RC gives up.
inline testing::Outcome after_death_in_resets(const char* protocol) {
  testing::RunSetup setup = busy_resets(protocol);
  setup.make = patient_simulation;
  return after_death_of(setup, 3, microseconds(200));
}

// Client 0 holds two locks. It first releases the second one, for which client 1 waited until its
// node crashed, and then the first one, for which client 2 waits.
inline testing::Outcome after_death_of_a_waiter(const char* protocol) {
  testing::RunSetup setup;
  setup.protocol = protocol;
  setup.profile = "repaired";
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.locks = 2;
  setup.make = patient_simulation;
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (client.value > 0 && count == 0) section.think = microseconds(20);  // client 0 is first
    const std::uint64_t turn = client.value == 0 ? 0 : 1;
    for (std::uint64_t lock = 0; count == turn && lock < 2; ++lock)
      if (client.value == 0 || lock == client.value % 2)
        section.wants.push_back(Want{world.lock(LockId{lock})});
    if (client.value == 0) section.work.hold = microseconds(100);
    return count <= turn;
  };
  return after_death_of(setup, 1, microseconds(60));
}

inline void expect_all_others_done(const testing::Outcome& outcome) {
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_EQ(outcome.safety.late_effects, 0U);
}

}  // namespace latchlab::cql_tests

#endif
