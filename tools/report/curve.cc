#include "tools/report/curve.h"

namespace latchlab::tool {

namespace {

// The sampled shares, in parts per million.
std::vector<std::int64_t> sampled_shares() {
  std::vector<std::int64_t> shares;
  for (std::int64_t percent = 0; percent < 99; ++percent) shares.push_back(percent * 10'000);
  for (std::int64_t from = 990'000, step = 1'000; step > 0; step /= 10, from += 9 * step * 10)
    for (std::int64_t i = 0; i < 9; ++i) shares.push_back(from + i * step);
  shares.push_back(1'000'000);
  return shares;
}

}  // namespace

std::vector<std::pair<double, std::int64_t>> curve_of(const Histogram& histogram) {
  std::vector<std::pair<double, std::int64_t>> curve;
  if (histogram.count() == 0) return curve;
  for (const std::int64_t ppm : sampled_shares()) {
    const double ns = static_cast<double>(histogram.percentile(ppm)->ps) / 1e3;
    if (!curve.empty() && curve.back().first == ns)
      curve.back().second = ppm;
    else
      curve.emplace_back(ns, ppm);
  }
  return curve;
}

}  // namespace latchlab::tool
