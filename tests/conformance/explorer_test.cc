// The explorer shows every outcome that the seam allows: over some seeds, each outcome that the
// seam does not rule out occurs. And it is reproducible: a seed or recorded choices give the same
// run again.

#include <gtest/gtest.h>

#include <set>

#include "backends/explorer/explorer_backend.h"
#include "core/verbs/batch.h"

namespace latchlab {
namespace {

constexpr NodeId kServer{1};
constexpr NodeId kHere{2};
constexpr NodeId kThere{3};
constexpr RemoteAddr kWord{kServer, 64};
constexpr RemoteAddr kOther{kServer, 128};
constexpr std::uint64_t kSeeds = 200;

WorldPlan plan_of_three() {
  WorldPlan plan;
  plan.nodes = {
      {kServer, 4096, true, false}, {kHere, 4096, false, true}, {kThere, 4096, false, true}};
  plan.clients = 3;
  return plan;
}

ExplorerOptions seeded(std::uint64_t seed) {
  ExplorerOptions options;
  options.seed = seed;
  return options;
}

// One explorer with two clients.
struct ThreeNodes {
  explicit ThreeNodes(const ExplorerOptions& options) : backend(plan_of_three(), options) {}
  ExplorerBackend backend;
  Verbs& one = backend.add_actor(ActorKind::client, kHere, ClientId{0});
  Verbs& two = backend.add_actor(ActorKind::client, kThere, ClientId{1});
  RunEnd run() { return backend.run_until(kNever); }
};

Task<void> read_pair(Verbs& verbs, Words& seen) {
  const Completion result = co_await verbs.read(kWord, 16);
  seen = result.value;
}
Task<void> write_pair(Verbs& verbs) {
  co_await verbs.write(kWord, Words{1, 1});
}

TEST(Explorer, tears_sixteen_bytes_in_both_ways) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ThreeNodes world(seeded(seed));
    Words words;
    world.backend.spawn(world.one, read_pair(world.one, words), {});
    world.backend.spawn(world.two, write_pair(world.two), {});
    ASSERT_EQ(world.run(), RunEnd::finished);
    seen.insert({words.lo, words.hi});
  }
  EXPECT_EQ(seen.size(), 4U);
}

Task<void> add_one(Verbs& verbs) {
  co_await verbs.fetch_add(RemoteAddr{kHere, 0}, 1);
}
Task<void> store_hundred(Verbs& verbs) {
  co_await verbs.store(RemoteAddr{kHere, 0}, 100);
}

std::set<std::uint64_t> store_against_atomic(bool atomic_with_writes) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ExplorerOptions options = seeded(seed);
    options.atomic_with_writes = atomic_with_writes;
    ThreeNodes world(options);
    world.backend.spawn(world.one, store_hundred(world.one), {});
    world.backend.spawn(world.two, add_one(world.two), {});
    EXPECT_EQ(world.run(), RunEnd::finished);
    seen.insert(world.backend.peek({kHere, 0}));
  }
  return seen;
}

TEST(Explorer, loses_a_store_during_an_atomic_unless_told_otherwise) {
  EXPECT_EQ(store_against_atomic(false), (std::set<std::uint64_t>{1, 100, 101}));
  EXPECT_EQ(store_against_atomic(true), (std::set<std::uint64_t>{100, 101}));
}

Task<void> read_then_write(Verbs& verbs, bool fenced, std::uint64_t& seen) {
  Batch batch(verbs);
  const int word = batch.add(read_verb(kWord));
  Verb write = write_verb(kWord, 1);
  write.fenced = fenced;
  batch.add(write);
  co_await batch.run();
  seen = batch.result(word).value.lo;
}

std::set<std::uint64_t> read_before_write(bool fenced) {
  std::set<std::uint64_t> all;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ThreeNodes world(seeded(seed));
    std::uint64_t seen = 0;
    world.backend.spawn(world.one, read_then_write(world.one, fenced, seen), {});
    EXPECT_EQ(world.run(), RunEnd::finished);
    all.insert(seen);
  }
  return all;
}

TEST(Explorer, lets_a_write_overtake_an_earlier_read_unless_it_is_fenced) {
  EXPECT_EQ(read_before_write(false), (std::set<std::uint64_t>{0, 1}));
  EXPECT_EQ(read_before_write(true), (std::set<std::uint64_t>{0}));
}

// A word that is 1 for a moment, which a waiter may see or miss.
Task<void> blink(Verbs& verbs) {
  co_await verbs.write(kWord, 1);
  co_await verbs.write(kWord, 2);
}
Task<void> wait_for_one(Verbs& verbs, WaitEnd& end) {
  RemoteWait wait;
  wait.add(read_verb(kWord));
  wait.classify = [](const ProbeValues& seen) {
    return seen[0].lo == 1 ? Verdict::done : Verdict::pending;
  };
  wait.deadline = verbs.now() + seconds(1);
  auto waiting = verbs.await_remote(wait);
  const RemoteWaitResult result = co_await waiting;
  end = result.end;
}

TEST(Explorer, may_miss_a_value_that_holds_for_a_moment_only) {
  std::set<WaitEnd> ends;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ThreeNodes world(seeded(seed));
    WaitEnd end = WaitEnd::failed;
    world.backend.spawn(world.one, wait_for_one(world.one, end), {});
    world.backend.spawn(world.two, blink(world.two), {});
    ASSERT_EQ(world.run(), RunEnd::finished);
    ends.insert(end);
  }
  EXPECT_EQ(ends, (std::set<WaitEnd>{WaitEnd::satisfied, WaitEnd::deadline}));
}

Task<void> wait_with_deadline(Verbs& verbs, EndpointAddr inbox, Woke& by) {
  const WaitOutcome outcome = co_await verbs.receive(inbox, {}, verbs.now() + nanoseconds(1));
  by = outcome.by;
}
Task<void> work_then_send(Verbs& verbs, EndpointAddr target) {
  for (int i = 0; i < 50; ++i) co_await verbs.read(kWord);
  const Message message;
  co_await verbs.send(target, message);
}

// What ends the wait of client one for a message, which client two sends after its work.
Woke woken(ThreeNodes& world) {
  const EndpointAddr inbox = world.one.open_endpoint(1);
  Woke by = Woke::membership;
  world.backend.spawn(world.one, wait_with_deadline(world.one, inbox, by), {});
  world.backend.spawn(world.two, work_then_send(world.two, inbox), {});
  EXPECT_EQ(world.run(), RunEnd::finished);
  return by;
}

TEST(Explorer, deadline_does_not_pass_while_another_step_is_possible) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ThreeNodes world(seeded(seed));
    ASSERT_EQ(woken(world), Woke::message);
  }
}

TEST(Explorer, deadline_passes_when_the_client_that_would_have_acted_has_crashed) {
  ExplorerOptions options = seeded(1);
  options.crashes.push_back({ClientId{1}, 20, CrashKind::client});
  ThreeNodes world(options);
  EXPECT_EQ(woken(world), Woke::deadline);
}

Task<void> add_detached(Verbs& verbs) {
  for (int i = 0; i < 3; ++i) verbs.post(faa_verb(kWord, 1));
  co_await verbs.receive(verbs.open_endpoint(1), {});
}
Task<void> look_for_long(Verbs& verbs) {
  for (int i = 0; i < 40; ++i) co_await verbs.read(kOther);
}

TEST(Explorer, any_number_of_the_verbs_of_a_crashed_client_lands) {
  std::set<std::uint64_t> landed;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ExplorerOptions options = seeded(seed);
    options.crashes.push_back({ClientId{0}, 4, CrashKind::client});
    ThreeNodes world(options);
    world.backend.spawn(world.one, add_detached(world.one), {});
    world.backend.spawn(world.two, look_for_long(world.two), {});
    ASSERT_EQ(world.run(), RunEnd::finished);
    landed.insert(world.backend.peek(kWord));
  }
  EXPECT_EQ(landed, (std::set<std::uint64_t>{0, 1, 2, 3}));
}

Task<void> allocate_for_long(Verbs& verbs, NodeId node, VerbStatus& last) {
  for (int i = 0; i < 40; ++i) last = (co_await verbs.allocate(node, 64)).status;
}

TEST(Explorer, dead_node_allocates_no_memory) {
  ExplorerOptions options = seeded(1);
  options.crashes.push_back({ClientId{1}, 20, CrashKind::node});
  ThreeNodes world(options);
  VerbStatus last = VerbStatus::ok;
  world.backend.spawn(world.one, allocate_for_long(world.one, world.two.node(), last), {});
  world.backend.spawn(world.two, look_for_long(world.two), {});
  ASSERT_EQ(world.run(), RunEnd::finished);
  EXPECT_EQ(last, VerbStatus::peer_failed);
}

Task<void> contend(Verbs& verbs) {
  for (int i = 0; i < 20; ++i) {
    co_await verbs.fetch_add(kWord, verbs.random(5));
    co_await verbs.write(kOther, Words{verbs.random(9), 1});
  }
}
struct Outcome {
  std::uint64_t fingerprint = 0;
  std::vector<std::uint32_t> choices;
};
Outcome run_contention(const ExplorerOptions& options) {
  ThreeNodes world(options);
  world.backend.spawn(world.one, contend(world.one), {});
  world.backend.spawn(world.two, contend(world.two), {});
  EXPECT_EQ(world.run(), RunEnd::finished);
  return {world.backend.fingerprint().value(), world.backend.choices()};
}

TEST(Explorer, seed_gives_the_same_run_again_and_other_seeds_give_others) {
  EXPECT_EQ(run_contention(seeded(3)).fingerprint, run_contention(seeded(3)).fingerprint);
  std::set<std::uint64_t> runs;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    runs.insert(run_contention(seeded(seed)).fingerprint);
  EXPECT_EQ(runs.size(), 20U);
}

TEST(Explorer, recorded_choices_replay_the_run) {
  ExplorerOptions options = seeded(5);
  options.record = true;
  const Outcome recorded = run_contention(options);
  ASSERT_FALSE(recorded.choices.empty());
  ExplorerOptions again = seeded(6);
  again.replay = recorded.choices;
  EXPECT_EQ(run_contention(again).fingerprint, recorded.fingerprint);
}

TEST(Explorer, gives_up_after_its_maximum_number_of_steps) {
  ExplorerOptions options = seeded(1);
  options.max_steps = 30;
  ThreeNodes world(options);
  world.backend.spawn(world.one, look_for_long(world.one), {});
  EXPECT_EQ(world.run(), RunEnd::reached);
  EXPECT_EQ(world.backend.events(), 30U);
}

}  // namespace
}  // namespace latchlab
