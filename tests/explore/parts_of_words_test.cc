// Lock entries that are smaller than a word, in the memory that a world lays out for them.

#include <gtest/gtest.h>

#include "backends/explorer/explorer_backend.h"
#include "core/world/world.h"

namespace latchlab {
namespace {

// Each entry has an initial image of its own.
class Narrow final : public Protocol {
 public:
  explicit Narrow(std::uint64_t bytes) : bytes_(bytes) {}
  Layout layout(const Shape& /*shape*/) const override {
    return {.entry_bytes = bytes_, .entry_align = bytes_};
  }
  std::unique_ptr<LockClient> make_client(const ClientEnv& /*env*/) const override {
    return nullptr;
  }
  void initial_image(RemoteAddr entry, std::uint64_t first_word,
                     std::span<std::uint64_t> words) const override {
    EXPECT_EQ(first_word, 0U);
    ASSERT_EQ(words.size(), 1U);
    words[0] = image(entry);
  }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }

  std::uint64_t image(RemoteAddr entry) const {
    return (entry.offset * 0x9e37'79b9'7f4a'7c15) >> (64 - 8 * bytes_);
  }

 private:
  std::uint64_t bytes_;
};

// More than a page of entries of any size; the last word is half full.
constexpr std::uint64_t kLocks = 301;

struct Table {
  explicit Table(std::uint64_t bytes, std::uint64_t apart)
      : protocol(bytes), world(protocol, shape(apart)), memory(make_explorer(world.plan(), {})) {
    world.attach(*memory);
  }
  static WorldShape shape(std::uint64_t apart) {
    WorldShape shape;
    shape.locks.count = kLocks;
    shape.locks.stride_bytes = apart;
    return shape;
  }
  RemoteAddr entry(std::uint64_t lock) const { return world.lock(LockId{lock}).entry; }
  std::uint64_t word(std::uint64_t lock) {
    return memory->peek({NodeId{1}, entry(lock).offset & ~7ULL});
  }

  const Narrow protocol;
  World world;
  std::unique_ptr<Backend> memory;
};

class PartsOfWords : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(bytes, PartsOfWords, ::testing::Values(1, 2, 4),
                         ::testing::PrintToStringParamName());

TEST_P(PartsOfWords, lie_side_by_side_or_at_the_given_stride) {
  for (const std::uint64_t apart : {0U, 8U, 64U}) {
    const Table table(GetParam(), apart);
    for (std::uint64_t i = 0; i < kLocks; ++i)
      EXPECT_EQ(table.entry(i).offset, kLockTableOffset + i * (apart == 0 ? GetParam() : apart));
  }
}

TEST_P(PartsOfWords, begin_with_their_images_beside_those_of_other_locks) {
  for (const std::uint64_t apart : {0U, 8U, 64U}) {
    Table table(GetParam(), apart);
    for (std::uint64_t i = 0; i < kLocks; ++i) {
      const std::vector<std::uint64_t> seen = table.world.entry(LockId{i}, *table.memory);
      EXPECT_EQ(seen, std::vector{table.protocol.image(table.entry(i))}) << i;
      EXPECT_TRUE(table.protocol.is_free(table.entry(i), seen));
    }
  }
}

TEST_P(PartsOfWords, are_bytes_of_the_word_and_bytes_behind_the_last_entry_are_zero) {
  Table table(GetParam(), 0);
  std::uint64_t expected = 0;
  const std::uint64_t in_a_word = 8 / GetParam();
  for (std::uint64_t i = kLocks / in_a_word * in_a_word; i < kLocks; ++i)
    expected |= table.protocol.image(table.entry(i)) << 8 * (i % in_a_word * GetParam());
  EXPECT_EQ(table.word(kLocks - 1), expected);
}

TEST_P(PartsOfWords, belong_to_the_lock_with_the_whole_word_and_nothing_more) {
  for (const std::uint64_t apart : {0U, 8U, 64U}) {
    const Table table(GetParam(), apart);
    for (const std::uint64_t lock : {std::uint64_t{0}, std::uint64_t{9}, kLocks - 1}) {
      const RemoteAddr word{NodeId{1}, table.entry(lock).offset & ~7ULL};
      EXPECT_TRUE(table.world.belongs(word, 8));
      EXPECT_FALSE(table.world.belongs(word, 16));
      EXPECT_EQ(table.world.belongs(word + 8, 8), apart < 64 && lock != kLocks - 1);
    }
  }
}

TEST(WholeWords, are_not_parts) {
  const Narrow wide(8);
  WorldShape shape;
  shape.locks.count = 3;
  const World world(wide, shape);
  EXPECT_EQ(world.lock(LockId{2}).entry.offset, kLockTableOffset + 16);
  EXPECT_TRUE(world.belongs(world.lock(LockId{2}).entry, 8));
  EXPECT_FALSE(world.belongs(world.lock(LockId{2}).entry + 8, 8));
}

}  // namespace
}  // namespace latchlab
