#pragma once
// Where along an axis the answer to a question turns: which of two locks has more of a metric, or
// on which side of a value the metric of one lock is.
//
// A coarse grid comes first. Between neighbours whose answers differ the search halves the way, as
// long as the way is wider than asked for. Where nobody knows the answer it approaches from both
// sides: what is left is the shortest way between two known answers that differ, however wide.

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
  std::vector<std::string> labels;  // two locks; one: its metric and `value`
  std::string metric = "goodput_ops_s";
  double value = 0;
};

// In Probe::why.
inline constexpr const char* kNotSettled = "has not settled";
inline constexpr const char* kWithinChance = "is within chance";

struct Probe {
  std::int64_t at = 0;
  // 1: the first lock has more, or the metric is above the value; -1: less; 0: nobody knows.
  int side = 0;
  std::string why;                  // nobody knows
  double a = 0, b = 0;              // means; b: of the second lock, or the value
  std::optional<double> low, high;  // the interval of a over b
};

// Of the points of the question's locks, in its order. Points that are not sound or in doubt
// decide nothing; between two locks compare() does, against a value the interval alone.
Probe answer(const Question& question, std::int64_t at, const std::vector<PointOutcome>& points);

// Neighbours among the known answers that differ. Those between them are unknown.
struct Turn {
  Probe before, after;
  std::vector<Probe> between;
};
std::vector<Turn> turns(const std::vector<Probe>& probes);

// Runs the question's locks at these values: of each value, the points in the question's order. An
// error, also an interruption, ends the search.
using RunAt = std::function<Result<std::vector<std::vector<PointOutcome>>>(
    const std::vector<std::int64_t>& values)>;

std::vector<std::int64_t> coarse_grid(const SearchAxis& axis);
// How many values the search looks at beside the grid, for each turn, if all are decided.
std::size_t steps_per_turn(const SearchAxis& axis, double precision);

// Ascending. `precision`: the share of the axis's value within which a turn is found.
Result<std::vector<Probe>> find_turns(const SearchAxis& axis, const Question& question,
                                      double precision, const RunAt& run);

}  // namespace latchlab
