#pragma once
// The verdict on a point in a few words.

#include <string>

#include "core/run/study.h"

namespace latchlab {

// "ok", or a list such as "starved, not settled" of:
// - "starved"
// - "emulated": does not measure an RNIC
// - "client-bound": the clients' own cores or threads are saturated
// - "unchecked": mutual exclusion was not checked
// - "not settled"
// - "cut sections": grants ended before the work of many sections was done
// - "expired holds": a lock was granted while a client with an expired grant still used it
// - "late effects"
//
// or one of "window too short", "UNSAFE", "DEADLOCK", "NO PROGRESS", "UNAVAILABLE", "FAILED" and
// "interrupted".
std::string verdict(const PointOutcome& outcome);

// The verdict, if it excludes the point from the lines of figures; else empty. "ok", "unchecked",
// "expired holds" and "late effects" do not exclude it.
std::string why_apart(const PointOutcome& outcome);

}  // namespace latchlab
