#pragma once
// What to think of a point, in a word or two.

#include <string>

#include "core/study/study.h"

namespace latchlab {

// "ok", "not settled", "client-bound" (the clients' own cores are busy all the time), "unchecked"
// (nobody watched mutual exclusion), "starved", the last two also as "starved, not settled";
// "UNSAFE", "DEADLOCK", "NO PROGRESS", "UNAVAILABLE", "FAILED", "interrupted".
std::string verdict(const PointOutcome& outcome);

}  // namespace latchlab
