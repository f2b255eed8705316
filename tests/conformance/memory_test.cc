// What memory guarantees when several actors access it concurrently, and what it does not.

#include <map>

#include "tests/conformance/conformance.h"
#include "tests/non_empty.h"

namespace latchlab::conformance {
namespace {

class Memory : public Conformance {};
LATCHLAB_EVERY_BACKEND(Memory);

constexpr int kRounds = 20;

struct Swap {
  std::uint64_t before;
  std::uint64_t after;
};

Task<void> swap_often(Verbs& verbs, std::vector<Swap>& won) {
  std::uint64_t expected = 0;
  for (std::uint64_t i = 1; i <= kRounds; ++i) {
    const std::uint64_t mine = (verbs.client().value + 1) * 1000 + i;
    const Completion seen = co_await verbs.compare_swap(kWord, expected, mine);
    if (seen.value.lo == expected) won.push_back({expected, mine});
    expected = seen.value.lo == expected ? mine : seen.value.lo;
  }
}

TEST_P(Memory, each_value_of_a_compare_swap_chain_has_one_winner) {
  std::vector<Swap> won;
  for (int i = 0; i < 4; ++i) {
    Verbs& client = add_client(i % 2 == 0 ? kHere : kThere);
    spawn(client, swap_often(client, won));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  std::map<std::uint64_t, std::uint64_t> next;
  for (const Swap& swap : non_empty(won))
    EXPECT_TRUE(next.emplace(swap.before, swap.after).second) << swap.before << " was won twice";
  std::uint64_t value = 0;
  for (std::size_t steps = 0; steps < won.size(); ++steps) {
    ASSERT_TRUE(next.contains(value)) << "no client won " << value;
    value = next[value];
  }
  EXPECT_EQ(value, world().peek(kWord));
}

Task<void> add_often(Verbs& verbs) {
  for (int i = 0; i < kRounds; ++i) co_await verbs.fetch_add(kWord, 1);
}

TEST_P(Memory, no_fetch_add_is_lost) {
  for (int i = 0; i < 4; ++i) {
    Verbs& client = add_client(i % 2 == 0 ? kHere : kThere);
    spawn(client, add_often(client));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().peek(kWord), 4U * kRounds);
}

Task<void> add_wide(Verbs& verbs) {
  for (int i = 0; i < kRounds; ++i)
    co_await verbs.masked_fetch_add(kWord, 16, Words{1, 1}, Words{});
}

TEST_P(Memory, atomics_of_both_widths_are_atomic_among_themselves) {
  LATCHLAB_NEEDS(Capability::masked_atomics_16);
  LATCHLAB_NEEDS(Capability::mixed_width_atomic);
  for (int i = 0; i < 2; ++i) {
    Verbs& narrow = add_client(kHere);
    Verbs& wide = add_client(kThere);
    spawn(narrow, add_often(narrow));
    spawn(wide, add_wide(wide));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().peek(kWord), 4U * kRounds);
  EXPECT_EQ(world().peek(kWord + 8), 2U * kRounds);
}

TEST_P(Memory, wide_atomics_take_both_words_at_once) {
  LATCHLAB_NEEDS(Capability::masked_atomics_16);
  for (int i = 0; i < 3; ++i) {
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (int round = 0; round < kRounds; ++round) {
        const Completion before = co_await verbs.masked_fetch_add(kWord, 16, Words{1, 1}, Words{});
        EXPECT_EQ(before.value.lo, before.value.hi);
      }
    }(client));
  }
  EXPECT_EQ(run(), RunEnd::finished);
}

Task<void> write_twins(Verbs& verbs) {
  for (std::uint64_t i = 1; i <= kRounds; ++i) {
    const std::uint64_t twin = i << 32 | i;
    co_await verbs.write(kWord, Words{twin, twin});
  }
}

TEST_P(Memory, eight_bytes_are_never_torn) {
  Verbs& writer = add_client();
  Verbs& reader = add_client(kThere);
  spawn(writer, write_twins(writer));
  spawn(reader, [](Verbs& verbs) -> Task<void> {
    for (int i = 0; i < kRounds; ++i) {
      const Completion seen = co_await verbs.read(kWord, 16);
      EXPECT_EQ(seen.value.lo >> 32, seen.value.lo & 0xffffffff);
      EXPECT_EQ(seen.value.hi >> 32, seen.value.hi & 0xffffffff);
    }
  }(reader));
  EXPECT_EQ(run(), RunEnd::finished);
}

constexpr RemoteAddr own_line(std::uint64_t index) {
  return {kHere, 64 * index};
}

TEST_P(Memory, cpu_accesses_return_the_old_value_and_change_memory) {
  LATCHLAB_NEEDS(Capability::local_words);
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const RemoteAddr word = own_line(1);
    co_await verbs.store(word, 5);
    const std::uint64_t exchanged = co_await verbs.exchange(word, 6);
    EXPECT_EQ(exchanged, 5U);
    const std::uint64_t missed = co_await verbs.cpu_compare_swap(word, 5, 9);
    EXPECT_EQ(missed, 6U);
    const std::uint64_t hit = co_await verbs.cpu_compare_swap(word, 6, 7);
    EXPECT_EQ(hit, 6U);
    const std::uint64_t added = co_await verbs.cpu_fetch_add(word, 10);
    EXPECT_EQ(added, 7U);
    const std::uint64_t loaded = co_await verbs.load(word);
    EXPECT_EQ(loaded, 17U);
  }(client));
}

Task<void> store_then_look(Verbs& verbs, std::uint64_t mine, std::uint64_t other,
                           std::vector<std::uint64_t>& seen) {
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    co_await verbs.store(own_line(2 * round + mine), 1);
    seen.push_back(co_await verbs.load(own_line(2 * round + other)));
  }
}

// The store-buffer test: with anything weaker than sequential consistency both may read 0.
TEST_P(Memory, cpu_accesses_are_sequentially_consistent) {
  LATCHLAB_NEEDS(Capability::local_words);
  std::vector<std::uint64_t> left;
  std::vector<std::uint64_t> right;
  Verbs& one = add_client();
  Verbs& two = add_client();
  spawn(one, store_then_look(one, 0, 1, left));
  spawn(two, store_then_look(two, 1, 0, right));
  EXPECT_EQ(run(), RunEnd::finished);
  ASSERT_FALSE(left.empty());
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_TRUE(left[i] == 1 || right[i] == 1);
}

TEST_P(Memory, cpu_atomics_are_atomic_among_themselves) {
  LATCHLAB_NEEDS(Capability::local_words);
  for (int i = 0; i < 3; ++i) {
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (int round = 0; round < kRounds; ++round) co_await verbs.cpu_fetch_add(own_line(3), 1);
    }(client));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().peek(own_line(3)), 3U * kRounds);
}

TEST_P(Memory, cpu_store_concurrent_with_an_atomic_wins_loses_or_precedes_it) {
  LATCHLAB_NEEDS(Capability::local_words);
  Verbs& near = add_client(kHere);
  Verbs& far = add_client(kThere);
  spawn(near, [](Verbs& verbs) -> Task<void> {
    for (std::uint64_t i = 0; i < kRounds; ++i) co_await verbs.store(own_line(i), 100);
  }(near));
  spawn(far, [](Verbs& verbs) -> Task<void> {
    for (std::uint64_t i = 0; i < kRounds; ++i) co_await verbs.fetch_add(own_line(i), 1);
  }(far));
  EXPECT_EQ(run(), RunEnd::finished);
  const bool exact = has(Capability::atomic_with_writes);
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    const std::uint64_t left = world().peek(own_line(i));
    EXPECT_TRUE(left == 100 || left == 101 || (left == 1 && !exact)) << left;
  }
}

TEST_P(Memory, failing_compare_swap_never_undoes_a_store) {
  LATCHLAB_NEEDS(Capability::local_words);
  Verbs& near = add_client(kHere);
  Verbs& far = add_client(kThere);
  spawn(near, [](Verbs& verbs) -> Task<void> {
    for (std::uint64_t i = 1; i <= 4 * kRounds; ++i) {
      co_await verbs.store(own_line(5), i);
      const std::uint64_t seen = co_await verbs.load(own_line(5));
      EXPECT_EQ(seen, i);
    }
  }(near));
  spawn(far, [](Verbs& verbs) -> Task<void> {
    for (int i = 0; i < kRounds; ++i) co_await verbs.compare_swap(own_line(5), ~0ULL, 0);
  }(far));
  EXPECT_EQ(run(), RunEnd::finished);
}

}  // namespace
}  // namespace latchlab::conformance
