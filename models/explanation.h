#pragma once
// Finds the constants of a simulated NIC that explain the differences between prediction and
// measurement.
//
// The data are the errors ln(measured / simulated) of all points and metrics that both runs have
// with an interval, each with its standard error. Metrics of one point are not independent; they
// are treated as fully correlated, so that intervals are rather too wide.
//
// (1) Sections of a NIC are discarded if their constants, all multiplied by kExplainStep, change no
// event. (2) Each remaining constant is simulated multiplied by kExplainStep, with the first
// repeat's seed, and, if nothing moves beyond chance, multiplied by kExplainLeap; constants that
// then move nothing are discarded. (3) The constants that explain the errors best to first order
// are fitted, each alone, to the simulation itself (models/least_squares.h), and the best of them
// refined, since a number can jump from one factor to the next. Those that are as good
// as the best, by kEquallyGood of models/calibration.h, cannot be distinguished by these runs; of
// these, the one with the smallest change comes first. (4) If no single constant explains all
// errors beyond chance, the best pair is fitted together.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/conclude/sensitivity.h"
#include "core/conclude/stored_study.h"

namespace latchlab {

inline constexpr double kExplainStep = 1.25, kExplainLeap = 3;

// A constant and the factor by which it explains the errors, with its 95% interval.
struct FactorOf {
  std::string nic, constant;
  double factor = 1, low = 1, high = 1;
  std::string value, becomes;  // of the first point's NIC, with units
};

struct ExplainedBy {
  std::vector<FactorOf> by;  // one, or two together
  double chi2 = 0;           // of the remaining errors
  bool all_but_chance = false;
};

struct Explanation {
  std::size_t points = 0, numbers = 0;
  double chi2 = 0;                      // of the errors before any change
  bool within_chance = false;           // there is nothing to explain
  std::vector<ExplainedBy> alone;       // as good as the best, smallest change first
  std::optional<ExplainedBy> together;  // if it leaves less than one alone, beyond chance
  // Constants that these runs do not determine. inert: they change no event. weak: multiplied by
  // kExplainLeap they move nothing beyond chance. fixed: they are 0, sizes, curves or small whole
  // numbers.
  std::vector<std::string> inert, weak, fixed;
};

struct ExplainRequest {
  const StoredStudy& simulated;
  const StoredStudy& measured;  // may also be a simulation, for practice
  std::vector<std::pair<std::size_t, std::size_t>> points;  // simulated, measured
  std::vector<std::string> metrics;
};

// Refused: fewer than three repeats, no number in both runs, or results that the simulator does not
// reproduce.
Result<Explanation> explain_errors(const ExplainRequest& request, const RunPoints& run);

// The constants of the points' NICs that a factor can change.
struct MovableConstant {
  std::string nic, section, key;
};
std::vector<MovableConstant> movable_constants(const std::vector<Point>& points,
                                               std::vector<std::string>* fixed);

// One sentence per string.
std::vector<std::string> sentences(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

}  // namespace latchlab
