// Masked atomics of 8, 16 and 32 bytes as raw WQEs.
#include "tests/soft_mlx5/rig.h"

namespace soft_mlx5_test {

namespace {

std::uint64_t swapped(std::uint64_t v) {
  return __builtin_bswap64(v);
}

class Masks : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  Masks() {
    QpWish wish;
    wish.depth = 8;
    a = rig.make_rc(wish);
    b = rig.make_rc(wish);
    rig.connect(a, b);
  }
  // The word of the reply, as a ConnectX delivers it.
  std::uint64_t answer(std::size_t word) const {
    const std::uint64_t got = rig.memory[word];
    return GetParam() == 8 ? got : swapped(got);
  }
  Masked op() const {
    Masked made;
    made.bytes = GetParam();
    made.remote = rig.at(64);
    made.local = 8;
    return made;
  }
  Rig rig;
  ibv_qp* a = nullptr;
  ibv_qp* b = nullptr;
};

TEST_P(Masks, compare_and_swap_changes_only_bits_of_its_masks) {
  Masked cas = op();
  const std::size_t words = cas.bytes / 8;
  for (std::size_t i = 0; i < words; ++i) {
    rig.memory[64 + i] = 0x1111'2222'3333'4444 + i;
    cas.swap[i] = 0xaaaa'bbbb'cccc'dddd;
    cas.swap_mask[i] = 0xffff'0000'0000'ffff;
    cas.compare[i] = 0x9999'2222'9999'9999;
    cas.compare_mask[i] = 0x0000'ffff'0000'0000;
  }
  ASSERT_EQ(post(rig, a, cas), 0);
  const Done done = rig.next();
  EXPECT_EQ(done.status, IBV_WC_SUCCESS);
  EXPECT_EQ(done.opcode, IBV_WC_DRIVER2);
  for (std::size_t i = 0; i < words; ++i) {
    EXPECT_EQ(answer(8 + i), 0x1111'2222'3333'4444 + i);
    EXPECT_EQ(rig.memory[64 + i], 0xaaaa'2222'3333'ddddU);
  }
}

TEST_P(Masks, a_difference_in_one_bit_of_one_word_makes_a_compare_fail) {
  Masked cas = op();
  const std::size_t last = cas.bytes / 8 - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    rig.memory[64 + i] = 7;
    cas.compare[i] = i == last ? 3 : 7;
    cas.compare_mask[i] = ~0ULL;
    cas.swap_mask[i] = ~0ULL;
    cas.swap[i] = 1;
  }
  ASSERT_EQ(post(rig, a, cas), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  for (std::size_t i = 0; i <= last; ++i) {
    EXPECT_EQ(rig.memory[64 + i], 7U);
    EXPECT_EQ(answer(8 + i), 7U);
  }
}

TEST_P(Masks, no_carry_leaves_a_field) {
  Masked faa = op();
  faa.compares = false;
  for (std::size_t i = 0; i < faa.bytes / 8; ++i) {
    rig.memory[64 + i] = 0x0000'0001'ffff'ffff;
    faa.swap[i] = 0xffff'ffff'0000'0001;
    faa.swap_mask[i] = 0x8000'0000'8000'0000;
  }
  ASSERT_EQ(post(rig, a, faa), 0);
  EXPECT_EQ(rig.next().status, IBV_WC_SUCCESS);
  for (std::size_t i = 0; i < faa.bytes / 8; ++i) {
    EXPECT_EQ(answer(8 + i), 0x0000'0001'ffff'ffffU);
    EXPECT_EQ(rig.memory[64 + i], 0U);
  }
}

TEST_P(Masks, a_full_ring_of_them_works_many_times) {
  Masked faa = op();
  faa.compares = false;
  for (auto& mask : faa.swap_mask) mask = 1ULL << 63;
  for (auto& add : faa.swap) add = 1;
  for (std::uint64_t i = 0; i < 50; ++i) {
    for (faa.id = 0; faa.id < 8; ++faa.id) ASSERT_EQ(post(rig, a, faa), 0);
    for (std::uint64_t j = 0; j < 8; ++j) EXPECT_EQ(rig.next().id, j);
  }
  for (std::size_t i = 0; i < faa.bytes / 8; ++i) EXPECT_EQ(rig.memory[64 + i], 400U);
}

INSTANTIATE_TEST_SUITE_P(Widths, Masks, ::testing::Values(8, 16, 32));

}  // namespace

}  // namespace soft_mlx5_test
