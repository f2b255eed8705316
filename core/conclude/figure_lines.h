#pragma once
// Groups the points of a sweep into the lines of a figure and gives each point its x. The report
// page and the gnuplot export share this code, so that both draw the same figures.

#include <cstddef>
#include <optional>
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

// By point: whether it counts. False for a point that sweep.best_of leaves out, because another
// variant of its line is better there, or as good and earlier. Points that are not sound are worse
// than those that are.
std::vector<bool> counting_points(const Scenario& scenario, const StudyOutcome& outcome);

// True for "label", "protocol", "protocol.name" and "protocol.label": a point's label identifies
// its lock, so these paths all mean the label.
bool names_the_lock(const std::string& path);

// The value of a swept path as a part of a name: "locks.count=10", "max_consecutive_writers=4". An
// RNIC appears without its path: "connectx-5".
std::string setting(const std::string& path, const std::string& text);

// A point's value at a path, as the scenario writes it; empty: none.
std::string text_at(const Point& point, const std::string& path);

// The label and the swept parameters of the protocol: "shiftlock max_consecutive_writers=4".
std::string lock_name(const Point& point);

struct FigureLines {
  bool measured = false;           // x is a metric: a line follows the sweep, not x
  std::vector<std::string> apart;  // swept paths whose values get separate figures or lines
  // All swept paths that tell points apart, without x, the lock, and what these determine.
  std::vector<std::string> others;
  std::vector<std::string> line;  // by point: the name of its line among points equal in `apart`
  std::vector<std::string> at;    // by point: x as the scenario writes it; empty: no x
  // By point: the point in whose place it is drawn, with mean_over; otherwise itself.
  std::vector<std::size_t> drawn_at;
};

// True if this axis is the length of a warm-up or window that each lock has one value of: a lock
// that takes longer to settle is measured longer, and is compared with others all the same.
bool is_window_of_locks(const Scenario& scenario, const std::string& axis);

// Variants of sweep.best_of have the name of their line. Precondition: name_figures() has completed
// `figure`.
FigureLines lines_of(const Scenario& scenario, const Figure& figure);

struct DrawnValue {
  double y = 0;
  std::optional<double> ci95 = {};  // half-width; absent with fewer than three repeats
  std::string apart = {};  // why the line omits the point (why_apart()); empty: it does not
};

// The y that a figure draws for each point: the metric, divided as `relative_to` requires, then
// averaged as `mean_over` does. None: the point is drawn elsewhere, or a metric or a point to
// divide by is missing. A quotient is that of the points' metrics; its interval is that of the
// quotients of the repeats.
std::vector<std::optional<DrawnValue>> drawn_values(const Scenario& scenario,
                                                    const StudyOutcome& outcome,
                                                    const Figure& figure, const FigureLines& lines);

// True if y is not the metric of a point itself.
bool is_derived(const Figure& figure);
// " relative to remote_budget=5, mean over workload.locality", to follow the name of y in a title.
std::string qualification(const Figure& figure);

// Goodput over the first swept path with numeric values. A parameter of the protocol is the x axis
// only if the scenario sweeps no other path than locks and parameters.
Figure default_figure(const Scenario& scenario);

}  // namespace latchlab
