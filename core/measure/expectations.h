#pragma once
// Compares published figures with measured ones: a verdict for each figure, and a score for each
// profile.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/leaves.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// The metrics of one point. `point` is empty if there is nothing to compare: the point failed, was
// interrupted, or was stopped before its end.
struct PointNumbers {
  Leaves point;
  // In the order of their seeds, which are equal at every point; one point may have more of them.
  std::vector<Leaves> repeats;
};

enum class FigureVerdict : std::uint8_t {
  ok,         // within tolerance; the order holds
  off,        // beyond tolerance; the order is another
  undecided,  // not measured, or an order whose differences do not exceed their intervals
  disputed,   // the figure contradicts other published ones, whatever was measured
};
const char* name_of(FigureVerdict verdict);

// One comparison of an order, in the metric's unit. Positive: the point that should be better is
// better. Paired by seed if both points have equally many repeats, otherwise Welch's interval.
struct Difference {
  std::size_t better = 0, worse = 0;  // points
  std::optional<double> mean, ci95;
};

struct Scored {
  FigureVerdict verdict = FigureVerdict::undecided;
  std::optional<double> predicted, ci95;
  std::optional<double> ratio;          // predicted / published
  std::optional<double> log2_error;     // of that ratio; none when either value is 0
  std::vector<Difference> differences;  // for an order only
};

// `points` are those to which the expectations were bound.
std::vector<Scored> score(const std::vector<Expectation>& expectations,
                          const std::vector<PointNumbers>& points);

// The figures that are not disputed, over one profile and use.
struct Score {
  std::string profile;
  ExpectUse use = ExpectUse::validation;
  std::size_t cells = 0;  // ok + off + undecided
  std::size_t ok = 0, off = 0, undecided = 0;
  std::size_t disputed = 0;      // not among the cells
  std::optional<double> within;  // ok / cells
  // Over measured values and ratios. One that has no logarithm counts as 0 if it is within
  // tolerance, and as infinite if not; an infinite median is none.
  std::optional<double> median_abs_log2;
};

// In the order in which profiles and uses first appear.
std::vector<Score> sum_up(const std::vector<Expectation>& expectations,
                          const std::vector<Scored>& scored);

// True if the run fails for it: a calibration or regression that is off, with `strict` a validation
// too.
bool is_missed(const Expectation& expectation, const Scored& scored, bool strict);

}  // namespace latchlab
