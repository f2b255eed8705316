#include "core/base/fixed_math.h"

#include <bit>
#include <limits>

#include "core/base/check.h"

namespace latchlab {
namespace {

constexpr std::uint64_t kOneQ58 = 1ULL << 58;
constexpr std::uint64_t kOneQ63 = 1ULL << 63;

}  // namespace

// Squaring doubles the logarithm, so that each squaring of the mantissa in [1, 2) yields one bit.
std::uint64_t log2_q58(std::uint64_t x) {
  LATCHLAB_CHECK(x > 0, "logarithm of zero");
  const int leading_zeros = std::countl_zero(x);
  std::uint64_t mantissa_q63 = x << leading_zeros;
  std::uint64_t fraction_q58 = 0;
  for (int bit = 57; bit >= 0 && mantissa_q63 != kOneQ63; --bit) {
    const Wide square = static_cast<Wide>(mantissa_q63) * mantissa_q63;  // q126, in [1, 4)
    const unsigned carry = static_cast<unsigned>(square >> 127);
    fraction_q58 |= static_cast<std::uint64_t>(carry) << bit;
    mantissa_q63 = static_cast<std::uint64_t>(square >> (63 + carry));
  }
  return static_cast<std::uint64_t>(63 - leading_zeros) * kOneQ58 + fraction_q58;
}

// Horner's scheme for e^-x, x = fraction * ln 2 < 0.7. The first omitted term is below 2^-68.
std::uint64_t exp2_negative_q63(std::uint64_t fraction_q58) {
  constexpr std::uint64_t kTerms = 19;
  const auto x_q63 = static_cast<std::uint64_t>((static_cast<Wide>(fraction_q58) * kLn2Q64) >> 59);
  std::uint64_t value_q63 = kOneQ63;
  for (std::uint64_t n = kTerms; n > 0; --n) {
    const auto product_q63 =
        static_cast<std::uint64_t>((static_cast<Wide>(x_q63) * value_q63) >> 63);
    value_q63 = kOneQ63 - product_q63 / n;
  }
  return value_q63;
}

Wide scaled_exponent_q58(std::uint64_t log2_base_q58, std::uint64_t theta_ppb) {
  return static_cast<Wide>(log2_base_q58) * theta_ppb / 1'000'000'000U;
}

double exp2_negative(Wide exponent_q58) {
  const Wide whole = exponent_q58 >> 58;
  if (whole > 900) return 0;
  const auto fraction_q58 = static_cast<std::uint64_t>(exponent_q58) & (kOneQ58 - 1);
  // A double that is a power of two, built from its bits: the product is exact.
  const std::uint64_t biased = 1023 - 63 - static_cast<std::uint64_t>(whole);
  return static_cast<double>(exp2_negative_q63(fraction_q58)) * std::bit_cast<double>(biased << 52);
}

std::uint64_t exp2_negative_q64(Wide exponent_q58) {
  const Wide whole = exponent_q58 >> 58;
  if (whole > 64) return 0;
  const auto fraction_q58 = static_cast<std::uint64_t>(exponent_q58) & (kOneQ58 - 1);
  const Wide value_q64 =
      (static_cast<Wide>(exp2_negative_q63(fraction_q58)) << 1) >> static_cast<unsigned>(whole);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return value_q64 > kMax ? kMax : static_cast<std::uint64_t>(value_q64);
}

}  // namespace latchlab
