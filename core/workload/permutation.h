#pragma once
// A seeded bijection on [0, count) without a table: four rounds of a Feistel network over the
// smallest power of two that holds count, walked along its cycle until the value is in range.

#include <bit>
#include <cstdint>

#include "core/base/random.h"

namespace latchlab {

class Permutation {
 public:
  Permutation(std::uint64_t count, std::uint64_t seed)  // count in [1, 2^63]
      : count_(count),
        seed_(seed),
        low_bits_((bits_for(count) + 1) / 2),
        high_bits_(bits_for(count) / 2) {}

  // value < count. At most two steps on average: the power of two is below 2 * count.
  std::uint64_t operator()(std::uint64_t value) const {
    do value = scramble(value);
    while (value >= count_);
    return value;
  }

 private:
  static constexpr int bits_for(std::uint64_t count) {
    return count <= 1 ? 0 : static_cast<int>(std::bit_width(count - 1));
  }
  static constexpr std::uint64_t mask(int bits) { return (1ULL << bits) - 1; }

  std::uint64_t scramble(std::uint64_t value) const {
    std::uint64_t low = value & mask(low_bits_);
    std::uint64_t high = value >> low_bits_;
    for (std::uint64_t round = 0; round < 4; round += 2) {
      high ^= hash_of(seed_, round, low) & mask(high_bits_);
      low ^= hash_of(seed_, round + 1, high) & mask(low_bits_);
    }
    return (high << low_bits_) | low;
  }

  std::uint64_t count_;
  std::uint64_t seed_;
  int low_bits_;
  int high_bits_;
};

}  // namespace latchlab
