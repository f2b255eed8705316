#pragma once
// Draws item i with a fixed probability in constant time (Walker's alias method, built after Vose):
// as many cells as items, each cell shared by at most two items. Draws use integers only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace latchlab {

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

}  // namespace latchlab
