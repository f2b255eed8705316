#pragma once
// Compares two runs: the differences of their settings and of their points' metrics. The first run
// is the reference: ratios are second / first. If one run is a simulation and the other was
// measured, each metric also has the error of the simulation.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/conclude/comparison.h"
#include "core/conclude/stored_study.h"

namespace latchlab {

// Goodput, median and tail latency of acquisitions, fairness.
const std::vector<std::string>& compared_metrics();

// 1: higher is better; -1: lower is better; 0: neither.
int good_direction(const std::string& metric);

// A setting that differs: a path of the resolved scenario, "backend", "version" or "plug-in FILE".
// The value "-": absent.
struct RunDifference {
  std::string path, a, b;
  std::size_t points = 0;  // pairs of points with just this difference
};

struct MetricPair {
  std::string metric;
  std::optional<Comparison> is;  // second / first; absent: not measured in both
  // Simulation / measurement; the relative error is the ratio minus 1. Absent if both runs are of
  // one kind or the measured value is 0.
  std::optional<Comparison> error;
  // 1: the second run's point is better, by a metric with a direction; -1: worse; 0: undecided, or
  // one of the two is not sound or does not measure an RNIC.
  int better = 0;
};

struct PointPair {
  std::size_t a = 0, b = 0;  // indices into the scenarios
  std::string lock;          // its label, with swept parameters
  std::string where;         // "platform.clients_per_node=16"; empty: no other axis
  std::string unsound;       // "the second is stuck"; empty: both are sound
  // Why the measurement does not describe an RNIC: "software", "emulated"; empty: it does.
  std::string emulated;
  std::vector<MetricPair> metrics;
};

// Agreement of two rankings of the same locks by goodput, at one position of the sweep.
struct RankAgreement {
  std::string where;
  std::string emulated;           // as for points: each kind is ranked separately
  std::vector<std::string> a, b;  // the locks that are sound in both, best first
  // Whether each of them but the last is ahead of its successor beyond doubt.
  std::vector<bool> decided_a, decided_b;
  double tau = 1;  // Kendall's tau: 1 same order, -1 reversed
  // Pairs whose decided order differs: first the lock that leads in the first run and trails in the
  // second.
  std::vector<std::pair<std::string, std::string>> changed;
};

// Error of one metric over the points that were measured, sound and not emulated.
struct ErrorSummary {
  std::string metric;
  std::size_t points = 0;
  double median = 0, greatest = 0;  // of the absolute relative errors
  std::size_t greatest_at = 0;      // index of the pair
};

struct StudyComparison {
  std::vector<RunDifference>
      differences;  // between paired points; between the first points if no pair exists
  std::vector<PointPair> pairs;             // in the order of the first run
  std::vector<std::string> only_a, only_b;  // unpaired points: "mcs, locks.count=1"
  std::vector<RankAgreement> ranks;         // where both runs have at least two locks
  std::vector<ErrorSummary> errors;         // empty if both runs are of one kind
};

bool is_simulated(const RunManifest& manifest);
// True if one of the two is a simulation and the other was measured.
bool is_prediction(const RunManifest& a, const RunManifest& b);

// Pairs points that have the same label and the same value at each path that either run sweeps.
// Refuses a simulation beside a measurement whose settings differ
// (core/conclude/comparison_rules.cc).
Result<StudyComparison> compare_studies(const StoredStudy& a, const StoredStudy& b,
                                        const std::vector<std::string>& metrics);

// One entry for each position of the sweep with at least two locks that are sound in both runs, in
// the order of the pairs. Emulated points are ranked separately from those of an RNIC.
std::vector<RankAgreement> rank_agreements(const StoredStudy& a, const StoredStudy& b,
                                           const std::vector<PointPair>& pairs);

// A simulation predicts a measurement only if both have the same locks, clients, faults, window
// length and warm-up, and both or neither use guard words, whose verbs delay other verbs.
//
// True for settings that may differ between the two: those that describe simulated hardware and are
// ignored on hardware (core/scenario/advice.h), the seed, the number of repeats, extra
// measurements, and the backend and version.
bool may_differ(const std::string& path);

// Succeeds if both runs are simulations or both were measured.
Status check_rules(const RunManifest& a, const RunManifest& b,
                   const std::vector<RunDifference>& differences);

// As JSON. `names`: of the two runs. `explanation`: JSON text of what would explain the
// differences; empty if it was not requested.
std::string comparison_json(const std::pair<std::string, std::string>& names, const StoredStudy& a,
                            const StoredStudy& b, const StudyComparison& made,
                            const std::string& explanation = {});

}  // namespace latchlab
