#pragma once
// A published figure and the points of the sweep that it describes. Plain data: every default is
// filled in, and every table is expanded into its cells.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace latchlab {

enum class ExpectKind : std::uint8_t {
  value,  // the metric at one point
  ratio,  // the metric at one point over the metric at another
  order,  // the ranking of points by the metric
};

// A missed calibration or regression is an error. A validation is reported and scored. `inferred`
// is scored separately: a figure from which the model's structure was inferred cannot confirm it.
enum class ExpectUse : std::uint8_t { calibration, regression, validation, inferred };

struct Expectation {
  std::string id;  // unique in its scenario
  ExpectKind kind = ExpectKind::value;
  std::vector<std::string> metrics;  // their sum is compared ...
  double factor = 1;                 // ... multiplied by this
  // value: one group of one point. ratio: two groups of one point, numerator and denominator.
  // order: the groups from best to worst; points of one group are not compared with each other.
  std::vector<std::vector<std::size_t>> groups;
  bool highest_is_best = true;  // order only
  double published = 0;         // times in ns, other metrics as in results.json; order: unused
  // Within tolerance: |predicted - published| <= max(tolerance * published, absolute).
  double tolerance = 0.1;
  double absolute = 0;
  ExpectUse use = ExpectUse::validation;
  std::string profile;  // the published configuration, such as paper or artifact; scored separately
  std::string source;   // the publication
  std::string disputed;  // why the figure contradicts others; not empty: shown, not scored
  std::string place;     // "file:line"
};

const char* name_of(ExpectKind kind);
const char* name_of(ExpectUse use);

}  // namespace latchlab
