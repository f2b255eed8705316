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
  // 1: a is greater; -1: b is; 0: nobody knows, for the interval contains 1 or the ratio is within
  // kWorthNaming of it.
  int ahead = 0;
};

// `metric`: a path of results.json that is a number. None where it was not measured in one of the
// two. Repeats are paired where both points have as many and their seeds agree one by one; the
// interval is Student's, of three repeats or more, unpaired after Welch with the fewer degrees of
// freedom. Of fewer repeats the goodput's is that of the parts of their windows, which knows chance
// within a run, and not what another seed would do.
std::optional<Comparison> compare(const PointOutcome& a, const PointOutcome& b,
                                  const std::string& metric);

inline constexpr double kClientBound = 0.98;  // of the time of the clients' cores
// Of the time of a thread of clients on hardware, which has to look for more now and then, too.
inline constexpr double kWorkerBound = 0.9;

// Why the numbers of a sound point are not to be compared with others'.
enum class Doubt : std::uint8_t {
  none,
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
