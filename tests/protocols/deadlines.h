#pragma once
// What a lock owes to clients that give up: they leave no state behind, and all other clients
// finish.

#include "tests/protocols/harness.h"

namespace latchlab::testing {

// The deadlines have already passed: a client that cannot acquire the lock at once gives up, at
// every point of its acquisition. Every operation ends one way or the other, and the lock is free
// in the end.
inline void expect_usable_after_deadlines(RunSetup setup, std::uint64_t runs = 100) {
  setup.impatient = true;
  if (on_hardware()) setup.hold = milliseconds(2);  // the clients of the one run meet
  const std::uint64_t asked =
      std::uint64_t{setup.client_nodes} * setup.clients_per_node * setup.operations;
  std::uint64_t given_up = 0;
  std::uint64_t acquired = 0;
  for (std::uint64_t seed = 1; seed <= seeds(runs); ++seed) {
    const Outcome outcome = run(setup, seed);
    given_up += outcome.aborted;
    acquired += outcome.acquired;
    ASSERT_TRUE(outcome.safe()) << "seed " << seed << ": " << outcome.violation;
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    ASSERT_TRUE(outcome.free) << "seed " << seed << ": " << outcome.entry;
    ASSERT_EQ(outcome.acquired + outcome.aborted, asked) << "seed " << seed;
  }
  EXPECT_GT(given_up, 0U);
  EXPECT_GT(acquired, 0U);
}

}  // namespace latchlab::testing
