#pragma once
// Constants from measurements: one linear fit of all equations, a few whole numbers that no
// equation is linear in, and what the data leave open.
//
//   minimise  sum_i ((measured_i - sum_j factor_ij constant_j) / sigma_i)^2
//
// sigma_i is that of the mean of a measurement's repeats, with its resolution; the scatter of so
// few repeats is helped out by that of all measurements. Where equations contradict each other by
// more than that, the sigmas of all that hang together with them grow until they do not (by the
// root of their reduced chi^2, if that is above 1).
//
// An interval is one of 95 % for all constants of a fit together (Bonferroni, Student's t): in 19
// of 20 fits every constant lies within its own. A constant is set if a benchmark that is there for
// it has run, no direction of the constants that the equations leave open moves it, and its
// interval is no wider than +-10 %. All others are left open, and it is said why. A fit whose
// reduced chi^2 is beyond kWorstChi2, or no number, is refused: the measurements are not those of
// one NIC as the model has it.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/nic.h"
#include "models/measured/equations.h"

namespace latchlab {

inline constexpr double kWidest = 0.10;  // half of an interval, relative
inline constexpr double kConfidence = 0.95;
inline constexpr std::size_t kLeastRepeats = 3;
// No mean of a measurement is known better than this, relative, however equal its repeats are (in
// a simulation they may be equal to the digit): half of what a histogram rounds.
inline constexpr double kLeastSigma = 0.0003;
// Reduced: what the model gives is off by kWidest even where nothing scatters.
inline constexpr double kWorstChi2 = (kWidest / kLeastSigma) * (kWidest / kLeastSigma);

struct FoundConstant {
  std::string key;                      // dotted, of a NIC's description
  double value = 0, low = 0, high = 0;  // nanoseconds, bit/s, bytes, counts; of a curve: its end
  std::vector<RatePoint> curve;
  std::vector<std::string> by;  // names of benchmarks, the most important first
};
struct OpenConstant {
  std::string key;
  std::string why;
};
struct Residual {
  std::string name;
  std::string benchmark;
  double measured = 0, predicted = 0, sigma = 0;  // ns
  // Nothing was fitted to it; `predicted` is 0 where the constants that it takes are open.
  bool compared = false;
};

struct Estimate {
  std::vector<FoundConstant> found;  // in the order of a NIC's description
  std::vector<OpenConstant> open;    // the rest of it
  std::vector<Residual> residuals;
  std::vector<std::string> unused;  // measurements without an equation, and why
  double reduced_chi2 = 0;
  std::size_t repeats = 0;  // the fewest of a measurement

  const FoundConstant* find(const std::string& key) const;
};

// An error: nothing that could be fitted, or a fit so bad that its constants mean nothing.
Result<Estimate> estimate(const Measurements& measurements);

// ---- parts of it ----

// So many standard errors are a two-sided interval of 1 - `outside`, with so many degrees of
// freedom (4 at least; to 1 %).
double student_interval(double outside, double degrees);

struct Mean {
  double value = 0;
  double relative_variance = 0;  // of one repeat
  std::size_t repeats = 0;
};
Mean mean_of(const std::vector<double>& values);
// One sigma of a mean; never zero.
double sigma_of_mean(double relative_variance, double value, double resolution);

// The fitted constants, and those whose equations leave them open; `rows` as in `equations`.
struct LinearFit {
  struct Column {
    std::string key;
    double value = 0, sigma = 0;
    bool determined = false;
    std::vector<double> influence;  // by row: share of its variance
  };
  std::vector<Column> columns;
  std::vector<double> predicted, sigma;  // by row
  double reduced_chi2 = 0;
  double degrees = 0;  // for the interval
};
LinearFit fit_equations(const std::vector<Equation>& equations);

// Whole numbers and curves: atomic.slots, atomic.window, atomic.masked, qp.outstanding, qp.cache.
void find_counts(const Measurements& measurements, double errors, Estimate& estimate);

}  // namespace latchlab
