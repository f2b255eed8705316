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
  std::string x_text;  // as in the scenario
  double y = 0;
  std::optional<double> ci95;  // half-width; none below three repeats
};

struct FigureSeries {
  std::string label;
  std::vector<FigureValue> values;  // by x
};

enum class XKind { number, microseconds, percent, names };

struct FigureData {
  std::string x, y;   // "platform.clients_per_node", "acquire_ns.p99"
  std::string where;  // what holds for all of it: "platform.clients_per_node=48"; may be empty
  XKind x_kind = XKind::number;
  std::vector<std::string> names;  // of XKind::names, in order
  std::vector<FigureSeries> series;
};

// Those of the scenario's report; without any, goodput over the first axis whose values are
// numbers. Axes that a figure does not name divide its series further. Points without a usable
// result are left out, and a figure without points too.
std::vector<FigureData> figures_of(const Scenario& scenario, const StudyOutcome& outcome);

// Percentiles of acquire_ns, one series per lock, where everything else is as in the last point.
FigureData latency_of(const Scenario& scenario, const StudyOutcome& outcome);

// Indices of points that figures leave out: unfinished, failed, stuck, unsafe or without progress.
std::vector<std::size_t> unusable_points(const StudyOutcome& outcome);

}  // namespace latchlab::exporting
