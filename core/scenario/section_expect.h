#pragma once
// `expect`: published figures, each bound to the points of the sweep that it speaks of.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

struct ExpectSection {
  std::vector<Expectation> expectations;
  YamlNode resolved;         // the same as a list, tables taken apart, defaults visible
  std::size_t left_out = 0;  // because the points they speak of are gone
};

// Reads `expect` once the points are known. A figure that the sweep does not contain is an
// InputError, unless `points_changed` (by --set): it is then left out. Metrics are not looked at:
// their names belong to whoever measures.
ExpectSection read_expect(const YamlNode* node, const Scenario& scenario, bool points_changed);

// `known`: verdicts that are no news, at all points that `where` fits. An entry without points is
// treated like such a figure; `list` is left as it is resolved.
void read_known(YamlNode& list, Scenario& scenario, bool points_changed);

// ---- parts ----

// Entries of `expect` taken apart into single figures.
//
// `kind: table` is many values in the shape in which they were printed:
//
//   - id: t3-wi
//     kind: table
//     where: {label: paper, workload.read_ratio: 50%}
//     over: clients                    # what changes from row to row
//     columns: {W-IA: phases_ns.write.IA, Rel-NS: {metric: phases_ns.release.NS, factor: 2}}
//     unit: us                         # of every cell
//     rows:
//       5: [2.05, 0.02]                # null: nothing was printed here
//       20: [2.24, 0.10]
//     absolute: 20ns
//     source: "ShiftLock Table 3"
//     use: calibration
//
// becomes the values t3-wi/5/W-IA, t3-wi/5/Rel-NS, ... What a column says (metric, factor,
// tolerance, absolute) holds for its cells. The key that `over` names is added to `where`.
//
// `profile` may name several set-ups that one figure is compared with, each with what it adds to
// `where`: `profile: {paper: {label: paper}, artifact: {label: artifact}}` makes t3-wi@paper and
// t3-wi@artifact.
inline constexpr std::size_t kMostExpectations = 2'000;

struct FlatExpectation {
  YamlNode node;     // a value, ratio or order; what it holds is not checked
  std::string path;  // for messages: "expect.0.rows.5.W-IA"
};

// Throws InputError. A null pointer is an empty list.
std::vector<FlatExpectation> expand_expectations(const YamlNode* list);

// Finds the one point of a sweep that some values describe. Their path is that of a scenario's
// value ("platform.clients_per_node"), or `label`, or `clients` (all of them). Values are compared
// as quantities: 10M is 10000000.
class PointIndex {
 public:
  explicit PointIndex(const Scenario& scenario) : scenario_(scenario) {}

  // The point with all the values of this mapping; none or several throw InputError, which lists
  // the candidates.
  std::size_t find(const YamlNode& where, const Place& place, const std::string& path);
  // All of them; none throws.
  std::vector<std::size_t> find_all(const YamlNode& where, const Place& place,
                                    const std::string& path);

 private:
  using Texts = std::vector<std::string>;
  struct Value {
    Texts texts;  // ways to write it; none: the point has no such value
    Texts forms;  // what they read as, for comparisons
  };

  const std::vector<Value>& values_of(const std::string& path);
  Texts texts_at(std::size_t point, const std::string& path);
  Texts choices(const std::string& path, const std::vector<std::size_t>& points);
  [[noreturn]] void reject_none(const YamlNode& where, std::size_t at,
                                const std::vector<std::size_t>& before, const Place& place,
                                const std::string& path);
  [[noreturn]] void reject_several(const std::vector<std::size_t>& found, const Place& place,
                                   const std::string& path);

  const Scenario& scenario_;
  std::map<std::string, std::vector<Value>> values_;
};

}  // namespace latchlab
