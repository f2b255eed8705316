#pragma once
// Logarithms and powers with the same bits on every compiler and CPU: only integers, and at the end
// one correctly rounded conversion to double. Binary fixed point: q58 is a number times 2^58, q63
// times 2^63.

#include <cstdint>

#include "core/base/random.h"

namespace latchlab {

inline constexpr std::uint64_t kLn2Q64 = 0xb17217f7d1cf79abULL;  // ln 2 * 2^64, rounded down

// log2(x) in q58, x >= 1; absolute error below 2^-55.
std::uint64_t log2_q58(std::uint64_t x);

// 2^-fraction in q63 for a fraction in [0, 1) given in q58; error below 2^-61.
std::uint64_t exp2_negative_q63(std::uint64_t fraction_q58);

// base^-theta for given log2(base) and theta (parts per billion): first the exponent of two in q58,
// then its power as a double (0 below 2^-900) or as a 64-bit fraction (1 becomes 2^64 - 1).
// Relative error below (theta + 1) * 2^-52 and, for the fraction, 2^-64 absolute.
Wide scaled_exponent_q58(std::uint64_t log2_base_q58, std::uint64_t theta_ppb);
double exp2_negative(Wide exponent_q58);
std::uint64_t exp2_negative_q64(Wide exponent_q58);

}  // namespace latchlab
