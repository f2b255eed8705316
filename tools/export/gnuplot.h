#pragma once
// Figures as gnuplot scripts with data files.

#include <string>
#include <utility>
#include <vector>

#include "tools/export/figure_data.h"

namespace latchlab::exporting {

// Quotes a text of the user as a gnuplot string on one line. The scripts select `noenhanced`
// terminals, so gnuplot interprets no markup in it; gnuplot_tic() also escapes %, which is a format
// character in tic labels.
std::string gnuplot_text(const std::string& text);
std::string gnuplot_tic(const std::string& text);

// Name and content of a file.
using TextFile = std::pair<std::string, std::string>;

// fig1.dat, fig1.gp, ..., latency.dat, latency.gp and a Makefile. `title` goes into comments.
std::vector<TextFile> gnuplot_files(const std::string& title,
                                    const std::vector<FigureData>& figures,
                                    const FigureData& latency);

}  // namespace latchlab::exporting
