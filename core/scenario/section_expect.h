#pragma once
// `expect`: published figures, each bound to the points of the sweep that it describes.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

struct ExpectSection {
  std::vector<Expectation> expectations;
  YamlNode resolved;         // the same as a list: tables expanded, defaults visible
  std::size_t left_out = 0;  // because --set removed the points that they describe
};

// Reads `expect` after the points are known. A figure without a point in the sweep is an
// InputError, or is left out if `points_changed` (by --set). Metric names are not checked here;
// core/measure and core/conclude define them.
ExpectSection read_expect(const YamlNode* node, const Scenario& scenario, bool points_changed);

// Reads `known`: expected verdicts, attached to all points that match `where`. An entry without
// points is an error or is left out, as above; `list` keeps the other entries, for the resolved
// scenario.
void read_known(YamlNode& list, Scenario& scenario, bool points_changed);

// ---- parts ----

// Expands entries of `expect` into single figures.
//
// `kind: table` is a list of values in the layout in which they were printed:
//
//   - id: t3-wi
//     kind: table
//     where: {label: paper, workload.read_ratio: 50%}
//     over: clients                    # differs from row to row
//     columns: {W-IA: phases_ns.write.IA, Rel-NS: {metric: phases_ns.release.NS, factor: 2}}
//     unit: us                         # of every cell
//     rows:
//       5: [2.05, 0.02]                # null: nothing was printed here
//       20: [2.24, 0.10]
//     absolute: 20ns
//     source: "ShiftLock Table 3"
//     use: calibration
//
// becomes the values t3-wi/5/W-IA, t3-wi/5/Rel-NS, ... A column's settings (metric, factor,
// tolerance, absolute) apply to its cells. The key that `over` names is added to `where`.
//
// `profile` may list several configurations that one figure is compared with, each with its
// additions to `where`: `profile: {paper: {label: paper}, artifact: {label: artifact}}` makes
// t3-wi@paper and t3-wi@artifact.
inline constexpr std::size_t kMostExpectations = 2'000;

struct FlatExpectation {
  YamlNode node;     // a value, ratio or order; its contents are not checked
  std::string path;  // for messages: "expect.0.rows.5.W-IA"
};

// Throws InputError. A null pointer means an empty list.
std::vector<FlatExpectation> expand_expectations(const YamlNode* list);

// Finds the point of a sweep that a `where` mapping describes. Its paths are those of a scenario's
// values ("platform.clients_per_node"), `label`, or `clients` (their total). Values are compared as
// quantities: 10M equals 10000000.
class PointIndex {
 public:
  explicit PointIndex(const Scenario& scenario) : scenario_(scenario) {}

  // The point that has all the values of the mapping. If none or several have, throws an InputError
  // that lists the candidates.
  std::size_t find(const YamlNode& where, const SourceLocation& place, const std::string& path);
  // All such points; throws if there is none.
  std::vector<std::size_t> find_all(const YamlNode& where, const SourceLocation& place,
                                    const std::string& path);

 private:
  using Texts = std::vector<std::string>;
  struct Value {
    Texts texts;  // how it is written; empty: the point has no such value
    Texts forms;  // its readings as quantities, for comparisons
  };

  const std::vector<Value>& values_of(const std::string& path);
  Texts texts_at(std::size_t point, const std::string& path);
  Texts choices(const std::string& path, const std::vector<std::size_t>& points);
  [[noreturn]] void reject_none(const YamlNode& where, std::size_t at,
                                const std::vector<std::size_t>& before, const SourceLocation& place,
                                const std::string& path);
  [[noreturn]] void reject_several(const std::vector<std::size_t>& found,
                                   const SourceLocation& place, const std::string& path);

  const Scenario& scenario_;
  std::map<std::string, std::vector<Value>> values_;
};

}  // namespace latchlab
