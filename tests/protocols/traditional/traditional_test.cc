// The traditional lock manager in the explorer and in the simulator: the tests that it does not
// share with traditional_ro (manager_test.cc).

#include "tests/protocols/sections.h"
#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

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

}  // namespace
}  // namespace latchlab::testing
