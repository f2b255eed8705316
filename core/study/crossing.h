#pragma once
// Finds the values of an axis at which an answer changes: which of two locks has more of a metric,
// or whether one lock's metric is above a value.
//
// The search starts with a coarse grid. It bisects between neighbours whose answers differ until
// they are as close as requested. If a value is undecided, the search approaches it from both
// sides; the result is then the shortest interval between two decided answers that differ, which
// may be wider than requested.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/study/search_axis.h"
#include "core/study/study.h"

namespace latchlab {

struct Question {
  std::vector<std::string> labels;  // two locks, or one whose metric is compared with `value`
  std::string metric = "goodput_ops_s";
  double value = 0;
};

// Texts in Probe::why.
inline constexpr const char* kNotSettled = "has not settled";
inline constexpr const char* kWithinChance = "is within chance";

struct Probe {
  std::int64_t at = 0;
  // 1: the first lock has more, or the metric is above the value; -1: less; 0: undecided.
  int side = 0;
  std::string why;                  // why it is undecided
  double a = 0, b = 0;              // means; b: of the second lock, or `value`
  std::optional<double> low, high;  // confidence interval of a / b
};

// Answers the question for the points of its locks, in the question's order. Points that failed or
// have a Doubt are undecided. Two locks are compared by compare(); a lock and a value by the
// confidence interval alone.
Probe answer(const Question& question, std::int64_t at, const std::vector<PointOutcome>& points);

// Neighbouring decided answers that differ; the answers between them are undecided.
struct Turn {
  Probe before, after;
  std::vector<Probe> between;
};
std::vector<Turn> turns(const std::vector<Probe>& probes);

// Runs the question's locks at these values. Returns for each value the points in the question's
// order. An error, such as an interruption, ends the search.
using RunAt = std::function<Result<std::vector<std::vector<PointOutcome>>>(
    const std::vector<std::int64_t>& values)>;

std::vector<std::int64_t> coarse_grid(const SearchAxis& axis);
// The largest number of values beyond the grid that one turn needs if all answers are decided.
std::size_t steps_per_turn(const SearchAxis& axis, double precision);

// Returns the probes in ascending order. `precision`: fraction of the axis's value within which a
// turn is located.
Result<std::vector<Probe>> find_turns(const SearchAxis& axis, const Question& question,
                                      double precision, const RunAt& run);

}  // namespace latchlab
