#pragma once
// From runs of the benchmarks to equations: what was measured, repeat by repeat, and which sum of
// constants the model has for it. All are linear in the constants, so that one linear fit finds
// them and says which it cannot (estimate.h).

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/measure/metrics.h"
#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab {

// What the repeats of one point have measured, in nanoseconds.
struct Measured {
  struct Repeat {
    double typical = 0;  // the median latency of an acquisition
    double least = 0;
    double acquisitions = 0;
    double pace = 0;          // wall time per verb, of all timed clients together
    double cycle = 0;         // from one acquisition of a timed client to its next
    double others_cycle = 0;  // the same of the clients that are not timed; 0: there are none
  };
  std::vector<Repeat> repeats;
};
using Measurements = std::map<std::string, Measured>;  // by label

// A sound point is taken with all its repeats, another one is left out and named.
struct Taken {
  Measurements measurements;
  std::vector<std::string> left_out;  // "same_16: why"
};
Taken take_measurements(const Scenario& scenario, const StudyOutcome& outcome);

// Constants as the equations know them: dotted keys, times in nanoseconds. A rate stands as the
// time that a byte takes, under these names.
inline constexpr const char* kLinkByte = "link.byte";
inline constexpr const char* kPcieByte = "pcie.byte";
using Sum = std::vector<std::pair<std::string, double>>;  // of constants, with their factors

struct Equation {
  std::string name;  // "same", "read_8 spread"
  std::string benchmark;
  std::vector<double> values;      // one of each repeat
  double resolution = 0;           // what else is not known of a value, one sigma
  Sum sum;                         // what the model has for it
  std::vector<std::string> tells;  // the constants that it is there for; none: it is only compared
};

struct Equations {
  std::vector<Equation> all;
  std::vector<std::string>
      unused;  // "read_rate: grows by 40 % with ...": measured, and no equation
};

Equations equations_of(const Measurements& measurements);

}  // namespace latchlab
