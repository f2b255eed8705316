#pragma once
// Figures as scripts for gnuplot, with their data beside them.

#include <string>
#include <utility>
#include <vector>

#include "tools/export/figure_data.h"

namespace latchlab::exporting {

// Texts of users inside a script: 'as gnuplot reads it', on one line. Terminals are noenhanced, so
// that nothing else in it has a meaning; a tic's label knows % besides.
std::string gnuplot_text(const std::string& text);
std::string gnuplot_tic(const std::string& text);

// A name and what stands in the file.
using TextFile = std::pair<std::string, std::string>;

// fig1.dat, fig1.gp, ..., latency.dat, latency.gp and a Makefile. `title`: for comments.
std::vector<TextFile> gnuplot_files(const std::string& title,
                                    const std::vector<FigureData>& figures,
                                    const FigureData& latency);

}  // namespace latchlab::exporting
