#pragma once
// What a figure makes of the points of a sweep: which stand on one line, and where along x. The
// report's page and gnuplot's files have it from here.

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/study/study.h"

namespace latchlab::exporting {

// "label", "protocol", "protocol.name", "protocol.label": what the label says.
bool names_the_lock(const std::string& path);

// What a swept path has, as a part of a name: "locks.count=10", "max_consecutive_writers=4". RNICs
// say themselves what they are: "connectx-5".
std::string setting(const std::string& path, const std::string& text);

// The label, and what else of the protocol is swept: "shiftlock max_consecutive_writers=4".
std::string lock_name(const Point& point);

struct FigureLines {
  bool measured = false;           // x is a metric: a line follows the sweep, not x
  std::vector<std::string> apart;  // swept paths that each have figures, or lines, of their own
  std::vector<std::string> line;   // by point: the name of its line where `apart` is the same
  std::vector<std::string> at;     // by point: x as the scenario writes it; empty: has none
};

// `figure` has been through name_figures().
FigureLines lines_of(const Scenario& scenario, const Figure& figure);

// Goodput over the first swept path whose values are numbers; one of the protocol only if nothing
// else is swept but locks.
Figure default_figure(const Scenario& scenario);

}  // namespace latchlab::exporting
