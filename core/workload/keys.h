#pragma once
// Draws the lock that a client requests next. A chooser is made once, never changes, and is shared
// by all clients of a process; each client has its own random stream (StreamPurpose::keys).
//
//   uniform    every lock with the same probability
//   zipf       P(rank k) = k^-theta / H, exact for every theta in [0, 20] (power_law.h)
//   power_law  the same law by the name and range of DSLR A.4: alpha in (1, 20]; or, with `form:
//              continuous`, a continuous variable rounded down, as in the code of DSLR's authors
//   hotspot    hot_accesses of the draws fall on the first hot_locks of the locks
//
// Rank 1 is lock 0 and the next locks are the next hottest, unless `scramble` spreads the ranks by
// a permutation that depends on the seed only. The same spec, count, seed and stream give the same
// locks on every compiler and CPU.

#include <bit>
#include <cstdint>
#include <memory>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// A seeded bijection on [0, count) without a table: four rounds of a Feistel network over the
// smallest power of two that holds count, walked along its cycle until the value is in range.
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

class KeyChooser {
 public:
  // 1 <= lock_count <= 2^48. Takes about 20 ms for a skewed distribution.
  static Result<std::unique_ptr<const KeyChooser>> make(const DistributionSpec& spec,
                                                        std::uint64_t lock_count,
                                                        std::uint64_t seed);
  virtual ~KeyChooser() = default;

  virtual std::uint64_t next(Rng& rng) const = 0;      // in [0, lock_count)
  virtual std::uint64_t hottest() const { return 0; }  // most popular; the first of equal ones
};

}  // namespace latchlab
