#include "core/workload/alias_table.h"

#include <algorithm>

#include "core/base/check.h"

namespace latchlab {
namespace {

constexpr Wide kCellQ63 = static_cast<Wide>(1) << 63;
constexpr double kTwoTo110 = 0x1p110;

double magnitude(double x) {
  return x < 0 ? -x : x;
}

// Probabilities as integers whose sum is exactly one full cell per item. The rounding error is
// added to the largest, where it has the least relative effect.
std::vector<Wide> integer_shares(const std::vector<double>& weights) {
  const double sum = compensated_sum(weights);
  LATCHLAB_CHECK(sum > 0, "weights without a sum");
  const std::size_t count = weights.size();
  std::vector<Wide> shares(count);
  Wide total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Wide probability_q110 = static_cast<Wide>(weights[i] / sum * kTwoTo110);
    shares[i] = (probability_q110 * count) >> 47;
    total += shares[i];
  }
  const auto largest = std::max_element(shares.begin(), shares.end());
  *largest += kCellQ63 * count - total;  // modulo 2^128, so that the difference may be negative
  return shares;
}

}  // namespace

double compensated_sum(const std::vector<double>& terms) {
  double sum = 0;
  double lost = 0;
  for (const double term : terms) {
    const double next = sum + term;
    lost += magnitude(sum) >= magnitude(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  return sum + lost;
}

AliasTable::AliasTable(const std::vector<double>& weights) : cells_(weights.size()) {
  LATCHLAB_CHECK(!weights.empty() && weights.size() <= (1U << 17), "alias table size");
  std::vector<Wide> shares = integer_shares(weights);
  std::vector<std::uint32_t> poor;
  std::vector<std::uint32_t> rich;
  for (std::uint32_t i = 0; i < shares.size(); ++i)
    (shares[i] < kCellQ63 ? poor : rich).push_back(i);
  // A poor item has less than its cell; a rich item fills the rest, until it is poor itself.
  while (!poor.empty()) {
    const std::uint32_t receiver = poor.back();
    poor.pop_back();
    LATCHLAB_CHECK(!rich.empty(), "alias shares do not add up");
    const std::uint32_t giver = rich.back();
    cells_[receiver] = {static_cast<std::uint64_t>(shares[receiver]), giver};
    shares[giver] -= kCellQ63 - shares[receiver];
    if (shares[giver] < kCellQ63) {
      rich.pop_back();
      poor.push_back(giver);
    }
  }
  for (const std::uint32_t full : rich) cells_[full] = {static_cast<std::uint64_t>(kCellQ63), full};
}

std::vector<double> AliasTable::probabilities() const {
  std::vector<Wide> shares(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    shares[i] += cells_[i].own_q63;
    shares[cells_[i].other] += kCellQ63 - cells_[i].own_q63;
  }
  std::vector<double> result;
  const double whole = static_cast<double>(kCellQ63) * static_cast<double>(cells_.size());
  for (const Wide share : shares) result.push_back(static_cast<double>(share) / whole);
  return result;
}

}  // namespace latchlab
