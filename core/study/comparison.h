#pragma once
// Compares a metric of two points, with a confidence interval.

#include <optional>
#include <string>
#include <vector>

#include "core/study/study.h"

namespace latchlab {

inline constexpr const char* kGoodput = "goodput_ops_s";
inline constexpr double kWorthNaming = 1.01;  // a ratio closer to 1 counts as no difference

struct Comparison {
  double a = 0, b = 0;              // means over the repeats
  double ratio = 0;                 // of a to b; 0 if b is 0
  std::optional<double> low, high;  // 95% interval of the ratio; absent if unknown
  bool paired = false;              // repeat by repeat, with equal seeds
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

inline constexpr double kClientBound = 0.98;  // of the core time of the clients
// The same for a client thread on hardware, which sometimes also has to poll.
inline constexpr double kWorkerBound = 0.9;

inline constexpr double kMostCut = 0.001;  // of all cycles

// Fraction of the point's cycles whose section was cut at the end of its grant.
double share_cut(const Leaves& metrics);

// Why the numbers of a point that ran should not be compared with those of other points.
enum class Doubt : std::uint8_t {
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
Doubt doubt_of(const PointOutcome& point);
// The same, ignoring emulation.
Doubt doubt_beside_emulation(const PointOutcome& point);

// The metric's value in each repeat that has one.
std::vector<double> values_of(const PointOutcome& point, const std::string& metric);

}  // namespace latchlab
