#pragma once
// Compares a metric of two points, with a confidence interval.

#include <optional>
#include <string>
#include <vector>

#include "core/run/study.h"

namespace latchlab {

inline constexpr const char* kGoodput = "goodput_ops_s";
inline constexpr double kWorthNaming = 1.01;  // a ratio closer to 1 counts as no difference

struct Comparison {
  double a = 0, b = 0;              // means over the repeats
  double ratio = 0;                 // of a to b; 0 if b is 0
  std::optional<double> low, high;  // 95% interval of the ratio; absent if unknown
  bool paired = false;              // repeat by repeat, with equal seeds
  bool few = false;  // too few repeats to know how much seeds differ: ahead is 0 unless clear
  // 1: a is greater; -1: b is greater; 0: undecided, because the lead does not exceed chance, the
  // ratio is within kWorthNaming, or chance is not known well enough.
  int ahead = 0;
};

// `metric` is the path of a number in results.json. Returns no value if one of the points did not
// measure it.
//
// Repeats are paired if both points have equally many and their seeds agree one by one. The
// interval is Student's, from three repeats or more; if unpaired, Welch's with the smaller number
// of degrees of freedom. With fewer repeats, the interval of goodput comes from the batches of the
// windows. That interval covers variation within a run but not between seeds, so a point is then
// ahead only if its lead exceeds what single batches differ by. Any other metric is undecided with
// fewer repeats.
std::optional<Comparison> compare(const PointOutcome& a, const PointOutcome& b,
                                  const std::string& metric);

}  // namespace latchlab
