#pragma once
// What to think of a point, in a word or two.

#include <string>

#include "core/study/study.h"

namespace latchlab {

// "ok", or some of "starved", "emulated" (no measure of an RNIC), "client-bound" (the clients' own
// cores or threads are busy all the time), "unchecked" (mutual exclusion was not watched), "not
// settled", "cut sections" (grants ended before the work of many sections was done), "expired
// holds" (a lock was granted while a client with an expired grant still used it) and "late
// effects", as "starved, not settled"; "window too short"; "UNSAFE", "DEADLOCK", "NO PROGRESS",
// "UNAVAILABLE", "FAILED", "interrupted".
std::string verdict(const PointOutcome& outcome);

// The verdict, if it keeps the point off the lines of figures; else empty. Not "ok", and not what
// says nothing against its numbers: "unchecked", "expired holds" and "late effects".
std::string why_apart(const PointOutcome& outcome);

}  // namespace latchlab
