// The traditional lock manager in the explorer and in the simulator: its own tests, and those
// that it shares with traditional_ro.

#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/sections.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// ---- giving up ----

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

#if LATCHLAB_WITH_SIMGRID
TEST(timed, traditional_is_sound_with_timeouts_that_expire) {
  RunSetup setup = timed("traditional", "dslr_paper");
  setup.params = {{"timeout", microseconds(8)}, {"show", true}};
  const Outcome outcome = run(setup, 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.entry, "free");
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_EQ(outcome.acquired, 400U);
}
#endif

TEST(traditional, reports_that_a_client_waited_at_the_server) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("traditional");
  EXPECT_THAT(phases_of(setup), Contains("acquire IA WP"));
  setup.client_nodes = 1;
  EXPECT_THAT(phases_of(setup), ElementsAre("acquire IA", "release IA"));
}

TEST(traditional, reports_no_readers_among_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup writers = crowd("traditional");
  writers.shared_percent = 0;
  const Labels found = reached_by_crowd(writers);
  EXPECT_THAT(found, Contains("a release grants to a writer"));
  EXPECT_THAT(found, Each(Not(HasSubstr("reader"))));
}

TEST(traditional, needs_clocks_if_and_only_if_a_timeout_is_set) {
  expect_clocks_needed_for_a_timeout("traditional");
}

#if LATCHLAB_WITH_SIMGRID
// After the timeout the client withdraws, and backs off for at most 10 us.
TEST(timed, traditional_times_out_after_two_leases_of_dslr) {
  const ParamSet params = find_protocol("traditional")->info.resolve("dslr_paper");
  Meeting meeting;
  meeting.leaves = false;
  meet("traditional", {{"timeout", params.duration("timeout")}}, 1, meeting, plain_simulation);
  EXPECT_FALSE(meeting.entered);
  EXPECT_EQ(meeting.reason, AbortReason::recovered);
  EXPECT_EQ(meeting.verbs.calls, 2U);
  EXPECT_GE(meeting.took, milliseconds(20));
  EXPECT_LT(meeting.took, milliseconds(20) + microseconds(50));
}

// The backoff is up to 10 ms; with this seed it is longer than a call.
TEST(timed, traditional_backs_off_after_a_timeout) {
  Meeting meeting;
  meeting.leaves = false;
  meet("traditional",
       {{"timeout", microseconds(100)},
        {"backoff_first", milliseconds(10)},
        {"backoff_bound", milliseconds(10)}},
       1, meeting, plain_simulation);
  EXPECT_EQ(meeting.reason, AbortReason::recovered);
  EXPECT_GT(meeting.took, microseconds(200));
  EXPECT_LT(meeting.took, milliseconds(11));
}
#endif

// ---- the lock managers traditional and traditional_ro ----

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
                "a writer queues up", "a release grants to no client",
                "a release grants to a writer", "a release grants to readers"},
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
