#pragma once
// The reason why a point's numbers are excluded from comparisons, as a sentence.

#include <string>

#include "core/study/study.h"

namespace latchlab::tool {

// Goodput in the first and second halves of the windows, over all repeats, in operations/s.
struct Halves {
  double first = 0, second = 0;
};
Halves halves_of(const PointOutcome& point);

// "CAS-B has not settled after 50 ms (265.9 k/s in the first half of its window, 614.1 k/s in the
// second)". `lock` names the point. Precondition: the point is in doubt.
std::string doubt_text(const std::string& lock, const PointOutcome& point);

}  // namespace latchlab::tool
