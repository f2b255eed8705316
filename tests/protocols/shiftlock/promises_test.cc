// ShiftLock in the tests that every lock has to pass.

#include "tests/protocols/marks.h"

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

TEST(Shiftlock, takes_ordinary_paths_under_contention) {
  expect_paths(
      crowd("shiftlock"),
      {"a reader enters at once", "a reader waits for writers", "a waiting reader is let in",
       "a writer enters at once", "the first writer waits for readers",
       "a writer queues behind another", "a writer waits for the readers of a mode change",
       "a reader releases", "a release leaves the queue empty", "a release grants to readers",
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

// ---- what a run reports about it ----

TEST(Shiftlock, reports_what_each_client_waits_for) {
  LATCHLAB_NEEDS_EXPLORER("reaches rare paths by many orders");
  EXPECT_THAT(
      phases_of(crowd("shiftlock")),
      ::testing::ElementsAre("acquire IA NP WP WR other", "acquire IA WR other",
                             "acquire IA WW other", "acquire IA other", "release IA NS IA NS other",
                             "release IA NS other", "release IA other"));
  RunSetup chains = crowd("shiftlock", "repaired");
  EXPECT_THAT(phases_of(chains), ::testing::Contains("release IA NS other"));
  EXPECT_THAT(phases_of(chains), ::testing::Not(::testing::Contains("release NS other")));
  RunSetup tries = crowd("shiftlock", "artifact");
  EXPECT_THAT(phases_of(tries), ::testing::Contains("acquire IA RT NP WP other"));
  tries.client_nodes = 1;
  EXPECT_THAT(phases_of(tries), ::testing::ElementsAre("acquire IA other", "release IA other"));
}

ParamSet recovered_by(const char* whom) {
  ParamSet params = find_protocol("shiftlock")->info.resolve("repaired");
  if (whom == nullptr) params.set("recovery", false);
  if (whom != nullptr) params.set("recovered_by", text(whom));
  return params;
}

// Which part recovers the lock decides whether clocks, calls and a word of the server are needed.
TEST(Shiftlock, needs_what_its_recovery_needs) {
  using ::testing::Contains;
  using ::testing::Not;
  const ProtocolEntry& entry = *find_protocol("shiftlock");
  const auto needs = [&](const char* whom) { return entry.make(recovered_by(whom))->needs(); };
  const auto words = [&](const char* whom) {
    return entry.make(recovered_by(whom))->layout(Shape{}).server_bytes;
  };
  EXPECT_THAT(needs("server"), Contains(Capability::calls));
  EXPECT_THAT(needs("client"), Not(Contains(Capability::calls)));
  EXPECT_THAT(needs("client"), Contains(Capability::timing));
  EXPECT_THAT(needs(nullptr), Not(Contains(Capability::timing)));
  EXPECT_EQ(words("server"), 8U);
  EXPECT_EQ(words("client"), 0U);
  EXPECT_EQ(words(nullptr), 0U);
  EXPECT_GE(entry.info.longest_timeout(recovered_by("client")), milliseconds(30));
  EXPECT_EQ(entry.info.longest_timeout(recovered_by(nullptr)), Duration{});
}

}  // namespace
}  // namespace latchlab::testing
