// The cohort lock in the explorer.

#include "tests/protocols/promises.h"

namespace latchlab::testing {
namespace {

RunSetup cohorts(std::uint32_t nodes, std::uint32_t clients_per_node) {
  RunSetup setup;
  setup.protocol = "cohort_reference";
  setup.client_nodes = nodes;
  setup.clients_per_node = clients_per_node;
  return setup;
}

TEST(cohort_reference, admits_one_client_at_a_time_and_everybody_finishes) {
  expect_sound(cohorts(2, 2), 300);
  expect_sound(cohorts(3, 1), 100);
  expect_sound(cohorts(1, 5), 100);
}

TEST(cohort_reference, keeps_the_queues_of_several_locks_apart) {
  RunSetup setup = cohorts(2, 3);
  setup.locks = 3;
  expect_sound(setup, 200);
}

TEST(cohort_reference, takes_two_verbs_for_a_free_pair) {
  const Outcome outcome = run(cohorts(1, 1), 1);
  EXPECT_EQ(outcome.tally.atomics(), outcome.acquired);
  EXPECT_EQ(outcome.tally.writes(), outcome.acquired);
  EXPECT_EQ(outcome.tally.sends + outcome.tally.calls + outcome.tally.reads(), 0U);
}

TEST(cohort_reference, gives_the_lock_back_after_every_handover_but_max_passes) {
  RunSetup setup = cohorts(1, 4);
  setup.operations = 10;
  for (const std::int64_t passes : {0, 1, 3}) {
    setup.params = {{"max_passes", number(passes)}};
    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
      const Outcome outcome = run(setup, seed);
      const auto chain = static_cast<std::uint64_t>(passes) + 1;
      EXPECT_GE(outcome.tally.writes() * chain, outcome.acquired) << passes << " passes";
      if (passes == 0) {
        EXPECT_EQ(outcome.tally.writes(), outcome.acquired);
      }
    }
  }
}

TEST(cohort_reference, hands_on_at_home_without_a_verb) {
  RunSetup setup = cohorts(1, 4);
  setup.operations = 10;
  setup.params = {{"max_passes", number(1'000)}};
  std::uint64_t spared = 0;
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    const Outcome outcome = run(setup, seed);
    EXPECT_EQ(outcome.tally.atomics(), outcome.tally.writes()) << "nobody else takes the lock";
    spared += outcome.acquired - outcome.tally.writes();
  }
  EXPECT_GT(spared, 0U);
}

TEST(cohort_reference, leaves_those_behind_a_crashed_holder_waiting) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = cohorts(2, 2);
  setup.dies = {0};
  const std::uint64_t seed =
      first_seed(setup, 50, [](const Outcome& o) { return o.end != RunEnd::finished; });
  EXPECT_GT(seed, 0U);
}

TEST(cohort_reference, decodes_the_node_that_has_the_lock) {
  const ProtocolEntry& entry = *find_protocol("cohort_reference");
  const auto protocol = entry.make(entry.info.resolve("reference"));
  const std::vector<std::uint64_t> free = {0};
  const std::vector<std::uint64_t> held = {3};
  EXPECT_EQ(protocol->decode(free), "free");
  EXPECT_EQ(protocol->decode(held), "held by node 3");
}

TEST(cohort_reference, takes_ordinary_paths_in_a_crowd) {
  RunSetup setup = crowd("cohort_reference");
  setup.clients_per_node = 3;
  expect_paths(setup,
               {"a client is the first of its node", "a client waits for its neighbours",
                "the leader of a node takes the lock", "a neighbour hands the lock on",
                "a neighbour gives up its lead", "nobody of the node waits",
                "the lock stays at the node", "the node has had enough turns"},
               {"the server fails the leader of a node"});
}

}  // namespace
}  // namespace latchlab::testing
