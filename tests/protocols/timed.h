#pragma once
// Locks in the simulator, which models time: leases, backoff, and what the explorer cannot show.
// Each test runs one simulation: SimGrid has one engine per process.

#if LATCHLAB_WITH_SIMGRID

#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {

inline RunSetup timed(const char* protocol, const char* profile) {
  RunSetup setup;
  setup.protocol = protocol;
  setup.profile = profile;
  setup.client_nodes = 4;
  setup.clients_per_node = 2;
  setup.operations = 50;
  setup.hold = microseconds(1);
  setup.shared_percent = 50;
  setup.make = plain_simulation;
  return setup;
}

inline void expect_sound_run(const RunSetup& setup) {
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_EQ(outcome.safety.late_effects, 0U);
  EXPECT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
}

}  // namespace latchlab::testing

#endif
