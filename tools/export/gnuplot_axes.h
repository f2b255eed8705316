#pragma once
// Axes of a figure for gnuplot: their units, ranges and tics.

#include <string>

#include "tools/export/figure_data.h"

namespace latchlab::exporting {

struct Scale {
  double unit = 1;  // values are divided by it
  std::string name;
};

// The unit of an axis. x has a unit only if it is measured; otherwise the figure shows the values
// as the scenario writes them.
Scale x_scale(const FigureData& figure);
Scale y_scale(const FigureData& figure);

std::string x_title(const FigureData& figure);

// Commands for labels, ranges and tics.
std::string x_axis(const FigureData& figure, const Scale& scale);
std::string y_axis(const FigureData& figure, const Scale& scale);

// A text of the user, made safe for a comment in a script.
std::string one_line(std::string text);

}  // namespace latchlab::exporting
