// RMA-RW in a tree of queues: its costs, how long the lock stays at a node, and where readers are
// counted.

#include "tests/modes.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/rma_rw/scene.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using rma_rw_tests::alone;
using rma_rw_tests::Bill;
using rma_rw_tests::Cost;
using rma_rw_tests::kRepairedTree;
using rma_rw_tests::pairs;
using rma_rw_tests::Platform;
using rma_rw_tests::racks;
using rma_rw_tests::Scene;

ParamValues with_tree(ParamValues sets = {}) {
  sets.emplace_back("form", text("tree"));
  sets.emplace_back("notes", text("words"));
  return sets;
}

// With the small model's thresholds.
RunSetup tree(ParamValues sets = {}) {
  RunSetup setup;
  setup.protocol = "rma_rw";
  setup.params = with_tree(std::move(sets));
  setup.shared_percent = 50;
  return setup;
}

TEST(rma_rw_tree, excludes_by_mode_and_all_clients_finish) {
  expect_sound(tree(), 300);
  expect_sound(tree({{"clients_per_counter", number(3)}, {"node_threshold", number(0)}}), 200);
  RunSetup together = tree();
  together.client_nodes = 1;
  together.clients_per_node = 4;
  expect_sound(together, 100);
}

TEST(rma_rw_tree, is_sound_with_a_barrier_that_retries_at_the_threshold) {
  expect_sound(tree({{"reader_barrier", text("at_most")}}), 200);
}

TEST(rma_rw_tree, lets_readers_give_up_at_their_deadline_and_stays_usable) {
  RunSetup setup = tree();
  setup.impatient = true;
  std::uint64_t aborted = 0;
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_TRUE(outcome.safe()) << outcome.violation;
    ASSERT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
    ASSERT_TRUE(outcome.free) << outcome.entry;
    aborted += outcome.aborted;
  }
  EXPECT_GT(aborted, 0U);
}

TEST(rma_rw_tree, takes_its_paths_under_contention) {
  RunSetup setup = tree();
  setup.clients_per_node = 3;
  setup.operations = 4;
  expect_reached(setup,
                 {"the lock stays at the node", "a writer is handed the lock within its node",
                  "a writer is handed the lock", "a writer has to go up by itself",
                  "an element has had enough turns", "a writer has to change the mode",
                  "a release leaves an element's queue empty",
                  "an element's release waits for a late successor",
                  "a reader at the barrier leaves the turn to a writer"});
}

// ---- costs: verbs, each of which is waited for ----

TEST(rma_rw_tree, costs_of_a_writer_grow_by_three_round_trips_in_and_two_out_per_counter) {
  for (const char* profile : {"hpdc16", kRepairedTree}) {
    const Cost in{.atomics = 2, .reads = 2};   // swap at the root; READ, mode, READ
    const Cost out{.atomics = 2, .reads = 1};  // READ, reset; CAS at the root
    EXPECT_EQ(alone(profile, {}, kX, 2), (Bill{in, out, in, out})) << profile;
    const Cost in3{.atomics = 4, .reads = 6};
    const Cost out3{.atomics = 4, .reads = 3};
    const ParamValues each = {{"clients_per_counter", number(1)}};
    EXPECT_EQ(alone(profile, each, kX, 2, 3), (Bill{in3, out3, in3, out3})) << profile;
  }
}

TEST(rma_rw_tree, costs_of_a_reader_of_a_free_lock_are_one_round_trip_each) {
  const Cost one{.atomics = 1};
  const ParamValues each = {{"clients_per_counter", number(1)}};
  EXPECT_EQ(alone(kRepairedTree, each, kS, 2, 3), (Bill{one, one, one, one}));
}

// The client is alone in the second of two racks, on its second node: the rack's words are on its
// first.
TEST(rma_rw_tree, costs_of_a_writer_of_a_free_lock_across_racks) {
  Bill bill;
  const auto nothing = [](Scene&, ClientId) -> Task<void> { co_return; };
  const auto body = [&](Scene& here, ClientId id) { return pairs(here, id, kX, 1, &bill); };
  Scene scene(kRepairedTree, {}, {nothing, nothing, body}, 1, 1, racks());
  ASSERT_EQ(scene.run(), RunEnd::finished);
  // Swap in the rack, WRITE of the rack's place in the root, swap there, READ, mode, READ, and
  // WRITE of its STATUS.
  const Cost in{.atomics = 3, .reads = 2, .writes = 2};
  // READ of the rack's place, reset (2), READ whether a client has arrived meanwhile, CAS at the
  // root, and in the rack.
  const Cost out{.atomics = 3, .reads = 3};
  EXPECT_EQ(bill, (Bill{in, out}));
}

// ---- how long the lock stays at a node ----

// The clients that acquired the lock, in order.
struct Turns {
  std::vector<std::uint32_t> who;
  std::vector<Cost> costs;  // of the acquisitions
};

Task<void> take_turns(Scene& scene, ClientId me, int times, Turns* turns) {
  for (int i = 0; i < times; ++i) {
    const Want want{scene.lock()};
    const AcquireResult result = co_await scene.client(me).acquire(want, {});
    turns->who.push_back(me.value);
    turns->costs.push_back(scene.cost(me));
    const Grant grant = std::get<Grant>(result);
    co_await scene.client(me).release(grant);
    scene.cost(me);
  }
}

Turns turns(const ParamValues& sets, std::uint32_t clients, const Platform& platform,
            std::uint64_t seed) {
  Turns seen;
  const auto body = [&](Scene& scene, ClientId id) { return take_turns(scene, id, 3, &seen); };
  Scene scene(kRepairedTree, sets, std::vector<Scene::Body>(clients, body), seed, 1, platform);
  EXPECT_EQ(scene.run(), RunEnd::finished) << "seed " << seed << ": " << scene.entry();
  EXPECT_TRUE(scene.free()) << scene.entry();
  return seen;
}

TEST(rma_rw_tree, hands_over_within_a_node_without_a_verb) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  std::uint64_t free = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    for (const Cost& cost : turns({}, 3, {3, {}}, seed).costs) free += cost == Cost{} ? 1 : 0;
  EXPECT_GT(free, 50U);
}

TEST(rma_rw_tree, works_across_racks_whose_words_are_on_one_of_their_nodes) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  const ParamValues sets = {{"node_threshold", number(1)},
                            {"group_threshold", number(1)},
                            {"writer_threshold", number(2)}};
  paths::forget();
  paths::record(true);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) turns(sets, 6, racks(2), seed);
  paths::record(false);
  EXPECT_THAT(labels("rma_rw", true),
              ::testing::IsSupersetOf(
                  {"an element's place is on another node", "the lock stays in the group of nodes",
                   "a writer is handed the lock within its group of nodes",
                   "a writer is handed the lock within its node", "a writer is handed the lock"}));
}

Task<void> alone_inside(Scene& scene, ClientId me, int* inside) {
  for (int i = 0; i < 3; ++i) {
    const Want want{scene.lock()};
    const AcquireResult result = co_await scene.client(me).acquire(want, {});
    EXPECT_EQ((*inside)++, 0);
    co_await scene.verbs(me.value).sleep(nanoseconds(1));
    --*inside;
    const Grant grant = std::get<Grant>(result);
    co_await scene.client(me).release(grant);
  }
}

TEST(rma_rw_tree, grants_one_writer_at_a_time_across_racks) {
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    int inside = 0;
    const auto body = [&](Scene& scene, ClientId id) { return alone_inside(scene, id, &inside); };
    Scene scene(kRepairedTree, {}, std::vector<Scene::Body>(6, body), seed, 1, racks(2));
    ASSERT_EQ(scene.run(), RunEnd::finished) << "seed " << seed << ": " << scene.entry();
  }
}

// Passes within a node between two acquisitions that came through a queue above.
std::uint64_t longest_stay(const ParamValues& sets, std::uint64_t seeds) {
  std::uint64_t most = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::uint64_t stay = 0;
    for (const Cost& cost : turns(sets, 6, {3, {}}, seed).costs) {
      stay = cost == Cost{} ? stay + 1 : 0;
      most = std::max(most, stay);
    }
  }
  return most;
}

TEST(rma_rw_tree, leaves_a_node_after_as_many_passes_as_its_threshold) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  EXPECT_EQ(longest_stay({{"node_threshold", number(0)}}, 50), 0U);
  EXPECT_EQ(longest_stay({{"node_threshold", number(1)}}, 100), 1U);
  EXPECT_EQ(longest_stay({{"node_threshold", number(3)}}, 200), 3U);
  EXPECT_GT(longest_stay({{"node_threshold", number(50)}}, 100), 3U);
}

// ---- what else it declares ----

TEST(rma_rw_tree, refuses_switches_that_do_not_go_together) {
  const ProtocolEntry& entry = *find_protocol("rma_rw");
  const auto refused = [&](const ParamValues& sets) {
    ParamSet params = entry.info.resolve("repaired");
    for (const auto& [name, value] : sets) params.set(name, value);
    return entry.info.contradiction(params);
  };
  EXPECT_THAT(refused({{"form", text("tree")}}), ::testing::HasSubstr("notes is messages"));
  EXPECT_THAT(refused(with_tree({{"successor_known", text("at_grant")}})),
              ::testing::HasSubstr("successor_known is at_grant"));
  EXPECT_EQ(refused(with_tree()), "");
}

TEST(rma_rw_tree, decodes_writers_in_its_entry) {
  const ProtocolEntry& entry = *find_protocol("rma_rw");
  const auto made = entry.make(entry.info.resolve(kRepairedTree));
  const std::vector<std::uint64_t> free = {0};
  const std::vector<std::uint64_t> queued = {3};
  EXPECT_TRUE(made->is_free(RemoteAddr{NodeId{1}, 4096}, free));
  EXPECT_FALSE(made->is_free(RemoteAddr{NodeId{1}, 4096}, queued));
  EXPECT_EQ(made->decode(free), "no writers");
  EXPECT_EQ(made->decode(queued), "tail=element of client node 2");
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, rma_rw_is_sound_in_a_tree) {
  expect_sound_run(timed("rma_rw", kRepairedTree));
}
TEST(timed, rma_rw_is_sound_in_a_tree_as_in_hpdc16) {
  expect_sound_run(timed("rma_rw", "hpdc16"));
}
#endif

}  // namespace
}  // namespace latchlab::testing
