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
#include "core/run/study.h"
#include "core/scenario/scenario.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {

// A number of a scenario along which a search runs: platform.clients_per_node=1..64.
struct SearchAxis {
  std::string path;
  ScenarioKey key;                 // the type of the number and how it is written
  std::int64_t low = 0, high = 0;  // a count, bytes, picoseconds, bits/s, parts per billion
  bool by_factors = false;         // bisect at the geometric mean: counts, times, rates

  std::string text(std::int64_t value) const;  // as a scenario writes it
  // A value strictly between the two, if there is one; a round number if one is close.
  std::int64_t halfway(std::int64_t from, std::int64_t to) const;
  // True if they differ by less than this fraction of the greater one, or are neighbours.
  bool is_narrow(std::int64_t from, std::int64_t to, double precision) const;
};

// Parses "PATH=LOW..HIGH", where PATH is a key of the scenario, a constant of a NIC or one of these
// parameters of protocols.
Result<SearchAxis> parse_search_axis(const std::string& text,
                                     const std::vector<ParamSpec>& parameters);

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
// have a caveat are undecided. Two locks are compared by compare(); a lock and a value by the
// confidence interval alone.
Probe answer(const Question& question, std::int64_t at, const std::vector<PointOutcome>& points);

// Neighbouring decided answers that differ; the answers between them are undecided.
struct Crossing {
  Probe before, after;
  std::vector<Probe> between;
};
std::vector<Crossing> crossings(const std::vector<Probe>& probes);

// Runs the question's locks at these values. Returns for each value the points in the question's
// order. An error, such as an interruption, ends the search.
using RunAt = std::function<Result<std::vector<std::vector<PointOutcome>>>(
    const std::vector<std::int64_t>& values)>;

std::vector<std::int64_t> coarse_grid(const SearchAxis& axis);
// The largest number of values beyond the grid that one crossing needs if all answers are decided.
std::size_t steps_per_crossing(const SearchAxis& axis, double precision);

// Returns the probes in ascending order. `precision`: fraction of the axis's value within which a
// crossing is located.
Result<std::vector<Probe>> find_crossings(const SearchAxis& axis, const Question& question,
                                          double precision, const RunAt& run);

}  // namespace latchlab
