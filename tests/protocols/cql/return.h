#pragma once
// A server that fails in the middle of everything, and comes back without its memory: what CQL's
// queues, and locks above them, make of it.

#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::cql_tests {

// Each client wants one lock after the other, which others want as well. Of the first ones of each
// node some sections last longer than the server is away.
struct Returning {
  const char* protocol = "cql";
  std::uint64_t sections = 200;  // of each client
  Duration fails_at = microseconds(700);
  Duration outage = milliseconds(15);
  std::vector<std::pair<const char*, ParamValue>> params = {};
};

inline constexpr std::uint32_t kReturnNodes = 4;
inline constexpr std::uint32_t kReturnNeighbours = 4;
inline constexpr std::uint64_t kReturnLocks = 6;

inline testing::RunSetup returning(const Returning& wanted) {
  testing::RunSetup setup;
  setup.protocol = wanted.protocol;
  setup.profile = "repaired";
  for (const auto& [name, value] : wanted.params) setup.params[name] = value;
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

// Runs it. The first server is the one that fails.
inline testing::Outcome after_return(const Returning& wanted) {
  testing::CaseRun run(returning(wanted), 1);
  Backend& backend = run.backend();
  const NodeId server = run.world().lock(LockId{0}).entry.node;
  World& world = const_cast<World&>(run.world());  // NOLINT: starts the server's part
  backend.at(Time{} + wanted.fails_at, [&backend, &world, server, outage = wanted.outage] {
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

// Everybody has all its sections, and nobody shares what is exclusive.
inline testing::Outcome expect_return_survived(const Returning& wanted) {
  const testing::Outcome outcome = after_return(wanted);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, wanted.sections * kReturnNodes * kReturnNeighbours);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_EQ(outcome.safety.late_effects, 0U);
  EXPECT_TRUE(outcome.free) << outcome.entry;
  return outcome;
}

}  // namespace latchlab::cql_tests

#endif
