// sherman's and sherman_nh's 16-bit locks, four in 8 bytes: whether they stay independent, and what
// that costs.

#include "core/protocols/sherman/client.h"
#include "tests/protocols/sherman/chains.h"

namespace latchlab::sherman_tests {
namespace {

constexpr const char* kBoth[] = {"sherman", "sherman_nh"};

// Six locks: a full word, and half of the next one.
RunSetup six(const char* lock, std::uint32_t nodes, std::uint32_t clients, ParamValues more = {}) {
  RunSetup setup = neighbours(lock, nodes, clients, packed(std::move(more)));
  setup.locks = 6;
  return setup;
}

TEST(sherman, keeps_locks_of_one_word_apart) {
  for (const char* lock : kBoth)
    for (const bool posted : {false, true}) {
      testing::expect_sound(six(lock, 2, 3, {{"unlock_posted", posted}}), 200);
      testing::expect_sound(six(lock, 6, 1, {{"unlock_posted", posted}}), 100);
    }
}

TEST(sherman, holds_several_locks_of_one_word_at_once) {
  for (const char* lock : kBoth) expect_sound_with_several_held(six(lock, 2, 2));
}

TEST(sherman, looks_free_after_all_releases_while_other_locks_of_its_word_are_held) {
  for (const char* lock : kBoth) testing::expect_free_when_all_have_gone(six(lock, 3, 2));
}

TEST(sherman, puts_four_packed_locks_into_a_word) {
  const ProtocolEntry& entry = *find_protocol("sherman");
  const auto lock = entry.make(entry.info.resolve("packed"));
  WorldShape shape;
  shape.locks.count = 9;
  for (const std::uint64_t apart : {0U, 8U, 64U}) {
    shape.locks.stride_bytes = apart;
    const World world(*lock, shape);
    for (std::uint64_t i = 0; i < 9; ++i)
      EXPECT_EQ(world.lock(LockId{i}).entry.offset, kLockTableOffset + (apart ? apart : 2) * i);
  }
}

TEST(sherman, has_131072_packed_locks_in_256_kib) {
  const ProtocolEntry& entry = *find_protocol("sherman");
  const auto lock = entry.make(entry.info.resolve("packed"));
  WorldShape shape;
  shape.locks.count = 131'072;
  shape.locks.device_memory = true;
  const World world(*lock, shape);
  EXPECT_EQ(world.plan().nodes.front().device_bytes - kLockTableOffset, 256U * 1024);
}

// As many verbs as for a lock with a word of its own, and an atomic in place of the WRITE.
TEST(sherman, takes_two_atomics_for_a_free_pair_of_a_packed_lock) {
  for (const char* lock : kBoth) {
    const Outcome outcome = testing::run(six(lock, 1, 1), 1);
    EXPECT_EQ(outcome.acquired, 6U);
    EXPECT_EQ(outcome.tally.atomics(), 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
  }
}

// A CAS fails only because of its own lock: here each client has a lock for itself.
TEST(sherman, does_not_retry_because_of_other_locks_in_its_word) {
  RunSetup setup = neighbours("sherman_nh", 4, 1, packed());
  setup.locks = 4;
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    section.wants.push_back(Want{world.lock(LockId{client.value})});
    section.work.hold = nanoseconds(20);
    return count < 3;
  };
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = testing::run(setup, seed);
    ASSERT_EQ(outcome.acquired, 12U) << "seed " << seed;
    ASSERT_EQ(outcome.tally.one_sided(), 24U) << "seed " << seed;
  }
}

// The node with the highest number has all of the 16 bits set.
TEST(sherman, leaves_other_locks_of_its_word_alone_for_every_node_number) {
  using sherman::UnlockBy;
  for (const std::uint64_t lane : {0U, 1U, 2U, 3U}) {
    const sherman::Word lock(sherman::Width::bits16, {NodeId{1}, 4096 + 2 * lane});
    for (const std::uint16_t node : {1, 2, 0x7fff, 0x8000, 0xffff}) {
      const std::uint64_t others = 0x8000'0001'ffff'7ffeULL & ~(0xffffULL << 16 * lane);
      const Verb take = lock.take(NodeId{node});
      const Verb free = lock.free(NodeId{node}, UnlockBy::faa);
      EXPECT_EQ(take.addr.offset, 4096U);
      const Words taken = after_atomic(take, {others, 0});
      EXPECT_EQ(taken.lo, others | std::uint64_t{node} << 16 * lane);
      EXPECT_EQ(lock.owner(taken.lo), node);
      EXPECT_FALSE(matched(lock.take(NodeId{7}), taken));
      EXPECT_EQ(after_atomic(free, taken).lo, others);
    }
  }
}

TEST(sherman, refuses_packed_locks_that_are_released_by_write_or_have_64_bits) {
  for (const char* name : kBoth) {
    const ProtocolInfo& info = find_protocol(name)->info;
    ParamSet params = info.resolve(info.profiles.front().name);
    params.set("packed", true);
    EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("needs unlock_by: faa"));
    params.set("unlock_by", text("faa"));
    EXPECT_EQ(info.contradiction(params), "");
    EXPECT_EQ(info.entry_bytes, 8U);
    EXPECT_EQ(info.entry_bytes_of(params), 2U);
    params.set("lock_width", text("64bit"));
    EXPECT_THAT(info.contradiction(params), ::testing::HasSubstr("is for lock_width: 16bit"));
  }
}

}  // namespace
}  // namespace latchlab::sherman_tests
