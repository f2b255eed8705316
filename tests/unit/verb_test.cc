// Effects of atomics on memory as plain functions, checked against bit-by-bit and field-by-field
// versions.

#include "core/verbs/verb.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/verbs/tally.h"
#include "core/verbs/verbs.h"

namespace latchlab {
namespace {

constexpr RemoteAddr kAnywhere{NodeId{1}, 0};

// One bit at a time; no carry leaves a boundary bit.
std::uint64_t add_bit_by_bit(std::uint64_t a, std::uint64_t b, std::uint64_t boundary) {
  std::uint64_t sum = 0;
  unsigned carry = 0;
  for (unsigned i = 0; i < 64; ++i) {
    const auto bits = static_cast<unsigned>((a >> i & 1) + (b >> i & 1)) + carry;
    sum |= static_cast<std::uint64_t>(bits & 1) << i;
    carry = (boundary >> i & 1) != 0 ? 0 : bits >> 1;
  }
  return sum;
}

TEST(Verb, fields_are_added_like_bit_by_bit) {
  Rng rng(11);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t a = rng.next();
    const std::uint64_t b = rng.next();
    const std::uint64_t boundary = rng.next() & rng.next() & (i % 2 == 0 ? rng.next() : ~0ULL);
    ASSERT_EQ(add_in_fields(a, b, boundary), add_bit_by_bit(a, b, boundary));
  }
}

TEST(Verb, extreme_boundaries_give_plain_sums_and_exclusive_ors) {
  EXPECT_EQ(add_in_fields(~0ULL, 5, 0), 4U);
  EXPECT_EQ(add_in_fields(0b1100, 0b1010, ~0ULL), 0b0110U);
}

TEST(Verb, masked_compare_swap_matches_on_masked_bits_only) {
  const Verb verb = masked_cas_verb(kAnywhere, 16, Words{0x0f, 0}, Words{0xff, 0},
                                    Words{0xaa, 0xbb}, Words{0xf0, 0xff});
  EXPECT_TRUE(matched(verb, Words{0x330f, 77}));
  EXPECT_FALSE(matched(verb, Words{0x330e, 77}));
  EXPECT_EQ(after_atomic(verb, Words{0x330f, 0x7700}), (Words{0x33af, 0x77bb}));
  EXPECT_EQ(after_atomic(verb, Words{0x330e, 0x7700}), (Words{0x330e, 0x7700}));
}

TEST(Verb, eight_byte_operations_ignore_the_high_word) {
  const Verb verb = masked_cas_verb(kAnywhere, 8, Words{1, 5}, kAllOnes, Words{2, 6}, kAllOnes);
  EXPECT_TRUE(matched(verb, Words{1, 0}));
  const Verb cas = cas_verb(kAnywhere, 1, 2);
  EXPECT_EQ(after_atomic(cas, Words{1, 9}), (Words{2, 9}));
}

TEST(Verb, addresses_survive_packing) {
  const RemoteAddr addr{NodeId{65535}, kMaxOffset - 8};
  EXPECT_EQ(RemoteAddr::unpack(addr.packed()), addr);
  const EndpointAddr endpoint{NodeId{65535}, (1U << 24) - 1};
  EXPECT_EQ(EndpointAddr::unpack(endpoint.packed()), endpoint);
  EXPECT_TRUE(EndpointAddr{}.null());
}

TEST(Tally, the_difference_of_two_tallies_counts_the_verbs_in_between) {
  VerbTally tally;
  tally.count(read_verb(kAnywhere, 8));
  const VerbTally before = tally;
  tally.count(read_verb(kAnywhere, 16));
  tally.count(read_verb(kAnywhere, 4096));
  tally.count(faa_verb(kAnywhere, 1));
  ++tally.sends;
  VerbTally between = tally;
  between -= before;
  EXPECT_EQ(between.reads(), 2U);
  EXPECT_EQ(between.atomics(), 1U);
  EXPECT_EQ(between.one_sided(), 3U);
  EXPECT_EQ(between.sends, 1U);
  EXPECT_EQ(between.verbs[0][1], 1U);
  EXPECT_EQ(between.verbs[0][2], 1U);
}

}  // namespace
}  // namespace latchlab
