#pragma once
// Turns runs of the benchmarks into equations: the measured value in each repeat, and the sum of
// constants that the model predicts for it. All equations are linear in the constants, so that one
// linear fit finds them and identifies those that it cannot find (estimate.h).

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/measure/metrics.h"
#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// The measurements of one point in each repeat, in nanoseconds.
struct Measured {
  struct Repeat {
    double typical = 0;  // median latency of an acquisition
    double least = 0;
    double acquisitions = 0;
    double pace = 0;          // wall time per verb, over all timed clients
    double cycle = 0;         // from one acquisition of a timed client to its next one
    double others_cycle = 0;  // the same for clients that are not timed; 0: none
  };
  std::vector<Repeat> repeats;
};
using Measurements = std::map<std::string, Measured>;  // by label

// A sound point is taken with all its repeats; other points are left out and named.
struct Taken {
  Measurements measurements;
  std::vector<std::string> left_out;  // "same_16: why"
};
Taken take_measurements(const Scenario& scenario, const StudyOutcome& outcome);

// Constants in equations: dotted keys, times in nanoseconds. A rate is represented by the time per
// byte, under these names.
inline constexpr const char* kLinkByte = "link.byte";
inline constexpr const char* kPcieByte = "pcie.byte";
// What a completion costs a client that sleeps until it raises an event: the latency.completion of
// such software, and no constant of a NIC.
inline constexpr const char* kEventCompletion = "event.completion";
using Sum = std::vector<std::pair<std::string, double>>;  // constants and their factors

struct Equation {
  std::string name;  // "same", "read_8 spread"
  std::string benchmark;
  std::vector<double> values;      // one per repeat
  double resolution = 0;           // other uncertainty of a value, one sigma
  Sum sum;                         // the model's value
  std::vector<std::string> tells;  // the constants that it determines; empty: it is only compared
};

struct Equations {
  std::vector<Equation> all;
  std::vector<std::string>
      unused;  // "read_rate: grows by 40 % with ...": measured, but without an equation
};

// Bytes of a WRITE's address (RETH; InfiniBand, volume 1, chapter 9), in its first packet.
inline constexpr int kReth = 16;
// How many packets carry so many bytes. `mtu`: link.mtu.
std::int64_t packets_of(std::int64_t payload, std::int64_t mtu);

// `packets`: a NIC with the link.overhead and link.mtu of the measured one.
Equations equations_of(const Measurements& measurements, const NicModel& packets);

}  // namespace latchlab
