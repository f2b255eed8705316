#include "core/workload/power_law.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/fixed_math.h"

namespace latchlab {
namespace {

constexpr std::uint64_t kHeadRanks = 1ULL << 16;
constexpr std::uint64_t kBucketGrowth = 64;
constexpr std::uint64_t kWholePpb = 1'000'000'000;

// Exceeds the combined errors of two logarithms and a power.
constexpr std::uint64_t kMarginQ64 = 1ULL << 20;

// (first / rank)^theta in q64.
std::uint64_t keep_q64(std::uint64_t log2_first_q58, std::uint64_t rank, std::uint64_t theta_ppb) {
  const std::uint64_t log2_rank_q58 = log2_q58(rank);
  const std::uint64_t distance_q58 =
      log2_rank_q58 > log2_first_q58 ? log2_rank_q58 - log2_first_q58 : 0;
  return exp2_negative_q64(scaled_exponent_q58(distance_q58, theta_ppb));
}

}  // namespace

double power_weight(std::uint64_t rank, std::uint64_t theta_ppb) {
  return exp2_negative(scaled_exponent_q58(log2_q58(rank), theta_ppb));
}

// Euler-Maclaurin around the middle c of the range: the sum is the integral over [first - 1/2, last
// - 1/2] less f''/24 per rank. With x = half width / c <= 1/128 the integral of (1 + y)^-theta is a
// series in x^2; the first omitted term and the curvature of the correction are below 1e-13 for
// theta <= 3.
double power_sum(std::uint64_t first, std::uint64_t last, std::uint64_t theta_ppb) {
  LATCHLAB_CHECK(first >= kHeadRanks && first < last && last - first <= first / kBucketGrowth + 1,
                 "range of a power sum");
  const double theta = static_cast<double>(theta_ppb) / 1e9;
  const double ranks = static_cast<double>(last - first);
  const std::uint64_t twice_middle = first + last - 1;
  const double middle = static_cast<double>(twice_middle) / 2;
  const double x = ranks / 2 / middle;
  double term = 1;  // binomial(theta + n - 1, n) * x^n
  double series = 1;
  for (int n = 2; n <= 12; n += 2) {
    term = term * ((theta + n - 2) * (theta + n - 1) / (n * (n - 1))) * (x * x);
    series += term / (n + 1);
  }
  series -= theta * (theta + 1) / (24 * middle * middle);
  const std::uint64_t log2_middle_q58 = log2_q58(twice_middle) - (1ULL << 58);
  return ranks * exp2_negative(scaled_exponent_q58(log2_middle_q58, theta_ppb)) * series;
}

PowerLaw::PowerLaw(std::uint64_t count, std::uint64_t theta_ppb)
    : theta_ppb_(theta_ppb),
      head_(std::min(count, kHeadRanks)),
      buckets_(make_buckets(count, theta_ppb)),
      table_(make_weights(head_, buckets_, theta_ppb)) {}

std::vector<PowerLaw::Bucket> PowerLaw::make_buckets(std::uint64_t count, std::uint64_t theta_ppb) {
  LATCHLAB_CHECK(count >= 1 && count <= kMaxRanks && theta_ppb <= kMaxThetaPpb,
                 "range of a power law");
  std::vector<Bucket> buckets;
  for (std::uint64_t first = kHeadRanks + 1; first <= count;) {
    const std::uint64_t ranks = std::min(first / kBucketGrowth, count - first + 1);
    const std::uint64_t log2_first_q58 = log2_q58(first);
    const std::uint64_t least_q64 = keep_q64(log2_first_q58, first + ranks - 1, theta_ppb);
    buckets.push_back(
        {first, ranks, log2_first_q58, least_q64 > kMarginQ64 ? least_q64 - kMarginQ64 : 0});
    first += ranks;
  }
  return buckets;
}

std::vector<double> PowerLaw::make_weights(std::uint64_t head, const std::vector<Bucket>& buckets,
                                           std::uint64_t theta_ppb) {
  std::vector<double> weights;
  weights.reserve(head + buckets.size());
  for (std::uint64_t rank = 1; rank <= head; ++rank)
    weights.push_back(power_weight(rank, theta_ppb));
  for (const Bucket& bucket : buckets)
    weights.push_back(power_sum(bucket.first, bucket.first + bucket.ranks, theta_ppb));
  return weights;
}

std::uint64_t PowerLaw::draw(Rng& rng) const {
  const std::size_t item = table_.draw(rng);
  return item < head_ ? item + 1 : draw_in(buckets_[item - head_], rng);
}

std::uint64_t PowerLaw::draw_in(const Bucket& bucket, Rng& rng) const {
  while (true) {
    const std::uint64_t rank = bucket.first + rng.below(bucket.ranks);
    const std::uint64_t chance_q64 = rng.next();
    if (chance_q64 < bucket.sure_q64) return rank;
    if (chance_q64 < keep_q64(bucket.log2_first_q58, rank, theta_ppb_)) return rank;
  }
}

ContinuousPowerLaw::ContinuousPowerLaw(std::uint64_t count, std::uint64_t alpha_ppb)
    : count_(count), exponent_ppb_(alpha_ppb - kWholePpb) {
  LATCHLAB_CHECK(
      count >= 1 && count <= kMaxRanks && alpha_ppb > kWholePpb && alpha_ppb <= kMaxThetaPpb,
      "range of a continuous power law");
  // Less 2^-64 if the last power is 0.
  range_q64_ = ~exp2_negative_q64(scaled_exponent_q58(log2_q58(count), exponent_ppb_));
}

// With v = 1 - u * range, x = v^(-1 / (alpha - 1)): log2 x = -log2 v / (alpha - 1), at most
// log2(count).
std::uint64_t ContinuousPowerLaw::draw(Rng& rng) const {
  constexpr std::uint64_t kWholeQ58 = 1ULL << 58;
  const auto below_q64 = static_cast<std::uint64_t>((Wide{rng.next()} * range_q64_) >> 64);
  if (below_q64 == 0) return 1;
  const Wide negative_log2_q58 = Wide{64} * kWholeQ58 - log2_q58(0 - below_q64);
  const Wide log2_q58_of_x = negative_log2_q58 * kWholePpb / exponent_ppb_;
  const Wide most_q58 = Wide{63} * kWholeQ58;
  if (log2_q58_of_x >= most_q58) return std::max<std::uint64_t>(count_ - 1, 1);
  const std::uint64_t rank = exp2_negative_q64(most_q58 - log2_q58_of_x) >> 1;
  return std::clamp<std::uint64_t>(rank, 1, std::max<std::uint64_t>(count_ - 1, 1));
}

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
