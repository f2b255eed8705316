#pragma once
// The statistics that results use. Plain IEEE arithmetic in a fixed order, so that equal input
// gives byte-identical output on every machine. No measurement in, none out.

#include <cstdint>
#include <optional>
#include <span>

namespace latchlab {

std::optional<double> mean(std::span<const double> values);

// Half the width of the 95% confidence interval of the mean (Student's t); none below three values.
std::optional<double> half_width_95(std::span<const double> values);

// The standard error of the mean; none below three values.
std::optional<double> standard_error(std::span<const double> values);

// Half the width of that of the difference of two means (Welch, with the fewer degrees of freedom).
std::optional<double> half_width_95(std::span<const double> a, std::span<const double> b);

// Within one unit in the last place, the same bits everywhere; 0 unless x is positive.
double square_root(double x);

// The 97.5% quantile of Student's t, to better than 1e-5; degrees >= 1.
double student_t_975(std::size_t degrees);

// Jain's fairness index (sum x)^2 / (n * sum x^2): 1 when all are equal, 1/n when one has all. None
// if there are no counts, or all are 0.
std::optional<double> jain_index(std::span<const std::uint64_t> counts);

// log2(x) to within 2^-46, the same bits everywhere; none unless x is positive, finite and normal.
std::optional<double> log2_of(double x);

// part / whole; none when the whole is zero.
std::optional<double> ratio(std::uint64_t part, std::uint64_t whole);

}  // namespace latchlab
