#pragma once
// The figures of a study as numbers: the curves, and the coordinates of their points.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab::exporting {

struct FigureValue {
  double x = 0;        // an index into FigureData::names if x is not a number
  std::string x_text;  // as in the scenario; empty when x is measured
  double y = 0;
  std::optional<double> ci95 = {};  // half-width; absent with fewer than three repeats
  std::string apart = {};           // why the curve omits the point; empty: it does not
};

struct FigureSeries {
  std::string label;
  std::vector<FigureValue> values;  // ordered by x, or by the sweep if x is measured
};

enum class XKind { number, microseconds, percent, names, measured };

struct FigureData {
  std::string x, y;          // "platform.clients_per_node", "acquire_ns.p99"
  std::string y_words = {};  // qualification() of y
  bool relative = false;     // y is a quotient, so it has no unit
  std::string where;  // fixed for the whole figure: "platform.clients_per_node=48"; may be empty
  XKind x_kind = XKind::number;
  std::vector<std::string> names;  // the tics for XKind::names, in order
  std::vector<FigureSeries> series;
};

// The figures of the scenario's report, or default_figure() if it has none. A swept axis that a
// figure does not name divides its series or figures further. Points without a value and figures
// without points are left out.
std::vector<FigureData> figures_of(const Scenario& scenario, const StudyOutcome& outcome);

// Percentiles of acquire_ns, one series per lock, over the points that agree with the last point in
// everything but the protocol and its parameters. Points that are not sound() are left out.
FigureData latency_of(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::exporting
