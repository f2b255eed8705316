#pragma once
// A server that fails in the middle of a run and restarts without its memory: effects on CQL's
// queues and on locks built on them.

#include "tests/protocols/cql/outage.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {

// Each client wants one lock after the other, which other clients want as well. Some sections of
// the first clients of each node last longer than the outage.
struct Returning {
  const char* protocol = "cql";
  std::uint64_t sections = 200;  // of each client
  Duration fails_at = microseconds(700);
  Duration outage = milliseconds(15);
  ParamValues params = {};  // over those of the profile
};

// Only the restart itself ends a wait.
inline Returning without_timeout(const char* protocol) {
  return {.protocol = protocol, .params = {{"timeout", Duration{}}}};
}
inline constexpr std::uint32_t kReturnNodes = 4;
inline constexpr std::uint32_t kReturnNeighbours = 4;
inline constexpr std::uint64_t kReturnLocks = 6;

inline testing::RunSetup returning(const Returning& wanted) {
  testing::RunSetup setup;
  setup.protocol = wanted.protocol;
  setup.profile = "repaired";
  setup.params = wanted.params;
  setup.client_nodes = kReturnNodes;
  setup.clients_per_node = kReturnNeighbours;
  setup.locks = kReturnLocks;
  setup.make = plain_simulation;
  setup.section = [sections = wanted.sections](ClientId client, std::uint64_t at,
                                               const World& world, Section& section) {
    const std::uint64_t dice = hash_of(client.value, at, sections);
    const LockId lock{mix64(dice) % kReturnLocks};
    section.wants.push_back(
        Want{world.lock(lock), dice % 3 == 0 ? LockMode::shared : LockMode::exclusive});
    const bool long_one = client.value % kReturnNeighbours == 0 && at % 16 == 9;
    section.work.hold = long_one ? milliseconds(20) : microseconds(2);
    return at < sections;
  };
  return setup;
}

// The server fails at this time and restarts after `outage`.
inline testing::Outcome after_return_in(const testing::RunSetup& setup, Duration fails_at,
                                        Duration outage) {
  testing::CaseRun run(setup, 1);
  Backend& backend = run.backend();
  const NodeId server = run.world().lock(LockId{0}).entry.node;
  World& world = const_cast<World&>(run.world());  // NOLINT: starts the server's part
  backend.at(Time{} + fails_at, [&backend, &world, server, outage] {
    backend.hardware_faults()->crash_server(
        server, outage, [&world, &backend, server] { world.restart_server(backend, server); });
  });
  backend.at(Time{} + seconds(8), [&backend] { backend.request_stop(); });
  paths::forget();
  paths::record(true);
  const testing::Outcome outcome = run.go();
  paths::record(false);
  return outcome;
}
inline testing::Outcome after_return(const Returning& wanted) {
  return after_return_in(returning(wanted), wanted.fails_at, wanted.outage);
}

// Resets of many locks are at every step when the server fails, and some wait for holders until it
// has restarted.
inline constexpr std::uint64_t kResetSections = 40;
inline testing::Outcome after_return_in_resets(const char* protocol) {
  testing::RunSetup setup = busy_resets(protocol);
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    section.wants.push_back(Want{world.lock(LockId{client.value / 2 % 60})});
    section.work.hold = client.value % 5 == 0 && count % 8 == 5 ? microseconds(600) : Duration{};
    return count < kResetSections;
  };
  return after_return_in(setup, microseconds(200), microseconds(300));
}

// One lock, whose first holder holds it across the server's failure and restart. A client that has
// timed out before resets the lock, and waits for that holder as well.
inline testing::Outcome after_return_in_a_reset(const char* protocol) {
  testing::RunSetup setup = busy_resets(protocol);
  setup.clients_per_node = 4;
  setup.locks = 1;
  setup.params = {{"timeout", microseconds(500)}};
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    section.wants.push_back(Want{world.lock(LockId{0})});
    const bool first = client.value == 0 && count == 0;
    section.work.hold = first ? milliseconds(3) : microseconds(30);
    return count < 20;
  };
  return after_return_in(setup, milliseconds(1), microseconds(300));
}

// Sections of three locks, which release all of them when one is refused.
inline constexpr std::uint64_t kSeveralSections = 30;
inline testing::Outcome after_return_with_several_held(const char* protocol) {
  testing::RunSetup setup = returning({.protocol = protocol});
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      const LockId lock{2 * i + hash_of(client.value, count, i) % 2};
      section.wants.push_back(Want{world.lock(lock)});
    }
    section.on_abort = OnAbort::give_back;
    section.work.hold = count % 8 == 3 ? microseconds(600) : microseconds(2);
    return count < kSeveralSections;
  };
  return after_return_in(setup, microseconds(700), microseconds(300));
}

// All clients complete all their sections, and no two clients share an exclusive lock.
inline void expect_survived(const testing::Outcome& outcome, std::uint64_t sections) {
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, sections);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_EQ(outcome.safety.late_effects, 0U);
  EXPECT_TRUE(outcome.free) << outcome.entry;
}
inline testing::Outcome expect_return_survived(const Returning& wanted) {
  const testing::Outcome outcome = after_return(wanted);
  expect_survived(outcome, wanted.sections * kReturnNodes * kReturnNeighbours);
  return outcome;
}

}  // namespace latchlab::cql_tests

#endif
