#pragma once
// Which of two points has more of something, and how sure that is.

#include <optional>
#include <string>
#include <vector>

#include "core/study/study.h"

namespace latchlab {

inline constexpr double kWorthNaming = 1.01;  // a ratio nearer to 1 is no difference

struct Comparison {
  double a = 0, b = 0;              // means over the repeats
  double ratio = 0;                 // of a over b; 0 where b is 0
  std::optional<double> low, high;  // the 95% interval of the ratio; none where chance is unknown
  bool paired = false;              // repeat by repeat, of equal seeds
  // 1: a is greater; -1: b is; 0: nobody knows, for the interval contains 1 or the ratio is within
  // kWorthNaming of it.
  int ahead = 0;
};

// `metric`: a path of results.json that is a number. None where it was not measured in one of the
// two. Repeats are paired where both points have as many and their seeds agree one by one; the
// interval is Student's, of three repeats or more, unpaired after Welch with the fewer degrees of
// freedom.
std::optional<Comparison> compare(const PointOutcome& a, const PointOutcome& b,
                                  const std::string& metric);

// The metric in each repeat that has it.
std::vector<double> values_of(const PointOutcome& point, const std::string& metric);

}  // namespace latchlab
