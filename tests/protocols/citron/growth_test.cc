// Scale-ups that cannot be finished, and a request that is undone after two scale-ups.

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

// After a client has asked for units beyond the tree.
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

// Memory arrives after more than half of the mutex's lease, so that another client may hold the
// mutex before all nodes are marked.
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

// The client that marked the tree does not notify the server. Other clients find Exp and wait for a
// lease for the new tree, which is never published. They are refused and stop waiting.
TEST(timed, citron_growth_that_is_never_published_refuses_waiting_clients_after_a_lease) {
  Scene scene({{"lease", kLease}, {"scale_up_poll", seconds(1)}});
  int calls = 0;
  testing::FaultyClient growing(scene.world, ClientId{0}, [&calls](const Operation& op) {
    const bool publishes =
        op.kind == OpKind::call && ++calls == 3;  // what is new; memory; this one
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

// The first mark fails: no other client has been notified, and the tree stays unchanged.
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

// ---- a tree that grows twice during a request ----

Task<void> grow_twice(Scene& scene, citron::Client& client) {
  for (const std::uint64_t units : {700U, 3'000U}) {
    scene.backend->poke(scene.lock().entry + 8, units);
    const bool grown = co_await client.scale_up(scene.lock());
    EXPECT_TRUE(grown);
  }
}
Task<void> be_refused(Scene& scene, testing::FaultyClient& client) {
  const Want want = scene.of({0, 10});
  const AcquireResult result = co_await client->acquire(want, {});
  EXPECT_TRUE(std::holds_alternative<Aborted>(result));
}

// The first mark falls between the client's READ of the root and its notification there, the second
// one before it undoes that notification. In between the second growth has moved the notification
// to the newest root. Client 1, which knows of neither growth, sees the old root as if both were
// still going on.
TEST(timed, citron_growth_twice_behind_a_request_is_followed_to_the_newest_root) {
  Scene scene({{"scale_up_poll", seconds(1)}});
  const RemoteAddr old_root = scene.lock().entry + 16;
  RemoteAddr new_root;
  const auto mark = [&](std::uint32_t times) {
    citron::Node root = scene.inner(1);
    root.exp = times;
    scene.backend->poke(old_root, Scene::kFormat.pack(root));
  };
  int counts = 0;
  testing::FaultyClient behind(scene.world, ClientId{1}, [&](const Operation& op) {
    if (op.kind != OpKind::verb || op.verb.kind != VerbKind::masked_faa)
      return std::optional<VerbStatus>();
    if (++counts == 1) mark(1);
    if (counts == 2) {
      mark(2);
      scene.backend->poke(new_root, Scene::kFormat.pack({.d_max = 1}));
    }
    return std::optional<VerbStatus>();
  });
  scene.starts(0, grow_twice(scene, scene.client(0)));
  scene.backend->at(Time{} + microseconds(200), [&] {
    EXPECT_EQ(scene.inner(1).exp, 2U);
    new_root = scene.client(0).tree_of(scene.lock()).address({0, 3});
    mark(0);
  });
  scene.starts(1, be_refused(scene, behind), microseconds(201));
  scene.run();
  EXPECT_EQ(counts, 3);
  EXPECT_EQ(scene.inner(1), (citron::Node{.exp = 2, .d_cnt = 1, .d_max = 1}));
  EXPECT_EQ(Scene::kFormat.unpack(scene.backend->peek(new_root)),
            (citron::Node{.d_cnt = 1, .d_max = 1}));
}
// ---- what grows a tree ----

// Requests for units beyond the tree, 200 us apart.
Task<void> ask_beyond(Scene& scene, LockClient& client, int& acquired) {
  for (int i = 0; i < 4; ++i) {
    const Want want = scene.of({700, 10});
    const AcquireResult result = co_await client.acquire(want, {});
    if (const Grant* const grant = std::get_if<Grant>(&result)) {
      ++acquired;
      const Grant held = *grant;
      co_await client.release(held);
    }
    co_await scene.verbs(0).sleep(microseconds(200));
  }
}

Scene polled(const char* actor) {
  return Scene({{"scale_up_poll", microseconds(100)}, {"scale_up_by", std::string(actor)}});
}

TEST(timed, citron_growth_by_a_poller_needs_no_client) {
  Scene scene = polled("poller");
  int acquired = 0;
  scene.starts(0, ask_beyond(scene, scene.client(0), acquired));
  scene.run();
  EXPECT_EQ(scene.inner(1).exp, 1U);
  EXPECT_EQ(scene.backend->peek(scene.lock().entry + 8), 0U);
  EXPECT_GE(acquired, 3);  // one request may find the tree expanded
  EXPECT_TRUE(scene.is_free()) << scene.entry();
}

// A second part of client 0, of which its node's poller knows nothing.
struct Looks {
  int reads = 0;  // of the maximizer
  std::uint32_t exp = 0;
};
Looks looks_of_a_client(const char* actor) {
  Scene scene = polled(actor);
  Looks looks;
  const RemoteAddr maximizer = scene.lock().entry + 8;
  testing::FaultyClient client(scene.world, ClientId{0}, [&looks, maximizer](const Operation& op) {
    const bool one = op.kind == OpKind::verb && op.verb.kind == VerbKind::read;
    looks.reads += one && op.verb.addr == maximizer ? 1 : 0;
    return std::optional<VerbStatus>();
  });
  int acquired = 0;
  scene.starts(0, ask_beyond(scene, *client.operator->(), acquired));
  scene.run();
  looks.exp = scene.inner(1).exp;
  return looks;
}
TEST(timed, citron_growth_is_no_work_of_clients_beside_pollers) {
  const Looks looks = looks_of_a_client("poller");
  EXPECT_EQ(looks.reads, 0);
  EXPECT_EQ(looks.exp, 0U);
}
TEST(timed, citron_growth_without_pollers_is_work_of_clients) {
  const Looks looks = looks_of_a_client("clients");
  EXPECT_GT(looks.reads, 0);
  EXPECT_EQ(looks.exp, 1U);
}

}  // namespace
}  // namespace latchlab::citron_tests

#endif
