// How long RMA-RW's readers wait for writers, and how many writers acquire the lock in a row.

#include "tests/modes.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/rma_rw/scene.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using rma_rw_tests::Scene;

#if LATCHLAB_WITH_SIMGRID
// A reader that was turned away reaches its deadline while the writer holds the lock.
TEST(timed, rma_rw_lets_readers_that_were_turned_away_give_up_at_their_deadline) {
  RunSetup setup = timed("rma_rw", "repaired");
  setup.params = {{"reader_threshold", number(50)}};  // the writer acquires it soon
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= (client.value == 0 ? 10U : 200U)) return false;
    section.wants.resize(1);
    section.wants[0].lock = world.lock(LockId{});
    section.wants[0].mode = client.value == 0 ? kX : kS;
    section.work.hold = microseconds(client.value == 0 ? 100 : 1);
    if (client.value != 0) section.options.deadline = world.verbs(client).now() + microseconds(30);
    return true;
  };
  paths::forget();
  paths::record(true);
  const Outcome outcome = run(setup, 1);
  paths::record(false);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
  EXPECT_TRUE(outcome.free) << outcome.entry;
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_THAT(labels("rma_rw", true), ::testing::Contains("a reader gives up at its deadline"));
}
#endif

// ---- writers in a row ----

Task<void> count_turns(Scene& scene, ClientId me, std::uint64_t* most) {
  for (int i = 0; i < 3; ++i) {
    const Want want{scene.lock()};
    const AcquireResult result = co_await scene.client(me).acquire(want, {});
    const Grant grant = std::get<Grant>(result);
    *most = std::max(*most, grant.words[0] + 1);
    co_await scene.client(me).release(grant);
  }
}

TEST(rma_rw, grants_as_many_writers_in_a_row_as_its_threshold) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  for (const char* profile : {"repaired", "hpdc16_flat"}) {
    for (const std::int64_t threshold : {3, 5}) {
      std::uint64_t most = 0;
      for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const auto body = [&](Scene& scene, ClientId id) { return count_turns(scene, id, &most); };
        Scene scene(profile, {{"writer_threshold", number(threshold)}}, {body, body, body, body},
                    seed);
        ASSERT_EQ(scene.run(), RunEnd::finished) << profile << ", seed " << seed;
        ASSERT_TRUE(scene.free()) << scene.entry();
      }
      EXPECT_EQ(most, static_cast<std::uint64_t>(threshold)) << profile;
    }
  }
}

}  // namespace
}  // namespace latchlab::testing
