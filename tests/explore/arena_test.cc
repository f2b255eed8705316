// Arenas and the stores of states, with which a search restores a state.

#include "backends/explorer/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "tools/explore/store.h"

namespace latchlab::explore {
namespace {

using explorer::Arena;
using explorer::Arenas;
using explorer::ArenaScope;

bool lies_in(const Arena& arena, const void* memory) {
  const auto* const at = static_cast<const std::byte*>(memory);
  const auto* const begin = reinterpret_cast<const std::byte*>(&arena);
  return at >= begin && at < begin + Arena::kBytes;
}

bool all_zero(const void* memory, std::size_t bytes) {
  const auto* const begin = static_cast<const unsigned char*>(memory);
  return std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0; });
}

class ArenaTest : public ::testing::Test {
 protected:
  ArenaTest() : arena(arenas[arenas.add()]) {}
  static void* fill(void* memory, std::size_t bytes) { return std::memset(memory, 0xab, bytes); }

  Arenas arenas;
  Arena& arena;
};

TEST_F(ArenaTest, the_first_gap_that_fits_is_taken) {
  void* const small = arena.take(64);
  void* const large = arena.take(200);
  void* const last = arena.take(1);
  EXPECT_LT(small, large);
  EXPECT_LT(large, last);
  arena.give(large);
  EXPECT_EQ(arena.take(65), large) << "two granules into a gap of four";
  EXPECT_GT(arena.take(192), last) << "the rest of the gap is too small";
  arena.give(small);
  EXPECT_EQ(arena.take(1), small);
}

TEST_F(ArenaTest, neighbours_do_not_overlap_and_are_aligned) {
  std::byte* const first = static_cast<std::byte*>(arena.take(65));
  std::byte* const second = static_cast<std::byte*>(arena.take(0));
  std::byte* const third = static_cast<std::byte*>(arena.take(64));
  EXPECT_EQ(second - first, 128);
  EXPECT_EQ(third - second, 64) << "nothing at all is something of its own";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % Arena::kGranule, 0U);
}

TEST_F(ArenaTest, memory_is_zero_when_handed_out_and_when_given_back) {
  void* const memory = arena.take(300);
  EXPECT_TRUE(all_zero(memory, 300));
  fill(memory, 300);
  arena.give(memory);
  EXPECT_TRUE(all_zero(memory, 320));
  EXPECT_TRUE(all_zero(arena.take(300), 300));
}

TEST_F(ArenaTest, only_freed_memory_is_cleared) {
  void* const before = fill(arena.take(64), 64);
  void* const middle = fill(arena.take(128), 128);
  void* const after = fill(arena.take(64), 64);
  arena.give(middle);
  EXPECT_EQ(*static_cast<unsigned char*>(before), 0xab);
  EXPECT_EQ(*static_cast<unsigned char*>(after), 0xab);
}

TEST_F(ArenaTest, used_bytes_end_with_the_last_allocation) {
  const std::size_t empty = arena.used_bytes();
  EXPECT_GT(empty, 0U) << "the arena also has its own bookkeeping";
  void* const first = arena.take(64);
  void* const second = arena.take(640);
  EXPECT_EQ(arena.used_bytes(), empty + 704);
  arena.give(first);
  EXPECT_EQ(arena.used_bytes(), empty + 704) << "a gap in between counts";
  arena.give(second);
  EXPECT_EQ(arena.used_bytes(), empty);
}

TEST_F(ArenaTest, scopes_choose_the_arena_of_allocations_and_nest) {
  Arena& other = arenas[arenas.add()];
  {
    const ArenaScope outer(&arena);
    const auto mine = std::make_unique<int>(1);
    EXPECT_TRUE(lies_in(arena, mine.get()));
    {
      const ArenaScope inner(&other);
      EXPECT_TRUE(lies_in(other, std::make_unique<int>(2).get()));
      const ArenaScope heap(nullptr);
      const auto outside = std::make_unique<int>(3);
      EXPECT_FALSE(lies_in(arena, outside.get()) || lies_in(other, outside.get()));
    }
    EXPECT_TRUE(lies_in(arena, std::make_unique<int>(4).get()));
    explorer::select_arena(&other);
    EXPECT_TRUE(lies_in(other, std::make_unique<int>(5).get()));
  }
  EXPECT_FALSE(lies_in(arena, std::make_unique<int>(6).get()));
}

TEST_F(ArenaTest, memory_is_freed_to_its_own_arena_in_any_scope) {
  const std::size_t empty = arena.used_bytes();
  // Calls, not new-expressions: a compiler may omit those in pairs.
  void* in_arena = nullptr;
  {
    const ArenaScope scope(&arena);
    in_arena = ::operator new(sizeof(int));
  }
  EXPECT_GT(arena.used_bytes(), empty);
  ::operator delete(in_arena);
  EXPECT_EQ(arena.used_bytes(), empty);
  void* const outside = ::operator new(sizeof(int));
  const ArenaScope scope(&arena);
  ::operator delete(outside);
  EXPECT_EQ(arena.used_bytes(), empty);
}

TEST_F(ArenaTest, every_form_of_new_uses_arenas) {
  struct alignas(64) Wide {
    int value = 0;
  };
  const std::size_t empty = arena.used_bytes();
  const ArenaScope scope(&arena);
  auto* const array = new int[10];
  auto* const quiet = new (std::nothrow) int;
  auto* const wide = new Wide;
  auto* const wides = new Wide[2];
  for (const void* memory : std::initializer_list<const void*>{array, quiet, wide, wides})
    EXPECT_TRUE(lies_in(arena, memory));
  delete[] array;
  delete quiet;
  delete wide;
  delete[] wides;
  EXPECT_EQ(arena.used_bytes(), empty);
}

TEST(ArenasTest, are_fresh_each_time_and_at_the_same_address) {
  void* where = nullptr;
  for (int round = 0; round < 2; ++round) {
    Arenas arenas;
    Arena& arena = arenas[arenas.add()];
    void* const memory = arena.take(4'096);
    EXPECT_TRUE(all_zero(memory, 4'096));
    EXPECT_TRUE(where == nullptr || where == memory);
    where = std::memset(memory, 1, 4'096);  // never freed
  }
}

// ---- stores ----

TEST(BlobStoreTest, equal_contents_have_one_id) {
  BlobStore store;
  std::vector<std::uint64_t> words = {1, 2, 3, 4, 5};
  const BlobId first = store.intern(words);
  words[4] = 6;
  const BlobId second = store.intern(words);
  const BlobId shorter = store.intern(std::span(words).first(4));
  EXPECT_NE(first, second);
  EXPECT_NE(second, shorter);
  const std::vector<std::uint64_t> again = {1, 2, 3, 4, 5};
  EXPECT_EQ(store.intern(again), first);
  EXPECT_EQ(store.count(), 3U);
  EXPECT_TRUE(std::ranges::equal(store.words(first), again));
  EXPECT_EQ(store.words(shorter).size(), 4U);
}

TEST(BlobStoreTest, many_blobs_stay_apart_and_do_not_move) {
  constexpr std::uint64_t kMany = 20'000;
  BlobStore store;
  std::vector<std::uint64_t> words(64);
  const std::uint64_t* const place = store.words(store.intern(words)).data();
  for (std::uint64_t i = 1; i < kMany; ++i) {
    words[i % 64] = i;
    EXPECT_EQ(store.intern(words), i);
  }
  EXPECT_EQ(store.count(), kMany);
  EXPECT_EQ(store.intern(std::vector<std::uint64_t>(64)), 0U);
  EXPECT_EQ(store.words(0).data(), place);
  EXPECT_TRUE(std::ranges::equal(store.words(kMany - 1), words));
}

TEST(StateStoreTest, equal_rows_are_the_same_state) {
  StateStore store(3);
  for (BlobId i = 0; i < 10'000; ++i) {
    const std::vector<BlobId> row = {i % 7, i, 0};
    const auto [state, fresh] = store.intern(row);
    EXPECT_TRUE(fresh);
    EXPECT_EQ(state, i);
  }
  const std::vector<BlobId> known = {5'000 % 7, 5'000, 0};
  EXPECT_EQ(store.intern(known), std::pair(StateId{5'000}, false));
  EXPECT_TRUE(std::ranges::equal(store.row(5'000), known));
  EXPECT_EQ(store.count(), 10'000U);
}

// ---- snapshots ----

class SnapshotTest : public ArenaTest {
 protected:
  SnapshotTest() : other(arenas[arenas.add()]), snapshot(arenas, facts) {}
  static std::vector<std::byte> bytes_of(const Arena& arena) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&arena);
    return {begin, begin + Arena::kBytes};
  }
  std::vector<BlobId> interned() {
    std::vector<BlobId> row;
    snapshot.intern(row);
    return row;
  }

  Arena& other;
  explorer::SearchFacts facts;
  Snapshot snapshot;
};

TEST_F(SnapshotTest, a_state_is_restored_byte_by_byte) {
  fill(arena.take(5'000), 5'000);
  void* const gap = fill(other.take(100), 100);
  fill(other.take(100), 100);
  other.give(gap);
  const std::vector<BlobId> before = interned();
  const auto first = bytes_of(arena);
  const auto second = bytes_of(other);
  snapshot.load(before);

  fill(arena.take(9'000), 9'000);
  fill(other.take(50), 50);
  const std::vector<BlobId> after = interned();
  EXPECT_NE(before, after);
  snapshot.restore();
  EXPECT_EQ(bytes_of(arena), first);
  EXPECT_EQ(bytes_of(other), second);
  EXPECT_EQ(interned(), before);

  snapshot.load(after);
  EXPECT_EQ(interned(), after);
  snapshot.load(before);
  EXPECT_EQ(bytes_of(arena), first);
  EXPECT_EQ(bytes_of(other), second);
}

TEST_F(SnapshotTest, a_state_that_shrinks_and_grows_is_restored) {
  const std::vector<BlobId> empty = interned();
  const auto nothing = bytes_of(arena);
  snapshot.load(empty);
  void* const memory = fill(arena.take(20'000), 20'000);
  const std::vector<BlobId> full = interned();
  const auto much = bytes_of(arena);
  snapshot.load(full);
  arena.give(memory);
  EXPECT_EQ(interned(), empty);
  snapshot.restore();
  EXPECT_EQ(bytes_of(arena), much);
  snapshot.load(empty);
  EXPECT_EQ(bytes_of(arena), nothing);
}

TEST_F(SnapshotTest, equal_contents_have_equal_rows_after_any_history) {
  void* const one = fill(arena.take(64), 64);
  void* const two = fill(arena.take(640), 640);
  const std::vector<BlobId> before = interned();
  arena.give(two);
  arena.give(one);
  void* const passing = fill(arena.take(3'000), 3'000);
  EXPECT_NE(interned(), before);
  arena.give(passing);
  fill(arena.take(64), 64);
  fill(arena.take(640), 640);
  EXPECT_EQ(interned(), before);
}

TEST_F(SnapshotTest, arenas_that_did_not_change_keep_their_ids) {
  const std::vector<BlobId> before = interned();
  snapshot.load(before);
  fill(other.take(64), 64);
  const std::vector<BlobId> after = interned();
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NE(after[1], before[1]);
}

TEST_F(SnapshotTest, a_change_of_an_arena_that_was_not_touched_is_found_out) {
  auto* const mine = static_cast<std::byte*>(fill(arena.take(64), 64));
  auto* const others = static_cast<std::byte*>(fill(other.take(64), 64));
  const std::vector<BlobId> before = interned();
  snapshot.load(before);
  interned();
  *mine ^= std::byte{1};  // the first arena is always compared
  EXPECT_NE(interned(), before);
  EXPECT_FALSE(facts.strays());
  snapshot.restore();
  explorer::touch(explorer::arena_of(others));
  *others ^= std::byte{1};
  EXPECT_NE(interned(), before);
  EXPECT_FALSE(facts.strays());
  snapshot.restore();
  *others ^= std::byte{1};
  EXPECT_NE(interned(), before);
  EXPECT_TRUE(facts.strays());
  EXPECT_TRUE(facts.grew()) << "or the search is not run again";
}

}  // namespace
}  // namespace latchlab::explore
