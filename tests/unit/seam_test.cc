// The parts of the seam that do not depend on a backend: sparse memory, capabilities, extents,
// functions without allocation.

#include <gtest/gtest.h>

#include "core/base/inline_function.h"
#include "core/protocols/lock.h"
#include "core/verbs/capabilities.h"
#include "core/verbs/sparse_memory.h"

namespace latchlab {
namespace {

TEST(SparseMemory, pages_get_their_image_when_first_accessed) {
  int filled = 0;
  SparseMemory memory(1ULL << 40, [&](std::uint64_t offset, std::span<std::uint64_t> page) {
    ++filled;
    for (std::size_t i = 0; i < page.size(); ++i) page[i] = offset + 8 * i;
  });
  const std::uint64_t last = (1ULL << 39) + SparseMemory::kPageBytes - 8;
  EXPECT_EQ(memory.word(last), last);
  memory.word(1ULL << 39) = 5;
  EXPECT_EQ(memory.word(1ULL << 39), 5U);
  EXPECT_EQ(filled, 1);
}

TEST(SparseMemory, grows_by_aligned_zeroed_blocks) {
  SparseMemory memory(100, nullptr);
  const std::uint64_t first = memory.grow(10);
  const std::uint64_t second = memory.grow(1 << 22);
  EXPECT_EQ(first, 128U);
  EXPECT_EQ(second, 192U);
  EXPECT_EQ(memory.word(second + (1 << 22) - 8), 0U);
}

TEST(SparseMemory, ranges_that_wrap_around_are_outside) {
  const SparseMemory memory(4096, nullptr);
  EXPECT_TRUE(memory.contains(4088, 8));
  EXPECT_FALSE(memory.contains(4088, 16));
  EXPECT_FALSE(memory.contains(4096, 0));
  EXPECT_FALSE(memory.contains(8, ~0ULL));
}

TEST(Capabilities, names_the_first_missing_one) {
  Capabilities can;
  can.set(Capability::calls, Support::native);
  can.set(Capability::evict, Support::emulated, "closing the connection");
  EXPECT_EQ(can.first_missing({Capability::calls, Capability::evict}), "");
  EXPECT_EQ(can.first_missing({Capability::calls, Capability::timing}),
            name_of(Capability::timing));
  EXPECT_EQ(can.how(Capability::evict), "closing the connection");
}

TEST(Capabilities, each_has_a_name_of_its_own) {
  for (int i = 0; i < kCapabilities; ++i)
    for (int j = 0; j < i; ++j)
      EXPECT_NE(name_of(static_cast<Capability>(i)), name_of(static_cast<Capability>(j)));
}

constexpr std::uint64_t kLast = ~0ULL;

bool overlap_either_way(const Extent& a, const Extent& b) {
  EXPECT_EQ(overlap(a, b), overlap(b, a));
  return overlap(a, b);
}

TEST(Extents, overlap_where_they_have_a_unit_in_common) {
  EXPECT_TRUE(overlap_either_way({4, 4}, {7, 1}));
  EXPECT_TRUE(overlap_either_way({4, 4}, {0, 100}));
  EXPECT_TRUE(overlap_either_way({4, 4}, {}));
  EXPECT_FALSE(overlap_either_way({4, 4}, {8, 1}));
  EXPECT_FALSE(overlap_either_way({4, 4}, {0, 4}));
  for (const Extent& other : {Extent{4, 4}, Extent{5, 0}, Extent{}})
    EXPECT_FALSE(overlap_either_way({5, 0}, other)) << "an extent without units";
}

// Ends beyond the largest number: a sum of 64 bits would wrap around to a small one.
TEST(Extents, at_the_largest_number_do_not_wrap_around) {
  EXPECT_TRUE(overlap_either_way({kLast - 3, 4}, {kLast, 1}));
  EXPECT_TRUE(overlap_either_way({kLast - 3, 4}, {kLast - 3, 1}));
  EXPECT_FALSE(overlap_either_way({kLast - 3, 4}, {kLast - 4, 1}));
  EXPECT_FALSE(overlap_either_way({kLast - 3, 4}, {0, 8}));
  EXPECT_TRUE(overlap_either_way({kLast - 3, 10}, {kLast - 1, 10}));
  EXPECT_FALSE(overlap_either_way({kLast - 3, 10}, {0, 8}));
}

TEST(Extents, are_valid_if_each_unit_has_a_number) {
  for (const Extent& extent : {Extent{}, Extent{0, 1}, Extent{kLast, 1}, Extent{kLast - 3, 4}})
    EXPECT_TRUE(extent.valid()) << extent.first << " " << extent.count;
  for (const Extent& extent : {Extent{0, 0}, Extent{7, 0}, Extent{kLast, 2}, Extent{kLast - 3, 5},
                               Extent{1, Extent::kWhole}})
    EXPECT_FALSE(extent.valid()) << extent.first << " " << extent.count;
}

TEST(InlineFunction, copies_carry_their_captures_and_know_whether_they_are_empty) {
  InlineFunction<int(int)> add;
  EXPECT_FALSE(add);
  int base = 38;
  base += 2;
  add = [base](int more) { return base + more; };
  const InlineFunction<int(int)> copy = add;
  EXPECT_EQ(copy(2), 42);
}

}  // namespace
}  // namespace latchlab
