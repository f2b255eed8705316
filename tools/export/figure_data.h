#pragma once
// The figures of a study as numbers: which points make a curve, and where they stand.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab::exporting {

struct FigureValue {
  double x = 0;        // the place among FigureData::names when x is no number
  std::string x_text;  // as in the scenario; empty when x is measured
  double y = 0;
  std::optional<double> ci95 = {};  // half-width; none below three repeats
  std::string apart = {};           // why no line goes through it; empty: one does
};

struct FigureSeries {
  std::string label;
  std::vector<FigureValue> values;  // by x; of a measured x, in the order of the sweep
};

enum class XKind { number, microseconds, percent, names, measured };

struct FigureData {
  std::string x, y;   // "platform.clients_per_node", "acquire_ns.p99"
  std::string where;  // what holds for all of it: "platform.clients_per_node=48"; may be empty
  XKind x_kind = XKind::number;
  std::vector<std::string> names;  // of XKind::names, in order
  std::vector<FigureSeries> series;
};

// Those of the scenario's report, without any default_figure(). Axes that a figure does not name
// divide its series further. Points without a value are left out, and a figure without points too.
std::vector<FigureData> figures_of(const Scenario& scenario, const StudyOutcome& outcome);

// Percentiles of acquire_ns, one series per lock, where everything else is as in the last point;
// of points whose numbers can be judged by.
FigureData latency_of(const Scenario& scenario, const StudyOutcome& outcome);

}  // namespace latchlab::exporting
