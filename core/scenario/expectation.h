#pragma once
// A published figure, and the points of the sweep that it speaks of. Plain data: every default
// filled in, every table taken apart into its cells.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace latchlab {

enum class ExpectKind : std::uint8_t {
  value,  // the metric at one point
  ratio,  // the metric at one point over the metric at another
  order,  // which point does better than which
};

// calibration and regression must hold. A validation is told and scored; so is, apart from it, what
// was inferred from: a figure that suggested what the model looks like cannot confirm it.
enum class ExpectUse : std::uint8_t { calibration, regression, validation, inferred };

struct Expectation {
  std::string id;  // unique in its scenario
  ExpectKind kind = ExpectKind::value;
  std::vector<std::string> metrics;  // what is compared is their sum ...
  double factor = 1;                 // ... times this
  // value: one group of one point. ratio: two groups of one, above and below the line. order: the
  // groups, best first; points of one group are not compared with each other.
  std::vector<std::vector<std::size_t>> groups;
  bool highest_is_best = true;  // order only
  double published = 0;         // times in ns, all else as in results.json; order: unused
  // Within tolerance: |predicted - published| <= max(tolerance * published, absolute).
  double tolerance = 0.1;
  double absolute = 0;
  ExpectUse use = ExpectUse::validation;
  std::string profile;   // whose set-up this is, such as paper or artifact; scores are kept apart
  std::string source;    // where it was published
  std::string disputed;  // why the figure contradicts others; not empty: shown, but not scored
  std::string place;     // "file:line"
};

const char* name_of(ExpectKind kind);
const char* name_of(ExpectUse use);

}  // namespace latchlab
