// Guard words of units: they find two holders of ranges that overlap, and never two of ranges that
// do not.

#include <set>

#include "core/checks/guard_words.h"
#include "tests/protocols/harness.h"
#include "tests/protocols/static_segments/stretches.h"

namespace latchlab::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::set<std::uint64_t> marked(const Extent& extent, std::uint64_t offset) {
  const GuardedUnits some = guarded_units(extent, offset);
  EXPECT_GE(some.count, 1U);
  return {some.units.begin(), some.units.begin() + some.count};
}

std::vector<std::uint64_t> in_common(const std::set<std::uint64_t>& a,
                                     const std::set<std::uint64_t>& b) {
  std::vector<std::uint64_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

TEST(GuardedUnits, of_short_extents_are_all_and_of_longer_ones_a_few_of_theirs) {
  Rng rng(1);
  for (int i = 0; i < 10'000; ++i) {
    const Extent extent{rng.below(1000), 1 + rng.below(i % 2 == 0 ? 6 : 100'000)};
    const std::set<std::uint64_t> units = marked(extent, rng.next());
    EXPECT_GE(*units.begin(), extent.first);
    EXPECT_LT(*units.rbegin() - extent.first, extent.count);
    if (extent.count <= kGuardedUnits) {
      EXPECT_EQ(units.size(), extent.count);
    }
    EXPECT_LE(units.size(), kGuardedUnits);
    EXPECT_GE(units.size(), std::min<std::size_t>(extent.count, 2));
  }
  EXPECT_EQ(marked({0, kGuardedUnitsEnd}, 0).size(), kGuardedUnits);
  EXPECT_EQ(marked({kGuardedUnitsEnd - 1, 1}, ~0ULL).size(), 1U);
}

// The overlap is half of the longer range, or one of the two is as short as possible.
TEST(GuardedUnits, are_in_common_where_extents_overlap_by_half_and_never_where_they_do_not) {
  Rng rng(2);
  int overlaps = 0, seen = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Extent one{rng.below(300), 1 + rng.below(100)}, other{rng.below(300), 1 + rng.below(100)};
    const std::uint64_t offset = rng.next();
    const bool common = !in_common(marked(one, offset), marked(other, offset)).empty();
    const std::uint64_t from = std::max(one.first, other.first);
    const std::uint64_t to = std::min(one.first + one.count, other.first + other.count);
    const std::uint64_t overlap = to > from ? to - from : 0;
    if (overlap == 0) {
      ASSERT_FALSE(common);
      continue;
    }
    ++overlaps;
    seen += common ? 1 : 0;
    if (2 * overlap >= std::max(one.count, other.count)) {
      ASSERT_TRUE(common);
    }
  }
  EXPECT_GT(seen, overlaps / 2) << "of others a good part";
}

TEST(UnitWords, name_one_unit_as_long_as_a_client_holds_it) {
  const std::uint64_t one = *with_one_more(0, 7, LockMode::shared);
  EXPECT_EQ(inside_unit(one, 7), kGuardReader);
  EXPECT_EQ(inside_unit(one, 8), 0U);
  EXPECT_FALSE(with_one_more(one, 8, LockMode::shared).has_value());
  const std::uint64_t both = *with_one_more(one, 7, LockMode::exclusive);
  EXPECT_EQ(inside_unit(both, 7), kGuardReader + kGuardWriter);
  const std::uint64_t none =
      both - unit_amount(LockMode::shared) - unit_amount(LockMode::exclusive);
  EXPECT_EQ(inside_unit(none, 7), 0U);
  EXPECT_EQ(inside_unit(*with_one_more(none, kGuardedUnitsEnd - 1, LockMode::update),
                        kGuardedUnitsEnd - 1),
            kGuardUpdater);
}

TEST(UnitWords, refuse_further_clients_when_they_are_full) {
  for (const LockMode mode : {LockMode::shared, LockMode::update, LockMode::exclusive}) {
    std::uint64_t word = 0;
    int taken = 0;
    while (const auto next = with_one_more(word, 3, mode)) {
      word = *next;
      ++taken;
    }
    EXPECT_EQ(taken, mode == LockMode::shared ? 4095 : 15);
    EXPECT_TRUE(
        with_one_more(word, 3, mode == LockMode::shared ? LockMode::exclusive : LockMode::shared)
            .has_value());
  }
}

TEST(UnitWords, are_fewer_per_lock_if_there_are_many_locks) {
  EXPECT_EQ(guard_slots(1), 4096U);
  EXPECT_EQ(guard_slots(1024), 4096U);
  EXPECT_EQ(guard_slots(1025), 2048U);
  EXPECT_EQ(guard_slots(10'000'000), 64U);
}

// Clients that use ranges of a lock which only the guard words check.
class UnitVisits {
 public:
  UnitVisits(std::uint32_t clients, std::uint64_t seed, std::uint32_t slots,
             std::vector<ExplorerOptions::Crash> crashes = {})
      : protocol_(find_protocol("cas")->make(find_protocol("cas")->small_params())),
        world_(*protocol_, shape(clients, slots)),
        backend_(make_explorer(world_.plan(), options(seed, std::move(crashes)))),
        journal_(clients),
        slots_(slots),
        guard_(
            GuardedLocks(GuardMode::on, seed),
            [this](LockId lock) { return world_.guard_of(lock); }, journal_, slots) {
    world_.attach(*backend_);
  }

  void add(std::uint32_t client, const Extent& extent, LockMode mode = LockMode::exclusive,
           std::optional<LockMode> later = std::nullopt) {
    Verbs& verbs = world_.verbs(ClientId{client});
    Grant grant;
    grant.lock = world_.lock(LockId{0});
    grant.mode = mode;
    grant.extent = extent;
    backend_->spawn(verbs, visit(guard_, verbs, grant, later), Time{});
  }
  GuardFindings findings() {
    backend_->run_until(Time{} + seconds(1));
    return guard_.findings();
  }
  std::uint64_t verbs_counted() const { return world_.verbs(ClientId{0}).tally().one_sided(); }
  // Whether any client is still counted in.
  bool occupied() {
    for (std::uint64_t i = 1; i <= slots_; ++i)
      for (std::uint64_t unit = 0; unit < 64; ++unit)
        if (inside_unit(backend_->peek(world_.guard_of(LockId{0}) + 8 * i), unit) > 0) return true;
    return false;
  }
  std::span<GuardRecord> journal() { return journal_; }
  Guard& guard() { return guard_; }

 private:
  static WorldShape shape(std::uint32_t clients, std::uint32_t slots) {
    WorldShape shape;
    shape.clients_per_node = clients;
    shape.guard = true;
    shape.guard_slots = slots;
    return shape;
  }
  static ExplorerOptions options(std::uint64_t seed, std::vector<ExplorerOptions::Crash> crashes) {
    ExplorerOptions options;
    options.seed = seed;
    options.crashes = std::move(crashes);
    return options;
  }
  static Task<void> visit(Guard& guard, Verbs& verbs, Grant grant, std::optional<LockMode> later) {
    co_await guard.enter(verbs, grant);
    co_await verbs.sleep(nanoseconds(100));
    if (later) {
      grant.mode = *later;
      co_await guard.upgrade(verbs, grant);
    }
    co_await guard.leave(verbs, grant);
  }

  std::unique_ptr<Protocol> protocol_;
  World world_;
  std::unique_ptr<Backend> backend_;
  std::vector<GuardRecord> journal_;
  std::uint32_t slots_;
  Guard guard_;
};

// With one slot all units share it.
TEST(GuardUnits, of_adjacent_ranges_never_show_a_conflict) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  for (const std::uint32_t slots : {1U, 2U, 64U})
    for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
      UnitVisits visits(4, seed, slots);
      for (std::uint32_t i = 0; i < 4; ++i) visits.add(i, {i * 8ULL, 8});
      const GuardFindings findings = visits.findings();
      EXPECT_THAT(findings.conflicts, IsEmpty()) << "slots " << slots << " seed " << seed;
      EXPECT_THAT(findings.unguarded, IsEmpty());
      EXPECT_GE(findings.checks, 1U);
      EXPECT_EQ(visits.verbs_counted(), 0U) << "a guard's verbs are in no tally";
      EXPECT_FALSE(visits.occupied());
    }
}

TEST(GuardUnits, are_shared_by_readers) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    UnitVisits visits(3, seed, 64);
    for (std::uint32_t i = 0; i < 3; ++i) visits.add(i, {2ULL * i, 8}, LockMode::shared);
    EXPECT_THAT(visits.findings().conflicts, IsEmpty());
    EXPECT_FALSE(visits.occupied());
  }
}

TEST(GuardUnits, show_a_writer_to_every_client_that_overlaps_by_half) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  for (const LockMode other : {LockMode::shared, LockMode::exclusive}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
      UnitVisits visits(2, seed, 64);
      const std::uint64_t left = seed % 2 == 0 ? 0 : 8;  // units are entered in ascending order
      visits.add(0, {left, 16});
      visits.add(1, {8 - left, 16}, other);
      const GuardFindings findings = visits.findings();
      EXPECT_LE(judge(findings).violations, 2U) << "told once by each who enters";
      for (const GuardConflict& conflict : findings.conflicts) seen.insert(conflict.word);
      EXPECT_FALSE(visits.occupied());
    }
    EXPECT_THAT(seen, ::testing::Contains(kGuardWriter));
    EXPECT_EQ(seen.count(kGuardReader), other == LockMode::shared ? 1U : 0U);
  }
}

TEST(GuardUnits, show_an_upgrade_to_the_readers_that_hold_the_range) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  std::uint64_t conflicts = 0;
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    UnitVisits visits(2, seed, 64);
    visits.add(0, {0, 3}, LockMode::update, LockMode::exclusive);
    visits.add(1, {1, 1}, LockMode::shared);
    conflicts += judge(visits.findings()).violations;
    EXPECT_FALSE(visits.occupied());
  }
  EXPECT_GT(conflicts, 0U);
}

TEST(GuardUnits, a_crashed_holder_leaves_the_lock_unguarded) {
  LATCHLAB_NEEDS_EXPLORER("deaths after a number of steps");
  std::uint64_t left_inside = 0;
  for (std::uint64_t steps = 0; steps <= 12; ++steps) {
    UnitVisits visits(1, 1, 64, {{ClientId{0}, steps, CrashKind::process}});
    visits.add(0, {0, 2});
    visits.findings();
    const std::vector<LeftInside> left = what_is_left(visits.journal());
    if (left.empty()) {
      EXPECT_FALSE(visits.occupied()) << "steps " << steps;
      continue;
    }
    ++left_inside;
    EXPECT_FALSE(left[0].certain) << "the journal does not say which units";
    visits.guard().crashed(ClientId{0});
    EXPECT_THAT(visits.guard().findings().unguarded, ElementsAre(0U));
  }
  EXPECT_GT(left_inside, 2U);
}

TEST(GuardUnits, beyond_what_a_word_can_name_are_not_guarded) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  UnitVisits visits(2, 1, 64);
  visits.add(0, {kGuardedUnitsEnd - 1, 2});
  visits.add(1, {kGuardedUnitsEnd - 1, 1});
  EXPECT_EQ(visits.findings().checks, 1U);
}

TEST(GuardUnits, around_a_lock_with_ranges_see_every_grant_and_no_conflict) {
  RunSetup setup = static_segments_tests::stretches(2);
  setup.guard = GuardMode::on;
  setup.guard_slots = 64;
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    EXPECT_THAT(outcome.guard.conflicts, IsEmpty()) << "seed " << seed;
    EXPECT_GT(outcome.guard.checks, 0U);
    EXPECT_LE(outcome.guard.checks, outcome.acquired);
    EXPECT_THAT(outcome.left, IsEmpty());
  }
}

}  // namespace
}  // namespace latchlab::testing
