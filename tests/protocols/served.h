#pragma once
// What the tests of locks have in common that their server's CPU keeps.

#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {

inline RunSetup mixed(const char* protocol) {
  RunSetup setup;
  setup.protocol = protocol;
  setup.shared_percent = 50;
  return setup;
}

// Acquire and release are a call each, whoever is alone, reads or writes, and no verb.
inline void expect_two_calls_when_free(const char* protocol) {
  for (const std::uint32_t shared_percent : {0, 100}) {
    RunSetup setup = mixed(protocol);
    setup.client_nodes = setup.clients_per_node = 1;
    setup.shared_percent = shared_percent;
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.tally.calls, 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends, 0U);
    EXPECT_EQ(outcome.entry, "free");
  }
}

// The table says who holds a lock whether the entry shows it or not.
inline void expect_sound_unseen(const char* protocol) {
  RunSetup setup = mixed(protocol);
  setup.params = {{"show", false}};
  expect_sound(setup, 100);
  EXPECT_EQ(run(setup, 1).words, std::vector<std::uint64_t>{0});
}

// Deadlines are over already: whoever cannot have the lock gives up, at every point on the way.
inline void expect_deadlines_kept(RunSetup setup) {
  setup.impatient = true;
  if (on_hardware()) setup.hold = milliseconds(2);  // the clients of the one run meet
  std::uint64_t given_up = 0;
  std::uint64_t acquired = 0;
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(setup, seed);
    given_up += outcome.aborted;
    acquired += outcome.acquired;
    ASSERT_TRUE(outcome.safe()) << "seed " << seed;
    ASSERT_EQ(outcome.end, RunEnd::finished);
    ASSERT_EQ(outcome.entry, "free") << "seed " << seed;
    ASSERT_EQ(outcome.acquired + outcome.aborted, 12U);
  }
  EXPECT_GT(given_up, 0U);
  EXPECT_GT(acquired, 0U);
}

#if LATCHLAB_WITH_SIMGRID
// The server's node dies in the middle: acquisitions fail, and say so.
inline void expect_failure_of_the_server_told(const char* protocol) {
  RunSetup setup = timed(protocol, "");
  setup.operations = 1000;
  setup.make = [](const WorldPlan& plan) {
    std::unique_ptr<Backend> world = plain_simulation(plan);
    Backend* const backend = world.get();
    NodeId server;
    for (std::size_t i = 0; i < plan.nodes.size(); ++i)
      if (plan.nodes[i].server) server = NodeId{static_cast<std::uint16_t>(i + 1)};
    backend->at(Time{} + microseconds(100),
                [backend, server] { backend->hardware_faults()->crash_node(server); });
    return world;
  };
  const Outcome outcome = run(setup, 1);
  EXPECT_GT(outcome.acquired, 0U);
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_TRUE(outcome.safe());
}
#endif

}  // namespace latchlab::testing
