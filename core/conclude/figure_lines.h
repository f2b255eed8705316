#pragma once
// Groups the points of a sweep into the lines of a figure and gives each point its x. The report
// page and the gnuplot export share this code, so that both draw the same figures.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Resolves the words of `report.figures`: paths of a scenario, columns of the point tables, and
// metrics.
//
// Replaces each word by "label", "clients", a path or a metric's path. An unknown word is an error
// with its place.
Status name_figures(Scenario& scenario);

// True for "label", "protocol", "protocol.name" and "protocol.label": a point's label identifies
// its lock, so these paths all mean the label.
bool names_the_lock(const std::string& path);

// The value of a swept path as a part of a name: "locks.count=10", "max_consecutive_writers=4". An
// RNIC appears without its path: "connectx-5".
std::string setting(const std::string& path, const std::string& text);

// The label and the swept parameters of the protocol: "shiftlock max_consecutive_writers=4".
std::string lock_name(const Point& point);

struct FigureLines {
  bool measured = false;           // x is a metric: a line follows the sweep, not x
  std::vector<std::string> apart;  // swept paths whose values get separate figures or lines
  std::vector<std::string> line;   // by point: the name of its line among points equal in `apart`
  std::vector<std::string> at;     // by point: x as the scenario writes it; empty: no x
};

// Precondition: name_figures() has completed `figure`.
FigureLines lines_of(const Scenario& scenario, const Figure& figure);

// Goodput over the first swept path with numeric values. A parameter of the protocol is the x axis
// only if the scenario sweeps no other path than locks and parameters.
Figure default_figure(const Scenario& scenario);

}  // namespace latchlab
