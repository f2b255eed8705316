#pragma once
// Which constant of a simulated NIC would explain what was measured otherwise than predicted.
//
// The numbers are those of all points and metrics that both runs have with an interval: the errors
// ln(measured / simulated), each with its standard error. Metrics of one point are not independent;
// that is allowed for as if all of them said the same, so that intervals are rather too wide.
//
// (1) Sections of a NIC whose constants, all kExplainStep as great, change no event are out. (2)
// Each constant that is left is simulated kExplainStep as great, with the first repeat's seed, and,
// if that moves nothing beyond chance, kExplainLeap as great: what moves nothing then is out. (3)
// The constants that explain the errors best to first order are fitted, each alone, to the
// simulation itself (models/least_squares.h). Those that do as well as the best, by kEquallyGood of
// models/calibration.h, cannot be told apart by these runs; of these the one that has to change
// least comes first. (4) Where none alone explains all but chance, the pair that does best is
// fitted together.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/study/sensitivity.h"
#include "core/study/stored_study.h"

namespace latchlab {

inline constexpr double kExplainStep = 1.25, kExplainLeap = 3;

// A constant and the factor by which it explains errors, with its 95% interval.
struct FactorOf {
  std::string nic, constant;
  double factor = 1, low = 1, high = 1;
  std::string value, becomes;  // in the first point's NIC, with units
};

struct ExplainedBy {
  std::vector<FactorOf> by;  // one, or two together
  double chi2 = 0;           // of what it leaves
  bool all_but_chance = false;
};

struct Explanation {
  std::size_t points = 0, numbers = 0;
  double chi2 = 0;                      // of the errors as they are
  bool within_chance = false;           // nothing is to be explained
  std::vector<ExplainedBy> alone;       // as well as the best, least change first
  std::optional<ExplainedBy> together;  // where it leaves less than one alone, beyond chance
  // Constants that these runs say nothing of: they change no event; they move nothing beyond chance
  // when they are kExplainLeap as great; they are 0, sizes, curves or small whole numbers.
  std::vector<std::string> inert, weak, fixed;
};

struct ExplainRequest {
  const StoredStudy& simulated;
  const StoredStudy& measured;                              // may be a simulation too, for practice
  std::vector<std::pair<std::size_t, std::size_t>> points;  // simulated, measured
  std::vector<std::string> metrics;
};

// Refused: fewer than three repeats, no number in both, and results that the simulator does not
// give again.
Result<Explanation> explain_errors(const ExplainRequest& request, const RunPoints& run);

// The constants of the points' NICs that a factor can move.
struct MovableConstant {
  std::string nic, section, key;
};
std::vector<MovableConstant> movable_constants(const std::vector<Point>& points,
                                               std::vector<std::string>* fixed);

// A sentence each.
std::vector<std::string> sentences(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

}  // namespace latchlab
