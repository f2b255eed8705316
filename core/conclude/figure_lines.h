#pragma once
// Groups the points of a sweep into the lines of a figure and gives each point its x. The report
// page and the gnuplot export share this code, so that both draw the same figures.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Resolves the words of `report.figures` and sweep.best_of: paths of a scenario, columns of the
// point tables, and metrics.
//
// Replaces each word by "label", "clients", a path or a metric's path. An unknown word is an error
// with its place.
Status name_figures(Scenario& scenario);

// By point: whether it counts. False for a point that sweep.best_of leaves out, because another one
// that differs in that path alone is better, or as good and earlier. Points that are not sound are
// worse than those that are.
std::vector<bool> counting_points(const Scenario& scenario, const StudyOutcome& outcome);

// True for "label", "protocol", "protocol.name" and "protocol.label": a point's label identifies
// its lock, so these paths all mean the label.
bool names_the_lock(const std::string& path);

// A point's value at a path, or at "clients": the swept text, otherwise the resolved value; empty:
// no value.
std::string value_at(const Point& point, const std::string& path);

// The value of a swept path as a part of a name: "locks.count=10", "max_consecutive_writers=4". An
// RNIC appears without its path: "connectx-5".
std::string setting(const std::string& path, const std::string& text);

// The label and the swept parameters of the protocol: "shiftlock max_consecutive_writers=4".
std::string lock_name(const Point& point);

struct FigureLines {
  bool measured = false;           // x is a metric: a line follows the sweep, not x
  std::vector<std::string> apart;  // swept paths whose values get separate figures or lines
  // All swept paths that tell points apart, without x, the lock, and what these determine.
  std::vector<std::string> others;
  std::vector<std::string> line;  // by point: the name of its line among points equal in `apart`
  std::vector<std::string> at;    // by point: x as the scenario writes it; empty: no x
};

// The axis of sweep.best_of is no part of a line. Precondition: name_figures() has completed
// `figure`.
FigureLines lines_of(const Scenario& scenario, const Figure& figure);

// Goodput over the first swept path with numeric values. A parameter of the protocol is the x axis
// only if the scenario sweeps no other path than locks and parameters.
Figure default_figure(const Scenario& scenario);

}  // namespace latchlab
