#pragma once
// A calibration as data (models/fits/NAME.yaml): the free constants of a NIC, the published values
// that they may be fitted to, the simulation of each of these values, and what to report beside the
// fit.
//
//   name, nic, description
//   scenarios: NAME: fragment of a scenario (platform, locks, workload, protocol, run)
//   runs:      [{id, scenario: NAME, set: {path: value}}]
//   free:      [{constant, start, bounds: [low, high], step, source}]
//   observations: [{run, over: run, source, rounding, reading, because, fit: {metric: value},
//                   compare: {metric: value}}]        rounding is half of the last digit printed
//                 with `over`, the value is the quotient of the metrics of the two runs
//   readings:  [{id, because, without: [prefix of a run's id], widens: [constant],
//                set: {constant: change},
//                replace: [{run, metric, value, by: metric}]}]
//   profiles:  [{constant, values: [...], because}]
//   conclusions: [{id, says, run, over: run, metric}]
//   sensitivity: [{id, set: {constant: change}}]
//
// A change is a value ("341ns"), a factor ("x0.75") or an addition ("+180ns", "-180ns").

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Constants and metrics are doubles: times in nanoseconds, rates per second, counts.
inline constexpr double kPsPerNs = 1000;
inline constexpr double kPpb = 1e9;

struct NicChange {
  enum class Kind { set, scale, add };
  std::string constant;  // dotted key
  Kind kind = Kind::set;
  double amount = 0;
};
using NicChanges = std::vector<NicChange>;

struct FitRun {
  std::string id;
  Point point;
};

struct FreeConstant {
  std::string key;
  double start = 0, low = 0, high = 0, step = 0;
  std::string source;  // of the start and the bounds
};

struct Observation {
  std::size_t run = 0;
  std::optional<std::size_t> over;  // the run whose metric is the denominator
  std::string metric;               // path of a metric of results.json
  double value = 0;
  double rounding = 0;  // half of the last printed digit
  double reading = 0;   // other relative uncertainty of the value, one sigma
  bool fitted = false;  // false: only compared
  std::string source;
};

// An alternative reading of the data; the fit is repeated with it, and intervals are widened by the
// result.
struct Reading {
  struct Replacement {
    std::size_t observation = 0;
    std::string metric;  // the metric of the same run that the published number then describes
    double value = 0;
  };
  std::string id, because;
  std::vector<std::string> without;  // prefixes of the ids of runs that are left out
  std::vector<std::string> widens;   // constants whose intervals it may widen; empty: all
  NicChanges changes;
  std::vector<Replacement> replacements;
};

struct Scan {
  std::string constant;
  std::vector<double> values;
  std::string because;
};

struct Conclusion {
  std::string id, says, metric;
  std::size_t run = 0;
  std::optional<std::size_t> over;  // the run whose metric is the denominator
};

struct SensitivityCase {
  std::string id;
  NicChanges changes;
};

struct FitSpec {
  std::string name, nic, description;
  std::vector<FitRun> runs;
  std::vector<FreeConstant> free;
  std::vector<Observation> observations;
  std::vector<Reading> readings;
  std::vector<Scan> profiles;
  std::vector<Conclusion> conclusions;
  std::vector<SensitivityCase> sensitivity;
};

// Loads NAME from models/fits in the data directories, or a path. An error is one message with
// file:line and the fix.
Result<FitSpec> load_fit(const std::string& name_or_path,
                         const std::vector<ProtocolInfo>& protocols, const DataDirs& data);

// The value of a constant in the units above, and a NIC with changes; times are rounded to the
// picosecond. The key must be that of a number.
double constant_of(const NicModel& nic, const std::string& key);
NicModel changed(NicModel nic, const NicChanges& changes);
double unit_of(const std::string& constant);  // the NIC's integer per unit above
bool is_number(const std::string& constant);  // a time, a factor or a count
// "341ns", "1.5", "72": for reports and NIC files.
std::string constant_text(const std::string& constant, double value);

// Relative uncertainty of an observation, one sigma: rounding is uniform over the last digit.
double sigma_of(const Observation& observation);
// "run", or "run / over"
std::string runs_of(const FitSpec& spec, const Observation& observation);
// "run metric"
std::string name_of(const FitSpec& spec, const Observation& observation);

}  // namespace latchlab
