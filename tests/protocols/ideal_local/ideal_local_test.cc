// The ideal lock in the explorer.

#include <algorithm>

#include "tests/protocols/deadlines.h"
#include "tests/protocols/harness.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Clients of the ideal lock that share a node.
RunSetup ideal(std::uint32_t clients) {
  RunSetup setup;
  setup.protocol = "ideal_local";
  setup.client_nodes = 1;
  setup.clients_per_node = clients;
  setup.shared_percent = 50;
  return setup;
}

TEST(ideal_local, admits_readers_together_and_writers_alone_and_all_clients_finish) {
  RunSetup setup = ideal(5);
  expect_sound(setup, 200);
  setup.locks = 3;
  expect_sound(setup, 100);
  setup.shared_percent = 100;
  EXPECT_GT(most_inside(setup), 1U);
}

TEST(ideal_local, uses_no_verb_no_message_and_no_word_of_the_server) {
  const Outcome outcome = run(ideal(4), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends + outcome.tally.calls, 0U);
  EXPECT_TRUE(outcome.words.empty()) << "there is no entry";
}

TEST(ideal_local, leaves_the_queue_at_the_deadline_and_grants_the_clients_behind_it) {
  RunSetup setup = ideal(5);
  expect_usable_after_deadlines(setup, 200);
  setup.impatient = true;
  expect_reached(setup, {"a client gives up at its deadline", "the lock comes at the deadline",
                         "readers wait behind a writer that gave up"});
}

TEST(ideal_local, leaves_clients_behind_a_crashed_holder_waiting) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = ideal(4);
  setup.dies = {0};
  const std::uint64_t seed =
      first_seed(setup, 50, [](const Outcome& o) { return o.end != RunEnd::finished; });
  EXPECT_GT(seed, 0U);
}

TEST(ideal_local, takes_ordinary_paths_under_contention) {
  expect_paths(ideal(4),
               {"no holder conflicts", "a client waits", "a release grants to no client",
                "a release grants to one client", "a release grants to several readers"},
               {"a client gives up at its deadline", "the lock comes at the deadline"});
}

TEST(ideal_local, waits_for_predecessors_and_tells_successors) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  EXPECT_THAT(phases_of(ideal(4)), ElementsAre("acquire WP", "release NS"));
}

TEST(ideal_local, takes_no_path_of_contention_if_alone) {
  Outcome outcome;
  EXPECT_THAT(reached_in(ideal(1), 1, outcome),
              UnorderedElementsAre("no holder conflicts", "a release grants to no client"));
}

TEST(ideal_local, reports_a_withdrawal_when_a_client_gives_up) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup setup = ideal(2);
  setup.impatient = true;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Outcome outcome;
    const Labels found = reached_in(setup, seed, outcome);
    const auto named = std::count(found.begin(), found.end(), "a client gives up at its deadline");
    EXPECT_EQ(named > 0, outcome.aborted > 0) << "seed " << seed;
  }
}

// Every other acquisition is withdrawn at once unless the lock is granted first.
Task<void> in_and_out(World& world, ClientId me) {
  Verbs& verbs = world.verbs(me);
  for (int i = 0; i < 6; ++i) {
    AcquireOptions options;
    if (i % 2 == 0) options.deadline = verbs.now();
    const Want want{world.lock(LockId{0})};
    const AcquireResult result = co_await world.client(me).acquire(want, options);
    const Grant* const grant = std::get_if<Grant>(&result);
    if (grant == nullptr) continue;
    const Grant held = *grant;
    co_await world.client(me).release(held);
  }
}

TEST(ideal_local, is_not_affected_by_a_grant_that_came_at_an_earlier_deadline) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  const ProtocolEntry& entry = *find_protocol("ideal_local");
  const auto protocol = entry.make(entry.small_params());
  WorldShape shape;
  shape.client_nodes = 1;
  shape.clients_per_node = 3;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    shape.seed = seed;
    World world(*protocol, shape);
    ExplorerOptions options;
    options.seed = seed;
    const auto backend = make_world(world.plan(), *protocol, options);
    world.attach(*backend);
    for (std::uint32_t i = 0; i < 3; ++i)
      backend->spawn(world.verbs(ClientId{i}), in_and_out(world, ClientId{i}), Time{});
    ASSERT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished) << "seed " << seed;
  }
}

}  // namespace
}  // namespace latchlab::testing
