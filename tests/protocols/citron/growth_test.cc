// Scale-ups that cannot be finished.

#include "tests/protocols/citron/scene.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::citron_tests {
namespace {

using ::testing::Contains;
using ::testing::Not;

struct Grown {
  bool grown = false;
  std::uint64_t units = 0;
};

// Once somebody has asked for units beyond the tree.
Task<void> grow(Scene& scene, citron::Client& client, Grown& after) {
  scene.backend->poke(scene.lock().entry + 8, 700);
  after.grown = co_await client.scale_up(scene.lock());
  after.units = client.tree_of(scene.lock()).units();
}

Grown grown_beside_another(Scene& scene) {
  Grown after;
  scene.starts(0, grow(scene, scene.client(0), after));
  Seen seen;
  scene.asks(1, {0, 10}, kLease * 2, {}, seen);
  scene.run();
  EXPECT_EQ(seen.acquired, !after.grown);                      // a client that knows the old tree
  EXPECT_EQ(scene.backend->peek(scene.lock().entry + 8), 0U);  // the maximizer
  EXPECT_TRUE(scene.is_free()) << scene.entry();
  return after;
}
Scene scene_of(Duration allocation) {
  return Scene({{"lease", kLease}, {"scale_up_poll", seconds(1)}, {"allocation_time", allocation}});
}

// More than half of the mutex' lease: somebody else may have it before all nodes are marked.
TEST(timed, citron_growth_does_not_begin_when_memory_comes_too_late) {
  Scene scene = scene_of(kLease * 6 / 10);
  const Grown after = grown_beside_another(scene);
  EXPECT_FALSE(after.grown);
  EXPECT_EQ(after.units, 256U);
  EXPECT_EQ(scene.inner(1).exp, 0U);
  EXPECT_THAT(scene.taken, Contains("memory for a tree to grow comes too late"));
}
TEST(timed, citron_growth_begins_when_memory_comes_in_time) {
  Scene scene = scene_of(kLease / 4);
  const Grown after = grown_beside_another(scene);
  EXPECT_TRUE(after.grown);
  EXPECT_EQ(after.units, 1024U);
  EXPECT_EQ(scene.inner(1).exp, 1U);
  EXPECT_THAT(scene.taken, Not(Contains("memory for a tree to grow comes too late")));
}

// Who has marked the tree does not get to telling the server: others find Exp, and wait for a lease
// to hear of the new tree, which never comes. They are refused, and wait no longer.
TEST(timed, citron_growth_that_is_never_published_refuses_others_after_a_lease) {
  Scene scene({{"lease", kLease}, {"scale_up_poll", seconds(1)}});
  int calls = 0;
  testing::FaultyClient growing(scene.world, ClientId{0}, [&calls](const Operation& op) {
    const bool publishes = op.kind == OpKind::call && ++calls == 3;  // what is new; memory; this
    return publishes ? std::optional(VerbStatus::peer_failed) : std::nullopt;
  });
  Grown after;
  scene.starts(0, grow(scene, static_cast<citron::Client&>(*growing.operator->()), after));
  Seen seen;
  scene.asks(1, {0, 10}, microseconds(50), {}, seen);
  scene.run();
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(after.grown);
  EXPECT_FALSE(seen.acquired);
  EXPECT_EQ(seen.reason, AbortReason::recovered);
  EXPECT_GE(seen.took, kLease);
  EXPECT_LT(seen.took, kLease + microseconds(20));
  EXPECT_TRUE(scene.is_free()) << scene.entry();
  EXPECT_THAT(scene.taken, Contains("a change of the tree is not told"));
}

// The first mark is not made: nobody has been told, and the tree stays as it is.
TEST(timed, citron_growth_ends_when_the_server_fails_a_mark) {
  Scene scene({{"lease", kLease}, {"scale_up_poll", seconds(1)}});
  testing::FaultyClient growing(scene.world, ClientId{0}, [](const Operation& op) {
    const bool marks = op.kind == OpKind::verb && op.verb.kind == VerbKind::masked_faa;
    return marks ? std::optional(VerbStatus::peer_failed) : std::nullopt;
  });
  Grown after;
  scene.starts(0, grow(scene, static_cast<citron::Client&>(*growing.operator->()), after));
  Seen seen;
  scene.asks(1, {0, 10}, microseconds(80), {}, seen);
  scene.run();
  EXPECT_FALSE(after.grown);
  EXPECT_EQ(scene.inner(1).exp, 0U);
  EXPECT_TRUE(seen.acquired);
  EXPECT_THAT(scene.taken, Contains("a tree grows"));
}

}  // namespace
}  // namespace latchlab::citron_tests

#endif
