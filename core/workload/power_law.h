#pragma once
// Ranks 1..count with P(k) = k^-theta / H exactly as defined (H is the sum of k^-theta), for any
// theta from 0 to 20, in constant expected time and memory that does not grow with count.
//
// The first 2^16 ranks have an entry each in an alias table. The ranks beyond form buckets whose
// bounds grow by 1/64; each bucket's mass is one more entry. Inside a bucket a rank is drawn
// uniformly and kept with probability (first / rank)^theta: a comparison of 64-bit integers that a
// precomputed bound nearly always decides.
//
// Precision: P(k) is off by at most a relative 1e-10 for theta <= 4 and 1e-9 up to 20, or an
// absolute 2^-63 / min(count, 2^16) where that is more. No libm, no floating-point contraction: the
// tables have the same bits on every machine.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace latchlab {

// Draws item i with a fixed probability in constant time (Walker's alias method, built after Vose):
// as many cells as items, each cell shared by at most two items. Draws use integers only.
class AliasTable {
 public:
  // Weights are non-negative with a positive sum, in any scale; at most 2^17 of them. Each
  // probability has a relative error of at most 2^-51 (or an absolute one of 2^-63 of a cell),
  // except that the largest one absorbs the rounding errors of all others, less than 2^-50 in sum.
  explicit AliasTable(const std::vector<double>& weights);

  std::size_t draw(Rng& rng) const {
    const std::uint64_t index = rng.below(cells_.size());
    const Cell& cell = cells_[index];
    return (rng.next() >> 1) < cell.own_q63 ? index : cell.other;
  }

  // The probability of every item according to the cells.
  std::vector<double> probabilities() const;

 private:
  struct Cell {
    std::uint64_t own_q63 = 0;  // share of the cell that belongs to its own item
    std::uint32_t other = 0;    // the item to which the rest belongs
  };
  std::vector<Cell> cells_;
};

// Sum with compensation of the rounding error (Neumaier), so that 2^16 terms lose no digits.
double compensated_sum(const std::vector<double>& terms);

inline constexpr std::uint64_t kMaxRanks = 1ULL << 48;
inline constexpr std::uint64_t kMaxThetaPpb = 20'000'000'000ULL;

// k^-theta for k >= 1.
double power_weight(std::uint64_t rank, std::uint64_t theta_ppb);

// Sum of k^-theta over first <= k < last, for 2^16 <= first < last <= first * (1 + 1/64) + 1.
double power_sum(std::uint64_t first, std::uint64_t last, std::uint64_t theta_ppb);

class PowerLaw {
 public:
  // 1 <= count <= kMaxRanks, theta <= kMaxThetaPpb.
  PowerLaw(std::uint64_t count, std::uint64_t theta_ppb);

  std::uint64_t draw(Rng& rng) const;  // a rank, from 1

  // The weights of the alias table: ranks 1..head, then the buckets in order.
  std::uint64_t head() const { return head_; }
  const AliasTable& table() const { return table_; }

 private:
  struct Bucket {
    std::uint64_t first = 0;
    std::uint64_t ranks = 0;
    std::uint64_t log2_first_q58 = 0;
    std::uint64_t sure_q64 = 0;  // below it, every rank of the bucket is kept
  };
  static std::vector<Bucket> make_buckets(std::uint64_t count, std::uint64_t theta_ppb);
  static std::vector<double> make_weights(std::uint64_t head, const std::vector<Bucket>& buckets,
                                          std::uint64_t theta_ppb);
  std::uint64_t draw_in(const Bucket& bucket, Rng& rng) const;

  std::uint64_t theta_ppb_;
  std::uint64_t head_;
  std::vector<Bucket> buckets_;
  AliasTable table_;
};

// A continuous variable on [1, count) with density proportional to x^-alpha, rounded down: P(k) is
// proportional to k^(1-alpha) - (k+1)^(1-alpha) for k < count, and 0 for the last rank. This is
// what the code of DSLR's authors draws (github.com/dongyoungy/rdma_2pc, 152a2a7,
// src/new_proto4/powerlaw_lock_simulator.cc), by its inverse: floor((1 + u (count^(1-alpha) -
// 1))^(1/(1-alpha))) for u uniform in [0, 1).
//
// Precision: u has 64 bits, and the borders between ranks are off by at most a relative 1e-15 /
// (alpha - 1). Integers only, so the same bits on every machine.
class ContinuousPowerLaw {
 public:
  // 1 <= count <= kMaxRanks, 1 < alpha <= kMaxThetaPpb.
  ContinuousPowerLaw(std::uint64_t count, std::uint64_t alpha_ppb);

  std::uint64_t draw(Rng& rng) const;  // a rank, from 1

 private:
  std::uint64_t count_;
  std::uint64_t exponent_ppb_;  // alpha - 1
  std::uint64_t range_q64_;     // 1 - count^(1-alpha)
};

}  // namespace latchlab
