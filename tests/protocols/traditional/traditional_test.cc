// The traditional lock manager in the explorer and in the simulator.

#include "tests/protocols/sections.h"
#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

TEST(traditional, keeps_writers_alone_and_everybody_finishes) {
  expect_sound(mixed("traditional"), 200);
  expect_sound_unseen("traditional");
}

TEST(traditional, takes_two_calls_and_no_verb_for_a_free_pair) {
  expect_two_calls_when_free("traditional");
}

TEST(traditional, takes_no_more_when_it_is_contended) {
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(mixed("traditional"), seed);
    EXPECT_EQ(outcome.tally.calls, 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends, 0U);
  }
}

// ---- giving up ----

TEST(traditional, gives_up_at_the_deadline_without_the_lock) {
  expect_deadlines_kept(mixed("traditional"));
}

TEST(traditional, withdraws_from_the_queue_before_and_after_its_turn) {
  RunSetup setup = crowd("traditional");
  setup.impatient = true;
  expect_reached(setup,
                 {"a client gives up at its deadline", "a client leaves the queue",
                  "a withdrawal crosses its grant", "a withdrawal overtakes its request",
                  "a withdrawn request arrives", "a writer leaves the queue and readers enter"});
}

// Two locks, taken in opposite orders.
RunSetup opposed(Duration timeout) {
  RunSetup setup =
      repeated("traditional", 3, [](ClientId client, const World& world, Section& section) {
        const std::uint64_t first = client.value % 2;
        want(world, section, first);
        want(world, section, 1 - first);
        section.on_abort = OnAbort::give_back;
        section.work.hold = nanoseconds(20);
      });
  setup.params = {{"timeout", timeout}};
  return setup;
}

TEST(traditional, ends_deadlocks_by_timeouts) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  const auto stuck = [](const Outcome& outcome) { return outcome.end == RunEnd::stuck; };
  EXPECT_NE(first_seed(opposed({}), 50, stuck), 0U) << "no deadlock without timeouts";
  std::uint64_t aborted = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Outcome outcome = run(opposed(microseconds(20)), seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
    EXPECT_EQ(outcome.entry, "free");
    aborted += outcome.aborted;
  }
  EXPECT_GT(aborted, 0U);
}

TEST(traditional, rejects_a_backoff_that_begins_beyond_its_bound) {
  const ProtocolInfo& info = find_protocol("traditional")->info;
  ParamSet params = info.resolve("dslr_paper");
  EXPECT_EQ(info.contradiction(params), "");
  params.set("backoff_first", milliseconds(20));
  EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("backoff_first"));
}

// ---- what every lock is tested for ----

TEST(traditional, stays_taken_by_the_dead) {
  expect_taken_by_the_dead("traditional");
}

TEST(traditional, takes_ordinary_paths_in_a_crowd) {
  expect_paths(crowd("traditional"),
               {"a reader is let in at once", "a writer is let in at once", "a reader queues up",
                "a writer queues up", "a release lets nobody in", "a release lets a writer in",
                "a release lets readers in"},
               {"a client gives up at its deadline", "a client gives up at the timeout",
                "a client leaves the queue", "a withdrawal crosses its grant",
                "a withdrawal overtakes its request", "a withdrawn request arrives",
                "a writer leaves the queue and readers enter", "the server fails a call"});
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, traditional_is_sound) {
  expect_sound_run(timed("traditional", "reconstructed"));
}
TEST(timed, traditional_is_sound_and_shows_it) {
  RunSetup setup = timed("traditional", "reconstructed");
  setup.params = {{"show", true}};
  expect_sound_run(setup);
}
TEST(timed, traditional_is_sound_with_timeouts_that_strike) {
  RunSetup setup = timed("traditional", "dslr_paper");
  setup.params = {{"timeout", microseconds(8)}, {"show", true}};
  const Outcome outcome = run(setup, 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.entry, "free");
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_EQ(outcome.acquired, 400U);
}
TEST(timed, traditional_tells_that_the_server_fails) {
  expect_failure_of_the_server_told("traditional");
}
#endif

}  // namespace
}  // namespace latchlab::testing
