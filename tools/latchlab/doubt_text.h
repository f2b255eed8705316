#pragma once
// Why a point's numbers are not compared with others', in words.

#include <string>

#include "core/study/study.h"

namespace latchlab::tool {

// Goodput of the two halves of the windows, of all repeats together.
struct Halves {
  double first = 0, second = 0;
};
Halves halves_of(const PointOutcome& point);

// "CAS-B has not settled after 50 ms (265.9 k/s in the first half of its window, 614.1 k/s in the
// second)". `lock` names the point, which is in doubt.
std::string doubt_text(const std::string& lock, const PointOutcome& point);

}  // namespace latchlab::tool
