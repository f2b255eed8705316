#pragma once
// Sensitivity of the ranking to the constants of the model. Each constant that is not published is
// set to either bound of its range, one at a time, and the compared points run again with the same
// seeds.
//
// Two stages of short single repeats come first. The first discards, for each point, sections of a
// NIC whose constants change no event of it, with all of them at one bound or at the other. The
// second discards constants that move no ratio of two goodputs by more than kMoves. If its runs
// show beyond doubt that each order of the study holds at a bound, that is the answer; at the
// remaining bounds the study's repeats run.
//
// Warm-up and window are divided by a whole number: by kShorter or more in the short stages, and by
// one or more in the last, so that the estimated work of each fits its limit. Windows stay at least
// 1 ms long; those with events at given dates stay whole.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/run/study.h"

namespace latchlab {

// An uncertain constant of one of a point's NICs, one that is not published, at a bound of its
// range.
struct ConstantBound {
  std::string nic;  // the NIC: "connectx-5"
  ConstantOrigin origin;
  std::string at;  // one bound of the range, as written
};
using ConstantBounds = std::vector<ConstantBound>;

// Both bounds of each constant with a range, except bounds that equal its value, in the order of
// the NICs' files. Constants that are published or that the user has set are left out.
ConstantBounds parameter_bounds(Point point);

std::size_t constants_in(const ConstantBounds& ends);

// One section of a NIC's file: all its constants at their first bound, and all at their last.
struct NicSection {
  ConstantBounds ends;
  ConstantBounds low, high;
};
std::vector<NicSection> sections_of(const ConstantBounds& ends);

// The point with these constants at these bounds, in every NIC of that name.
Result<Point> with_bounds(Point point, const ConstantBounds& ends);

inline constexpr double kMoves = 1.02;  // as a factor of a ratio

// The order of two goodputs at the bound of a range: the first is still greater; undecided, as
// defined by compare(); or the second is greater.
enum class Order : std::uint8_t { holds, undecided, flips };

struct ComparedPair {
  std::size_t first = 0, second = 0;  // indices of Sensitivity::labels
  double ratio = 0, ratio_at = 0;     // with the model's constants, and at the bound
  Order order = Order::holds;
};

struct MovedBy {
  ConstantBound end;
  std::string broken;  // a point without goodput there: "mcs: stuck"; empty: none
  // Pairs whose order does not hold, and the pair that moves most.
  std::vector<ComparedPair> pairs;
};

// Smallest and largest factor by which a metric of a lock changes, in short runs, over the
// constants that move the lock's own goodput by more than kMoves and by more than chance; each
// constant alone, at either bound.
struct Span {
  double least = 1, most = 1;
};
using Spans = std::map<std::string, Span>;  // by metric

struct Sensitivity {
  std::vector<std::string> labels;  // by goodput, greatest first
  std::string results;              // hash of the study's results, to identify it
  std::size_t constants = 0;        // number of constants with a range
  std::size_t inert = 0;            // of these: in sections that change nothing here
  std::vector<MovedBy> moved;       // in the order of the NIC's file
  std::vector<Spans> spans;         // for each label
};

// Limits of the search, and what it compares with them.
struct SensitivityCost {
  std::function<double(const Point&)> work;  // of one repeat of a point
  double short_runs = 0;                     // for the first two stages together, at most
  double last_runs = 0;
};

// Runs all repeats of each point, in stages named "sections", "constants" and "ends". An error,
// such as an interruption, ends the search.
using RunPoints =
    std::function<Result<StudyOutcome>(const std::string& stage, const std::vector<Point>& points)>;

// `compared`: sound points of the study with goodput, greatest first; at least one. For a single
// point only the spans are computed.
Result<Sensitivity> find_sensitivity(const Scenario& scenario, const StudyOutcome& outcome,
                                     const std::vector<std::size_t>& compared,
                                     const SensitivityCost& cost, const RunPoints& run);

std::string results_hash(const StudyOutcome& outcome);

// The short runs of some points; `repeats` is the largest number of times that each of them runs.
std::vector<Point> short_runs(std::vector<Point> points, const SensitivityCost& cost);

// A summary, one sentence per string.
std::vector<std::string> sentences(const Sensitivity& found);

// The contents of DIR/sensitivity.json.
std::string sensitivity_json(const Sensitivity& found);
// Reads it from a run's directory. Empty if there is none or if it belongs to other results; an
// error if it is damaged.
Result<std::string> stored_sensitivity(const std::string& directory, const StudyOutcome& outcome);
// The spans in such a text, by label; empty if there are none.
std::map<std::string, Spans> stored_spans(const std::string& text);

}  // namespace latchlab
