// ShiftLock: what every lock is tested for.

#include "tests/protocols/promises.h"

namespace latchlab::testing {
namespace {

TEST(Shiftlock, looks_free_as_in_the_artifact) {
  expect_free_when_all_have_gone(crowd("shiftlock", "artifact"));
}

TEST(Shiftlock, looks_free_once_it_has_been_recovered) {
  expect_free_once_repaired("shiftlock");
}

TEST(Shiftlock, looks_free_without_readers_and_writers) {
  EXPECT_TRUE(is_free("shiftlock", {1, 42}));                // Epoch and RelCnt
  EXPECT_FALSE(is_free("shiftlock", {1 | 2, 42}));           // a reader
  EXPECT_FALSE(is_free("shiftlock", {1 | 3ULL << 24, 42}));  // a writer
}

TEST(Shiftlock, takes_ordinary_paths_in_a_crowd) {
  expect_paths(
      crowd("shiftlock"),
      {"a reader enters at once", "a reader waits for writers", "a waiting reader is let in",
       "a writer enters at once", "the first writer waits for readers",
       "a writer queues behind another", "a writer waits for the readers of a mode change",
       "a reader releases", "a release leaves the queue empty", "a release lets readers in",
       "a release waits for a late Successor"},
      {"a request for recovery is granted", "a request for recovery is rejected",
       "the server resets a lock", "a waiting writer starts again after a recovery",
       "a waiting reader starts again after a recovery", "a late release of a writer is suppressed",
       "a release misses a recovered lock", "a stale message is dropped"});
}

TEST(Shiftlock, takes_paths_through_a_recovery_after_a_crash) {
  RunSetup setup = crowd("shiftlock");
  setup.dies = {0};
  expect_reached(setup, {"a request for recovery is granted", "the server resets a lock",
                         "a waiting writer starts again after a recovery"});
}

}  // namespace
}  // namespace latchlab::testing
