// What a client does when a server fails, at any of its verbs and in the middle of its waits, and
// how a change of m ends when a node or the server has failed.

#include "tests/protocols/citron/scene.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::citron_tests {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

// ---- one verb fails, and later ones do not ----

struct Calls {
  std::uint64_t failing = 0;  // the number of the verb that fails, from 1 on; 0: none
  std::uint64_t verbs = 0;
  std::uint64_t refused = 0;
};

// Each request has a lock of its own, so that no state is left by the one before. The first run has
// no failure; then one run follows for each of its verbs.
Task<void> fail_everywhere(Scene& scene, FaultyClient& client, Extent units, Calls& calls) {
  std::uint64_t to_acquire = 0;
  std::uint64_t all = 1;
  for (std::uint64_t failing = 0; failing <= all; ++failing) {
    calls.failing = failing;
    calls.verbs = 0;
    const Want want = scene.of(units, failing);
    const AcquireResult result = co_await client->acquire(want, {});
    if (failing == 0) to_acquire = calls.verbs;
    if (const Aborted* const aborted = std::get_if<Aborted>(&result)) {
      EXPECT_EQ(aborted->reason, AbortReason::server_failed) << "verb " << failing;
      ++calls.refused;
    } else {
      EXPECT_TRUE(failing == 0 || failing > to_acquire) << "verb " << failing;
      const Grant grant = std::get<Grant>(result);
      co_await client->release(grant);
    }
    if (failing == 0) all = calls.verbs;
  }
  EXPECT_EQ(calls.refused, to_acquire);
  EXPECT_GT(all, to_acquire);
}

void expect_told_at_every_verb(Extent units, const ParamValues& params) {
  Scene scene(params, 1, 64);
  Calls calls;
  FaultyClient client(scene.world, ClientId{0}, [&calls](const Operation& op) {
    if (op.kind != OpKind::verb || op.detached || ++calls.verbs != calls.failing)
      return std::optional<VerbStatus>();
    return std::optional(VerbStatus::peer_failed);
  });
  scene.starts(0, fail_everywhere(scene, client, units, calls));
  scene.run();
  EXPECT_GT(calls.refused, 0U);
  EXPECT_THAT(scene.taken, Contains("the server fails an acquire"));
  const bool in_tree = units.first < 256;  // else its mutex alone is released
  EXPECT_EQ(::testing::Matches(Contains("the server fails a release"))(scene.taken), in_tree);
}

const ParamValues kPlain = {{"units", number(1024)},
                            {"nodes", number(2)},
                            {"batch_search", false},
                            {"batch_occupy", false},
                            {"lock_children", false}};

TEST(timed, citron_reports_a_failed_server_at_every_verb_of_a_leaf) {
  expect_told_at_every_verb({0, 10}, {});
}
TEST(timed, citron_reports_a_failed_server_at_every_verb_of_a_node) {
  expect_told_at_every_verb({0, 256}, {{"units", number(1024)}});
}
TEST(timed, citron_reports_a_failed_server_at_every_verb_of_two_nodes_without_the_fast_path) {
  expect_told_at_every_verb({192, 320}, kPlain);
}
TEST(timed, citron_reports_a_failed_server_at_every_verb_of_the_last_units_of_a_tree) {
  expect_told_at_every_verb({200, 100}, {});
}

TEST(timed, citron_reports_a_failed_server_at_every_verb_of_units_beyond_a_tree) {
  expect_told_at_every_verb({300, 10}, {});
}

// ---- the server's node crashes ----

// The failure is reported to clients that wait for a ticket, for a client at an ancestor, or for
// clients below.
TEST(timed, citron_failing_server_ends_every_wait) {
  Scene scene(
      {{"units", number(1024)}, {"leaf_tries", number(1'000'000)}, {"lock_children", false}}, 5);
  const citron::NodeWord& format = Scene::kFormat;
  scene.puts(2, format.pack({.t_max = 1}));            // a client has its turn at node 2
  scene.puts(3, format.pack({.occ = 1, .t_max = 1}));  // a client holds node 3
  scene.puts(4, format.pack({.d_max = 1}));            // a client is below node 4
  scene.puts(18, ~0ULL);                               // a client holds the first leaf below node 5
  Seen seen[5];
  const Extent units[] = {{0, 256}, {256, 10}, {512, 256}, {768, 10}, {1024, 10}};
  for (std::uint32_t i = 0; i < 5; ++i)
    scene.asks(i, units[i], microseconds(1), seconds(1), seen[i]);
  scene.server_dies(microseconds(100));
  scene.run();
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(seen[i].acquired) << i;
    EXPECT_EQ(seen[i].reason, AbortReason::server_failed) << i;
    EXPECT_GT(seen[i].took, microseconds(95)) << i;
  }
  EXPECT_TRUE(seen[4].acquired);  // beyond the tree
  EXPECT_THAT(scene.taken, Contains("the server fails an acquire"));
}

// The server fails while each client is at an arbitrary step.
TEST(timed, citron_reports_a_failed_server_under_contention) {
  RunSetup setup = timed("citron", "repaired");
  setup.params = {{"units", number(4096)}, {"scale_up_poll", microseconds(20)}};
  setup.client_nodes = 8;
  const auto wanted = [](ClientId client, std::uint64_t count, const World& world) {
    const std::uint64_t dice = hash_of(7, client.value, count);
    const Extent range{mix64(dice) % 4600, 1 + dice % (1ULL << (dice % 12))};
    return Want{world.lock(LockId{0}), LockMode::exclusive, range, GrantId{}};
  };
  EXPECT_THAT(expect_end_when_the_server_dies(setup, microseconds(500), wanted),
              IsSupersetOf({"the server fails an acquire", "the server fails a release"}));
}

// ---- changes of m ----

const ParamValues kTunes = {
    {"tune_after", microseconds(50)}, {"tune_meet", number(1)}, {"tune_t_wait", microseconds(30)}};

// The manager needs all nodes to change m. Without one of them m stays, and the locks remain
// usable.
TEST(timed, citron_leaves_m_unchanged_if_a_node_cannot_be_notified) {
  Scene scene(kTunes, 2);
  Seen seen;
  scene.node_dies(scene.world.node_of(ClientId{1}), microseconds(10));
  scene.asks(0, {0, 10}, milliseconds(1), {}, seen);
  scene.run();
  EXPECT_TRUE(seen.acquired);
  EXPECT_TRUE(scene.is_free()) << scene.entry();
  EXPECT_THAT(scene.taken, Contains("a node cannot be told of a change"));
  EXPECT_THAT(scene.taken, Not(Contains("m and T_wait are changed")));
}
TEST(timed, citron_changes_m_if_all_nodes_are_alive) {
  Scene scene(kTunes, 2);
  Seen seen;
  scene.asks(0, {0, 10}, milliseconds(1), {}, seen);
  scene.run();
  EXPECT_TRUE(seen.acquired);
  EXPECT_THAT(scene.taken, Contains("m and T_wait are changed"));
}

// A client that held a range before the change of m reports its release to a manager that has
// failed.
TEST(timed, citron_failing_server_may_be_the_manager_of_a_change_of_m) {
  Scene scene(kTunes, 1);
  Seen seen;
  scene.asks(0, {0, 10}, {}, microseconds(200), seen);
  scene.server_dies(microseconds(150));
  scene.run();
  EXPECT_TRUE(seen.acquired);
  EXPECT_THAT(scene.taken, IsSupersetOf({"a change of m and T_wait waits for older requests",
                                         "the server fails a release",
                                         "the manager cannot be told of a change"}));
}

}  // namespace
}  // namespace latchlab::citron_tests

#endif
