#pragma once
// How far counts differ from the expected ones (Pearson's chi-square).

#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace latchlab {

// `shares` may be in any scale.
inline double chi_square_of(const std::vector<double>& seen, const std::vector<double>& shares) {
  const double scale = std::accumulate(seen.begin(), seen.end(), 0.0) /
                       std::accumulate(shares.begin(), shares.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double expected = shares[i] * scale, off = seen[i] - expected;
    sum += off * off / expected;
  }
  return sum;
}

// The limit that chi-square stays below in 9,999 of 10,000 cases if only chance separates counts
// and shares: quantiles of the distribution with `cells` - 1 degrees of freedom.
inline double chi_square_limit(std::size_t cells) {
  static constexpr std::array<double, 31> kQuantiles = {
      15.14, 18.42, 21.11, 23.51, 25.74, 27.86, 29.88, 31.83, 33.72, 35.56, 37.37,
      39.13, 40.87, 42.58, 44.26, 45.92, 47.57, 49.19, 50.80, 52.39, 53.96, 55.52,
      57.07, 58.61, 60.14, 61.66, 63.16, 64.66, 66.15, 67.63, 69.11};
  return kQuantiles.at(cells - 2);
}

}  // namespace latchlab
