// Guard words: they report no conflict for locks that exclude, and one if two clients conflict.

#include <set>

#include "core/checks/guard_words.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RunSetup guarded(const std::string& protocol) {
  RunSetup setup;
  setup.protocol = protocol;
  setup.shared_percent = 50;
  setup.guard = GuardMode::on;
  return setup;
}

class GuardedLock : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, GuardedLock, ::testing::ValuesIn(remote_protocol_names()),
                         [](const auto& made) { return made.param; });

TEST_P(GuardedLock, that_excludes_shows_no_conflict) {
  RunSetup setup = guarded(GetParam());
  setup.client_nodes = 3;  // small models may have no room for more clients
  setup.clients_per_node = 1;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    EXPECT_EQ(outcome.guard.checks, outcome.acquired);
    EXPECT_THAT(outcome.guard.conflicts, IsEmpty()) << "seed " << seed;
    EXPECT_EQ(outcome.guard_word, 0U) << "a client is still counted";
    EXPECT_THAT(outcome.left, IsEmpty());
  }
}

// Clients that use a lock which only the guard words check.
class Visits {
 public:
  // `beyond`: at this distance from its address a word is looked for.
  explicit Visits(std::uint32_t clients, const ExplorerOptions& options, std::uint64_t beyond = 0)
      : protocol_(find_protocol("cas")->make(params_of(guarded("cas"), *find_protocol("cas")))),
        world_(*protocol_, shape(clients)),
        backend_(make_explorer(world_.plan(), options)),
        journal_(clients),
        guard_(
            GuardedLocks(GuardMode::on, 1),
            [this, beyond](LockId lock) { return world_.guard_of(lock) + beyond; }, journal_) {
    world_.attach(*backend_);
  }

  void add(std::uint32_t client, LockMode mode, Time valid_until = kNever, bool leaves = true) {
    Verbs& verbs = world_.verbs(ClientId{client});
    Grant grant;
    grant.lock = world_.lock(LockId{0});
    grant.mode = mode;
    grant.valid_until = valid_until;
    backend_->spawn(verbs, visit(guard_, verbs, grant, leaves), Time{});
  }
  GuardFindings findings() {
    backend_->run_until(Time{} + seconds(1));
    return guard_.findings();
  }
  std::uint64_t word() { return backend_->peek(world_.guard_of(LockId{0})); }
  std::span<GuardRecord> journal() { return journal_; }
  Guard& guard() { return guard_; }

 private:
  static WorldShape shape(std::uint32_t clients) {
    WorldShape shape;
    shape.clients_per_node = clients;
    shape.guard = true;
    return shape;
  }
  static Task<void> visit(Guard& guard, Verbs& verbs, Grant grant, bool leaves) {
    co_await guard.enter(verbs, grant);
    co_await verbs.sleep(nanoseconds(100));
    if (leaves) co_await guard.leave(verbs, grant);
  }

  std::unique_ptr<Protocol> protocol_;
  World world_;
  std::unique_ptr<Backend> backend_;
  std::vector<GuardRecord> journal_;
  Guard guard_;
};

ExplorerOptions seeded(std::uint64_t seed) {
  ExplorerOptions options;
  options.seed = seed;
  return options;
}

TEST(GuardWords, readers_share) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Visits visits(3, seeded(seed));
    for (std::uint32_t i = 0; i < 3; ++i) visits.add(i, LockMode::shared);
    EXPECT_THAT(visits.findings().conflicts, IsEmpty());
    EXPECT_EQ(visits.word(), 0U);
  }
}

TEST(GuardWords, detect_a_writer_and_any_other_holder_at_the_same_time) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  for (const LockMode other : {LockMode::shared, LockMode::exclusive}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
      Visits visits(2, seeded(seed));
      visits.add(0, LockMode::exclusive);
      visits.add(1, other);
      for (const GuardConflict& conflict : visits.findings().conflicts) seen.insert(conflict.word);
      EXPECT_EQ(visits.word(), 0U);
    }
    EXPECT_THAT(seen, ::testing::Contains(kGuardWriter));
    EXPECT_EQ(seen.count(1), other == LockMode::shared ? 1U : 0U);
  }
}

TEST(GuardWords, a_holder_that_stays_counted_is_detected_by_the_next) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  Visits visits(2, seeded(1));
  visits.add(0, LockMode::exclusive, kNever, /*leaves=*/false);
  EXPECT_THAT(visits.findings().conflicts, IsEmpty());
  EXPECT_EQ(visits.word(), kGuardWriter);
  visits.add(1, LockMode::exclusive);
  const GuardFindings findings = visits.findings();
  ASSERT_THAT(findings.conflicts, SizeIs(1));
  EXPECT_EQ(findings.conflicts[0], (GuardConflict{0, 1, LockMode::exclusive, kGuardWriter, 1}));
  EXPECT_EQ(judge(findings).violation,
            "client 1 entered lock 0 exclusively while its guard word said 1 writer, 0 readers");
}

TEST(GuardWords, overstaying_a_grant_excuses_the_conflicts_on_its_lock) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  std::uint64_t excused = 0;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    Visits visits(2, seeded(seed));
    visits.add(0, LockMode::exclusive, Time{1});
    visits.add(1, LockMode::exclusive);
    const GuardFindings findings = visits.findings();
    EXPECT_THAT(findings.expired, ElementsAre(0U));
    EXPECT_EQ(judge(findings).violations, 0U);
    excused += judge(findings).expired_holds;
  }
  EXPECT_GT(excused, 0U);
}

// Wherever the client crashes, the journal and the word agree, or the journal says that it does not
// know.
TEST(GuardWords, a_crash_of_a_holder_leaves_what_the_journal_says) {
  LATCHLAB_NEEDS_EXPLORER("deaths after a number of steps");
  std::set<bool> certain;
  for (std::uint64_t steps = 0; steps <= 8; ++steps) {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
      ExplorerOptions options = seeded(seed);
      options.crashes = {{ClientId{1}, steps, CrashKind::process}};
      Visits visits(2, options);
      visits.add(1, LockMode::shared);
      EXPECT_THAT(visits.findings().conflicts, IsEmpty());
      const std::vector<LeftInside> left = what_is_left(visits.journal());
      if (left.empty()) {
        EXPECT_EQ(visits.word(), 0U) << "steps " << steps << " seed " << seed;
        continue;
      }
      ASSERT_THAT(left, SizeIs(1));
      EXPECT_EQ(left[0].client, ClientId{1});
      EXPECT_EQ(left[0].lock, LockId{0});
      EXPECT_EQ(left[0].amount, 1U);
      EXPECT_TRUE(!left[0].certain || visits.word() == left[0].amount);
      certain.insert(left[0].certain);
      visits.guard().crashed(ClientId{1});
      EXPECT_THAT(visits.guard().findings().unguarded, ElementsAre(0U));
    }
  }
  EXPECT_THAT(certain, SizeIs(2)) << "both kinds of death are tried";
}

TEST(GuardWords, leave_a_lock_unguarded_after_a_failed_verb) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  Visits visits(1, seeded(1), std::uint64_t{1} << 40);
  visits.add(0, LockMode::exclusive);
  const GuardFindings findings = visits.findings();
  EXPECT_THAT(findings.unguarded, ElementsAre(0U));
  EXPECT_EQ(findings.checks, 0U);
}

TEST(GuardWords, a_sample_is_one_lock_in_sixteen_and_the_same_for_all) {
  const GuardedLocks sampled(GuardMode::sampled, 7);
  std::uint64_t guarded_locks = 0;
  for (std::uint64_t i = 0; i < 16'000; ++i) {
    guarded_locks += sampled.has(LockId{i}) ? 1 : 0;
    EXPECT_TRUE(GuardedLocks(GuardMode::on, 7).has(LockId{i}));
    EXPECT_FALSE(GuardedLocks(GuardMode::off, 7).has(LockId{i}));
  }
  EXPECT_NEAR(static_cast<double>(guarded_locks), 1000, 100);
}

TEST(GuardWords, lie_apart_from_the_locks_and_change_nothing_else) {
  const ProtocolEntry& entry = *find_protocol("dslr");
  const auto protocol = entry.make(params_of(guarded("dslr"), entry));
  WorldShape shape;
  shape.servers = 3;
  shape.locks.count = 10;
  for (const PlacementKind placement :
       {PlacementKind::round_robin, PlacementKind::partitioned, PlacementKind::node}) {
    shape.locks.placement = placement;
    shape.guard = false;
    const World bare(*protocol, shape);
    shape.guard = true;
    const World world(*protocol, shape);
    std::set<std::uint64_t> words;
    for (std::uint64_t i = 0; i < shape.locks.count; ++i) {
      const RemoteAddr word = world.guard_of(LockId{i});
      const RemoteAddr entry_addr = world.lock(LockId{i}).entry;
      EXPECT_EQ(entry_addr, bare.lock(LockId{i}).entry);
      EXPECT_EQ(word.node, entry_addr.node);
      EXPECT_EQ(word.offset % 8, 0U);
      EXPECT_TRUE(world.belongs(word, 8));
      EXPECT_FALSE(world.belongs(word, 16));
      EXPECT_FALSE(bare.belongs(word, 8)) << i;
      words.insert(word.packed());
    }
    EXPECT_THAT(words, SizeIs(10));
  }
}

}  // namespace
}  // namespace latchlab::testing
