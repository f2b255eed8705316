// The ideal lock in the explorer.

#include "tests/protocols/deadlines.h"
#include "tests/protocols/ideal_local/ideal.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

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
               {"nobody stands in the way", "a client waits", "a release lets nobody in",
                "a release lets one client in", "a release lets several readers in"},
               {"a client gives up at its deadline", "the lock comes at the deadline"});
}

}  // namespace
}  // namespace latchlab::testing
