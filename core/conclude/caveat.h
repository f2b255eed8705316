#pragma once
// Why the numbers of a point are excluded from comparisons, as a value and as a sentence.

#include <cstdint>
#include <string>

#include "core/run/study.h"

namespace latchlab {

inline constexpr double kClientBound = 0.98;  // of the core time of the clients
// The same for a client thread on hardware, which sometimes also has to poll.
inline constexpr double kWorkerBound = 0.9;

inline constexpr double kMostCut = 0.001;  // of all cycles

// Fraction of the point's cycles whose section was cut at the end of its grant.
double share_cut(const Leaves& metrics);

// Why the numbers of a point that ran should not be compared with those of other points.
enum class Caveat : std::uint8_t {
  none,
  cut,           // more than kMostCut of the sections did not finish their work
  nothing_done,  // no cycle ended in the window
  emulated,      // the numbers do not describe an RNIC
  overloaded,    // open loop: the queues grow
  unsettled,     // no steady state in the window; clients may also starve
  starved,       // some clients acquired no lock during the window
  client_bound,  // the clients' shared cores, or one of their threads, are saturated
  unchecked,     // mutual exclusion was not checked
};
Caveat caveat_of(const PointOutcome& point);
// The same, ignoring emulation.
Caveat caveat_beside_emulation(const PointOutcome& point);

// Goodput in the first and second halves of the windows, over all repeats, in operations/s.
struct Halves {
  double first = 0, second = 0;
};
Halves halves_of(const PointOutcome& point);

// "CAS-B has not settled after a warm-up of 50 ms (265.9 k/s in the first half of its window, 614.1
// k/s in the second)". `lock` names the point. Precondition: the point has a caveat.
std::string caveat_text(const std::string& lock, const PointOutcome& point);

}  // namespace latchlab
