// The traditional lock manager with readers that pass, in the explorer and in the simulator.

#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

TEST(traditional_ro, keeps_writers_alone_and_everybody_finishes) {
  expect_sound(mixed("traditional_ro"), 200);
  expect_sound_unseen("traditional_ro");
}

TEST(traditional_ro, takes_two_calls_and_no_verb_for_a_free_pair) {
  expect_two_calls_when_free("traditional_ro");
}

TEST(traditional_ro, takes_no_more_when_it_is_contended) {
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(mixed("traditional_ro"), seed);
    EXPECT_EQ(outcome.tally.calls, 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends, 0U);
  }
}

TEST(traditional_ro, gives_up_at_the_deadline_without_the_lock) {
  expect_deadlines_kept(mixed("traditional_ro"));
}

TEST(traditional_ro, lets_readers_pass_writers_and_stops_them) {
  RunSetup setup = crowd("traditional_ro");
  setup.clients_per_node = 2;
  setup.shared_percent = 70;
  expect_reached(setup,
                 {"a reader passes waiting writers", "a writer has been passed often enough"});
}

TEST(traditional_ro, lets_readers_pass_ten_times_by_default) {
  const ProtocolInfo& info = find_protocol("traditional_ro")->info;
  EXPECT_EQ(info.resolve("reconstructed").integer("max_passes"), 10);
}

// ---- what every lock is tested for ----

TEST(traditional_ro, stays_taken_by_the_dead) {
  expect_taken_by_the_dead("traditional_ro");
}

TEST(traditional_ro, takes_ordinary_paths_in_a_crowd) {
  expect_paths(crowd("traditional_ro"),
               {"a reader is let in at once", "a writer is let in at once", "a reader queues up",
                "a writer queues up", "a reader passes waiting writers", "a release lets nobody in",
                "a release lets a writer in", "a release lets readers in"},
               {"a client gives up at its deadline", "a client gives up at the timeout",
                "a withdrawal crosses its grant", "the server fails a call"});
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, traditional_ro_is_sound) {
  expect_sound_run(timed("traditional_ro", "reconstructed"));
}
TEST(timed, traditional_ro_is_sound_with_timeouts) {
  expect_sound_run(timed("traditional_ro", "dslr_paper"));
}
#endif

}  // namespace
}  // namespace latchlab::testing
