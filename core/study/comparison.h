#pragma once
// Which of two points has more of something, and how sure that is.

#include <optional>
#include <string>
#include <vector>

#include "core/study/study.h"

namespace latchlab {

inline constexpr const char* kGoodput = "goodput_ops_s";
inline constexpr double kWorthNaming = 1.01;  // a ratio nearer to 1 is no difference

struct Comparison {
  double a = 0, b = 0;              // means over the repeats
  double ratio = 0;                 // of a over b; 0 where b is 0
  std::optional<double> low, high;  // the 95% interval of the ratio; none where chance is unknown
  bool paired = false;              // repeat by repeat, of equal seeds
  // 1: a is greater; -1: b is; 0: undecided, for the interval contains 1, the ratio is within
  // kWorthNaming of it, or chance is not known well enough.
  int ahead = 0;
};

// `metric`: a path of results.json that is a number. None where it was not measured in one of the
// two. Repeats are paired where both points have as many and their seeds agree one by one; the
// interval is Student's, of three repeats or more, unpaired after Welch with the fewer degrees of
// freedom. Of fewer repeats the goodput's is that of the parts of their windows, which knows chance
// within a run, and not what another seed would do: then one is ahead only if the lead is beyond
// what single parts differ by. Of fewer repeats any other metric is undecided.
std::optional<Comparison> compare(const PointOutcome& a, const PointOutcome& b,
                                  const std::string& metric);

inline constexpr double kClientBound = 0.98;  // of the time of the clients' cores
// Of the time of a thread of clients on hardware, which has to look for more now and then, too.
inline constexpr double kWorkerBound = 0.9;

inline constexpr double kMostCut = 0.001;  // of the cycles

// The share of the point's cycles whose section was cut at the end of its grant.
double share_cut(const Leaves& metrics);

// Why the numbers of a sound point are not to be compared with others'.
enum class Doubt : std::uint8_t {
  none,
  cut,           // sections did not do their work: more than kMostCut of them
  nothing_done,  // no cycle ended in the window
  emulated,      // whatever it says is not about an RNIC
  overloaded,    // an open loop whose queues grow
  unsettled,     // the window tells of a transient, be it that some clients starve in it
  starved,       // clients wait for ever
  client_bound,  // the cores that clients share, or a thread of theirs, have no time left
  unchecked,     // nobody watched mutual exclusion
};
Doubt doubt_of(const PointOutcome& point);
// The same as if nothing had been emulated.
Doubt doubt_beside_emulation(const PointOutcome& point);

// The metric in each repeat that has it.
std::vector<double> values_of(const PointOutcome& point, const std::string& metric);

}  // namespace latchlab
