#pragma once
// Two runs side by side: in what they differ, and what that makes of their points. The first is
// what the second is measured by: ratios are of the second over the first. Where one is a
// simulation and the other was measured, each number also has the error of the simulation.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/study/comparison.h"
#include "core/study/stored_study.h"

namespace latchlab {

// Goodput, the median and the tail of an acquisition, fairness.
const std::vector<std::string>& compared_metrics();

// 1: more of it is better; -1: less is; 0: neither.
int good_direction(const std::string& metric);

// What is not the same of both runs: a path of the resolved scenario, "backend", "version" or
// "plug-in FILE". "-": there is none.
struct RunDifference {
  std::string path, a, b;
  std::size_t points = 0;  // pairs that differ in just this
};

struct MetricPair {
  std::string metric;
  std::optional<Comparison> is;  // of the second over the first; none: not measured in both
  // Of the simulation over what was measured: its relative error is the ratio less 1. None where
  // both runs are of one kind, or what was measured is 0.
  std::optional<Comparison> error;
  // 1: the second run's point is better, by a metric that has a good direction; -1: worse; 0:
  // nobody knows, or one of the two is not sound, or no measure of an RNIC.
  int better = 0;
};

struct PointPair {
  std::size_t a = 0, b = 0;  // in the scenarios
  std::string lock;          // its label, with parameters that are swept
  std::string where;         // "platform.clients_per_node=16"; empty: nothing else is swept
  std::string unsound;       // "the second is stuck"; empty: both can be judged by
  // Why what was measured is not what an RNIC does: "software", "emulated"; empty: it is.
  std::string emulated;
  std::vector<MetricPair> metrics;
};

// How far two orders of the same locks by goodput agree, in one place of the sweep.
struct RankAgreement {
  std::string where;
  std::string emulated;           // as of the points: each kind has an order of its own
  std::vector<std::string> a, b;  // the locks that are sound in both, best first
  double tau = 1;                 // Kendall's: 1 the same order, -1 the reverse
  // Pairs of which each run has another one decidedly ahead: ahead in the first run, then behind.
  std::vector<std::pair<std::string, std::string>> changed;
};

// Of one metric, over the points that were measured, sound and not emulated.
struct ErrorSummary {
  std::string metric;
  std::size_t points = 0;
  double median = 0, greatest = 0;  // of the sizes of the relative errors
  std::size_t greatest_at = 0;      // of the pairs
};

struct StudyComparison {
  std::vector<RunDifference>
      differences;               // of pairs of points; of the first points if there are none
  std::vector<PointPair> pairs;  // in the order of the first run
  std::vector<std::string> only_a, only_b;  // points without a partner: "mcs, locks.count=1"
  std::vector<RankAgreement> ranks;         // where two locks or more are in both
  std::vector<ErrorSummary> errors;         // none where both runs are of one kind
};

bool is_simulated(const RunManifest& manifest);
// Whether one of the two is a simulation and the other was measured.
bool is_prediction(const RunManifest& a, const RunManifest& b);

// Points belong together that have the same label and, at each path that one of the runs sweeps,
// the same value. Refused: a simulation beside hardware, if its points are not those that were
// measured (core/study/comparison_rules.h).
Result<StudyComparison> compare_studies(const StoredStudy& a, const StoredStudy& b,
                                        const std::vector<std::string>& metrics);

// As JSON text; `names`: of the two runs; `explanation`: a JSON text of what would explain the
// differences, empty if nobody asked.
std::string comparison_json(const std::pair<std::string, std::string>& names, const StoredStudy& a,
                            const StoredStudy& b, const StudyComparison& made,
                            const std::string& explanation = {});

}  // namespace latchlab
