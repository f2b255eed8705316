// The common tests of the lock managers traditional and traditional_ro, in the explorer and in the
// simulator.

#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

class LockManager : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(all, LockManager, ::testing::Values("traditional", "traditional_ro"),
                         [](const auto& made) { return std::string(made.param); });

TEST_P(LockManager, keeps_writers_alone_and_all_clients_finish) {
  expect_sound(mixed(GetParam()), 200);
  expect_sound_unseen(GetParam());
}

TEST_P(LockManager, takes_two_calls_and_no_verb_for_a_free_pair) {
  expect_two_calls_when_free(GetParam());
}

TEST_P(LockManager, takes_no_more_calls_under_contention) {
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(mixed(GetParam()), seed);
    EXPECT_EQ(outcome.tally.calls, 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends, 0U);
  }
}

// A client that gives up calls to withdraw, and may learn that it holds the lock.
TEST_P(LockManager, gives_up_at_the_deadline_without_the_lock) {
  expect_deadlines_kept(mixed(GetParam()), {.for_a_pair = {2, 3}, .to_give_up = 2});
}

TEST_P(LockManager, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead(GetParam());
}

TEST_P(LockManager, takes_ordinary_paths_under_contention) {
  expect_paths(crowd(GetParam()),
               {"a reader is let in at once", "a writer is let in at once", "a reader queues up",
                "a writer queues up", "a release lets nobody in", "a release lets a writer in",
                "a release lets readers in"},
               {"a client gives up at its deadline", "a client gives up at the timeout",
                "a client leaves the queue", "a withdrawal crosses its grant",
                "a withdrawal overtakes its request", "a withdrawn request arrives",
                "a writer leaves the queue and readers enter", "the server fails a call"});
}

#if LATCHLAB_WITH_SIMGRID

class TimedLockManager : public LockManager {};

INSTANTIATE_TEST_SUITE_P(all, TimedLockManager, ::testing::Values("traditional", "traditional_ro"),
                         [](const auto& made) { return std::string(made.param); });

TEST_P(TimedLockManager, is_sound) {
  expect_sound_run(timed(GetParam(), "reconstructed"));
}
TEST_P(TimedLockManager, is_sound_and_decodes_its_holders) {
  RunSetup setup = timed(GetParam(), "reconstructed");
  setup.params = {{"show", true}};
  expect_sound_run(setup);
}
TEST_P(TimedLockManager, reports_a_failed_server) {
  expect_failure_of_the_server_told(GetParam());
}

#endif

}  // namespace
}  // namespace latchlab::testing
