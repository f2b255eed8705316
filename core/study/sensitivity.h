#pragma once
// On which constants of the model the order of locks hangs: what their files do not know, carried
// into the conclusion. Each constant that is not published is set to either end of its range, one
// at a time, and the points that are compared run again with the same seeds.
//
// One short repeat each comes first. Sections of a NIC whose constants change no event of these
// points, all at one end and all at the other, are out at once; then constants that move no ratio
// of two goodputs by more than kMoves. What is left runs as long and as often as the study did.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/study/model_ends.h"
#include "core/study/study.h"

namespace latchlab {

inline constexpr double kMoves = 1.02;  // a ratio, by this factor

// Of two goodputs, at the end of a range: the first is still the greater one; nobody knows, as
// compare() has it; or the second is.
enum class Order : std::uint8_t { holds, undecided, flips };

struct ComparedPair {
  std::size_t first = 0, second = 0;  // of Sensitivity::labels
  double ratio = 0, ratio_at = 0;     // as the study has it, and at the end
  Order order = Order::holds;
};

struct MovedBy {
  ConstantEnd end;
  std::string broken;  // a point that has no goodput there: "mcs: stuck"; empty: none
  // Those whose order does not hold, and that which moves most.
  std::vector<ComparedPair> pairs;
};

// By what factor the constants that move a lock's own goodput by more than kMoves, and by more than
// chance, move another number of it, in short runs: each of them alone, at either end.
struct Span {
  double least = 1, most = 1;
};
using Spans = std::map<std::string, Span>;  // by metric

struct Sensitivity {
  std::vector<std::string> labels;  // greatest goodput first
  std::string results;              // a hash of the study's, to know it again
  std::size_t constants = 0;        // that have a range
  std::size_t inert = 0;            // of those: in sections that change nothing here
  std::vector<MovedBy> moved;       // in the order of the NIC's file
  std::vector<Spans> spans;         // of each label
};

// Runs points, all repeats of each, in stages that have names: "sections", "constants", "ends".
// An error, also an interruption, ends the search.
using RunPoints =
    std::function<Result<StudyOutcome>(const std::string& stage, const std::vector<Point>& points)>;

// `compared`: sound points of the study with goodput, by goodput, greatest first; one or more. Of
// one alone there is no order, and only its spans are found.
Result<Sensitivity> find_sensitivity(const Scenario& scenario, const StudyOutcome& outcome,
                                     const std::vector<std::size_t>& compared,
                                     const RunPoints& run);

std::string results_hash(const StudyOutcome& outcome);

// How many short repeats of each compared point the search runs at the most.
std::size_t most_short_runs(const Point& point);
Point shortened(Point point);

// Sums up: a sentence each.
std::vector<std::string> sentences(const Sensitivity& found);

// The text of DIR/sensitivity.json.
std::string sensitivity_json(const Sensitivity& found);
// The same from a run's directory: empty when it has none, or that of other results than these. An
// error when it is damaged.
Result<std::string> stored_sensitivity(const std::string& directory, const StudyOutcome& outcome);
// The spans in such a text, by label; none where it is empty or has none.
std::map<std::string, Spans> stored_spans(const std::string& text);

}  // namespace latchlab
