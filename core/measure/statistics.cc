#include "core/measure/statistics.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/check.h"
#include "core/base/fixed_math.h"
#include "core/base/random.h"

namespace latchlab {
namespace {

constexpr std::array<double, 30> kStudentT975 = {
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
    2.262157,  2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
    2.109816,  2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
    2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272};

}  // namespace

std::optional<double> mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Beyond the table: the normal quantile and the first three terms of its Cornish-Fisher expansion
// in 1 / degrees.
double student_t_975(std::size_t degrees) {
  LATCHLAB_CHECK(degrees >= 1, "Student's t without a degree of freedom");
  if (degrees <= kStudentT975.size()) return kStudentT975[degrees - 1];
  const double inverse = 1.0 / static_cast<double>(degrees);
  return 1.959964 + inverse * (2.372271 + inverse * (2.822504 + inverse * 2.555849));
}

// Newton's iteration with the four operations of IEEE 754, from a guess that halves the exponent.
double square_root(double x) {
  if (!(x > 0)) return 0;
  double root = std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) >> 1) + (511ULL << 52));
  for (int i = 0; i < 6; ++i) root = (root + x / root) / 2;
  return root;
}

std::optional<double> standard_error(std::span<const double> values) {
  if (values.size() < 3) return std::nullopt;
  // Relative to the first value, so that equal values give 0, however their mean is rounded.
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value - values[0];
  const double centre = sum / count;
  double squares = 0;
  for (const double value : values) {
    const double off = value - values[0] - centre;
    squares += off * off;
  }
  return square_root(squares / (count - 1) / count);
}

std::optional<double> half_width_95(std::span<const double> values) {
  const auto error = standard_error(values);
  if (!error) return std::nullopt;
  return student_t_975(values.size() - 1) * *error;
}

std::optional<double> half_width_95(std::span<const double> a, std::span<const double> b) {
  const auto of_a = standard_error(a), of_b = standard_error(b);
  if (!of_a || !of_b) return std::nullopt;
  return student_t_975(std::min(a.size(), b.size()) - 1) *
         square_root(*of_a * *of_a + *of_b * *of_b);
}

std::optional<double> jain_index(std::span<const std::uint64_t> counts) {
  Wide sum = 0;
  Wide squares = 0;
  for (const std::uint64_t count : counts) {
    sum += count;
    squares += static_cast<Wide>(count) * count;
  }
  if (sum == 0) return std::nullopt;
  const auto total = static_cast<double>(sum);
  return total * total / (static_cast<double>(counts.size()) * static_cast<double>(squares));
}

// The exponent of a double gives the integer part, its 53-bit mantissa the rest.
std::optional<double> log2_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t biased = bits >> 52;  // the sign on top: a negative number is above 2047
  if (biased == 0 || biased >= 2047) return std::nullopt;
  const std::uint64_t mantissa = (bits & ((1ULL << 52) - 1)) | (1ULL << 52);
  const std::uint64_t fraction_q58 = log2_q58(mantissa) - (52ULL << 58);
  return static_cast<double>(biased) - 1023 +
         static_cast<double>(fraction_q58) / static_cast<double>(1ULL << 58);
}

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace latchlab
