#pragma once
// Estimates constants from measurements: one linear fit of all equations, a few whole numbers for
// which no equation is linear, and the constants that the data leave open.
//
//   minimise  sum_i ((measured_i - sum_j factor_ij constant_j) / sigma_i)^2
//
// sigma_i is the standard error of the mean of a measurement's repeats, combined with its
// resolution. Few repeats give a poor variance, so it is shrunk towards the median variance of all
// measurements. If equations contradict each other beyond their sigmas, all equations that share
// constants with them get larger sigmas (multiplied by the root of their reduced chi^2, if that is
// above 1).
//
// Intervals hold with 95 % for all constants of a fit together (Bonferroni, Student's t): in 19 of
// 20 fits every constant lies within its interval. A constant is set if a benchmark that determines
// it has run, no direction that the equations leave open moves it, and its interval is no wider
// than +-10 %. All other constants are left open, with the reason. A fit whose reduced chi^2
// exceeds kWorstChi2 or is not a number is refused: the measurements do not describe one NIC of
// this model.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/nic.h"
#include "models/measured/equations.h"

namespace latchlab {

inline constexpr double kWidest = 0.10;  // half-width of an interval, relative
inline constexpr double kConfidence = 0.95;
inline constexpr std::size_t kLeastRepeats = 3;
// Lower bound of the relative error of a measurement's mean, even if its repeats are equal (in a
// simulation they may be equal to the digit): half of a histogram's rounding.
inline constexpr double kLeastSigma = 0.0003;
// Reduced chi^2 at which the model is off by kWidest although nothing scatters.
inline constexpr double kWorstChi2 = (kWidest / kLeastSigma) * (kWidest / kLeastSigma);

struct FoundConstant {
  std::string key;                      // dotted, of a NIC's description, or kEventCompletion
  double value = 0, low = 0, high = 0;  // nanoseconds, bit/s, bytes, counts; for a curve, its end
  std::vector<RatePoint> curve;
  std::vector<std::string> by;  // benchmarks, the most important first
};
struct OpenConstant {
  std::string key;
  std::string why;
};
struct Residual {
  std::string name;
  std::string benchmark;
  double measured = 0, predicted = 0, sigma = 0;  // ns
  // Not fitted; `predicted` is 0 if its constants are open.
  bool compared = false;
};

struct Estimate {
  std::vector<FoundConstant> found;               // in the order of a NIC's description
  std::vector<OpenConstant> open;                 // the other constants
  std::optional<FoundConstant> event_completion;  // kEventCompletion
  std::vector<Residual> residuals;
  // Measurements without an equation, with the reason, and why event_completion is open.
  std::vector<std::string> unused;
  double reduced_chi2 = 0;
  std::size_t repeats = 0;  // the smallest number of repeats of a measurement

  const FoundConstant* find(const std::string& key) const;
};

// Error: nothing could be fitted, or the fit is so bad that its constants are meaningless.
// `packets`: a NIC with the link.overhead and link.mtu of the measured one.
Result<Estimate> estimate(const Measurements& measurements, const NicModel& packets);

// ---- parts ----

// The number of standard errors of a two-sided interval that excludes `outside`, for the given
// degrees of freedom (at least 4; accurate to 1 %).
double student_interval(double outside, double degrees);

struct Mean {
  double value = 0;
  double relative_variance = 0;  // of a single repeat
  std::size_t repeats = 0;
};
Mean mean_of(const std::vector<double>& values);
// Standard error of a mean; never zero.
double sigma_of_mean(double relative_variance, double value, double resolution);

// The fitted constants, and whether the equations determine them. Rows are those of `equations`.
struct LinearFit {
  struct Column {
    std::string key;
    double value = 0, sigma = 0;
    bool determined = false;
    std::vector<double> influence;  // by row: share of the constant's variance
  };
  std::vector<Column> columns;
  std::vector<double> predicted, sigma;  // by row
  double reduced_chi2 = 0;
  double degrees = 0;  // of freedom, for the interval
};
LinearFit fit_equations(const std::vector<Equation>& equations);

// Estimates whole numbers and curves: atomic.slots, atomic.window, atomic.masked, qp.outstanding,
// qp.cache, link.overhead. `mtu`: link.mtu, in bytes.
void find_counts(const Measurements& measurements, std::int64_t mtu, double errors,
                 Estimate& estimate);

}  // namespace latchlab
