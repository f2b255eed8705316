#pragma once
// What to think of a point, in a word or two.

#include <string>

#include "core/study/study.h"

namespace latchlab {

// "ok", or some of "starved", "emulated" (no measure of an RNIC), "client-bound" (the clients' own
// cores or threads are busy all the time), "unchecked" (nobody watched mutual exclusion) and "not
// settled", as "starved, not settled"; "window too short"; "UNSAFE", "DEADLOCK", "NO PROGRESS",
// "UNAVAILABLE", "FAILED", "interrupted".
std::string verdict(const PointOutcome& outcome);

}  // namespace latchlab
