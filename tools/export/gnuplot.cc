#include "tools/export/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "tools/export/figure_data.h"

namespace latchlab::exporting {

// Axes of a figure for gnuplot: their units, ranges and tics.

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

namespace {

// Sized for one column of a two-column paper. Curves also differ in black and white.
constexpr const char* kStyle = R"(reset
if (!exists("format")) format = 'pdf'
if (format eq 'svg') {
  set terminal svg noenhanced size 490,330 font 'Helvetica,11' linewidth 1.2 background 'white'
} else {
  if (format ne 'pdf') { print "format is pdf or svg, not ", format; exit status 2 }
  set terminal pdfcairo noenhanced size 3.4in,2.3in font 'Helvetica,8' linewidth 1.2
}
set encoding utf8
set linetype 1 lc rgb '#000000' dt 1 pt 4
set linetype 2 lc rgb '#0060a0' dt (12,4) pt 6
set linetype 3 lc rgb '#c04000' dt (4,3) pt 8
set linetype 4 lc rgb '#007850' dt (12,3,3,3) pt 10
set linetype 5 lc rgb '#a05080' dt (7,3) pt 12
set linetype 6 lc rgb '#4090c8' dt (12,3,3,3,3,3) pt 5
set linetype 7 lc rgb '#b08000' dt (2,2) pt 7
set linetype 8 lc rgb '#606060' dt (18,4) pt 9
set linetype cycle 8
set border 3 linewidth 0.8
set tics nomirror out scale 0.6
set grid ytics linetype -1 linecolor rgb '#d0d0d0' linewidth 0.5 dashtype 1
set key outside top center horizontal Left reverse maxcols 3 samplen 3.5 spacing 1.0
set pointsize 0.8
set errorbars 0.6 linewidth 0.7 dashtype 1
)";

// A block of the data file: the values on a series' line, or the values that one verdict keeps off
// the line.
struct Block {
  std::size_t series = 0;
  std::string apart;
  std::vector<std::string> rows;  // an empty one breaks the line
  bool intervals = false;
  bool names_series = false;  // the first block of its series, which gets the entry in the key
};

Block block_of(const FigureData& figure, std::size_t series, const std::string& apart) {
  Block block{series, apart, {}};
  bool broken = false;
  for (const FigureValue& value : figure.series[series].values) {
    if (value.apart != apart) {
      broken = apart.empty();
      continue;
    }
    if (broken && !block.rows.empty()) block.rows.emplace_back();
    broken = false;
    block.rows.push_back(fmt::format("{}\t{}\t{}", value.x, value.y, value.ci95.value_or(0)));
    block.intervals = block.intervals || value.ci95.value_or(0) > 0;
  }
  return block;
}

std::vector<Block> blocks_of(const FigureData& figure) {
  std::vector<Block> lines, apart;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    std::set<std::string> verdicts;
    for (const FigureValue& value : figure.series[i].values) verdicts.insert(value.apart);
    for (const std::string& verdict : verdicts) {  // the empty verdict sorts first
      Block block = block_of(figure, i, verdict);
      block.names_series = verdict == *verdicts.begin();
      (verdict.empty() ? lines : apart).push_back(std::move(block));
    }
  }
  std::move(apart.begin(), apart.end(), std::back_inserter(lines));
  return lines;
}

std::string data_file(const std::string& head, const FigureData& figure) {
  std::string text = head;
  text += fmt::format(
      "# columns: {} | {} | its 95% confidence half-width (0: unknown, below three repeats)\n"
      "# times in ns, rates in 1/s, shares as fractions; one block per series\n",
      one_line(x_title(figure)), one_line(figure.y + figure.y_words));
  for (const Block& block : blocks_of(figure))
    text += fmt::format("\n\n# series: {}{}{}\n{}\n", one_line(figure.series[block.series].label),
                        block.apart.empty() ? "" : ", apart: ", block.apart,
                        fmt::join(block.rows, "\n"));
  return text;
}

// gnuplot's point type that marks a point kept off its line.
int sign_of(const std::string& verdict) {
  if (verdict == "UNSAFE") return 2;                 // x
  if (verdict == "DEADLOCK") return 3;               // *
  if (verdict == "NO PROGRESS") return 12;           // a diamond
  if (verdict == "starved") return 1;                // +
  if (verdict == "starved, not settled") return 14;  // a pentagon
  return verdict.ends_with("not settled") ? 6 : 4;   // a ring; a box
}

std::string script(const std::string& head, const std::string& name, const FigureData& figure) {
  const Scale scale = y_scale(figure);
  const Scale across = x_scale(figure);
  std::string text = head;
  text += fmt::format(
      "# makes {0}.pdf; for {0}.svg:  gnuplot -e \"format='svg'\" {0}.gp\n{1}"
      "set output '{0}.' . format\n{2}{3}",
      name, kStyle, x_axis(figure, across), y_axis(figure, scale));
  // Error bars are separate from lines, so that the key shows each line's dash pattern. Marks come
  // last, so that gnuplot draws them on top.
  std::vector<std::string> curves, signs;
  std::set<std::string> told;
  const std::vector<Block> blocks = blocks_of(figure);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    const std::string x = across.unit == 1 ? "1" : fmt::format("($1/{})", across.unit);
    const std::string data =
        fmt::format("'{}.dat' index {} using {}:($2/{})", name, i, x, scale.unit);
    const std::size_t style = block.series + 1;
    if (block.intervals)
      curves.push_back(fmt::format("{}:($3/{}) with yerrorbars linetype {} pointtype 0 notitle",
                                   data, scale.unit, style));
    curves.push_back(fmt::format(
        "{} with {} linetype {} {}", data, block.apart.empty() ? "linespoints" : "points", style,
        block.names_series ? "title " + gnuplot_text(figure.series[block.series].label)
                           : "notitle"));
    if (block.apart.empty()) continue;
    const bool named = !told.insert(block.apart).second;
    signs.push_back(fmt::format(
        "{} with points linecolor rgb '#000000' pointtype {} pointsize 1.5 {}", data,
        sign_of(block.apart), named ? "notitle" : "title " + gnuplot_text(block.apart)));
  }
  std::move(signs.begin(), signs.end(), std::back_inserter(curves));
  text += fmt::format("plot {}", fmt::join(curves, ", \\\n     "));
  return text + "\nunset output\n";
}

std::string makefile(const std::vector<std::string>& names) {
  return fmt::format(
      "# make: a PDF of each figure; make svg: an SVG\n"
      "FIGURES = {}\n"
      "pdf: $(FIGURES:=.pdf)\n"
      "svg: $(FIGURES:=.svg)\n"
      "%.pdf: %.gp %.dat\n\tgnuplot -e \"format='pdf'\" $<\n"
      "%.svg: %.gp %.dat\n\tgnuplot -e \"format='svg'\" $<\n"
      ".PHONY: pdf svg\n",
      fmt::join(names, " "));
}

}  // namespace

std::vector<TextFile> gnuplot_files(const std::string& title,
                                    const std::vector<FigureData>& figures,
                                    const FigureData& latency) {
  std::vector<TextFile> files;
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const FigureData& figure) {
    const std::string head = fmt::format(
        "# {}: {}{} over {}{}\n", one_line(title), one_line(figure.y), one_line(figure.y_words),
        one_line(figure.x), figure.where.empty() ? "" : ", where " + one_line(figure.where));
    files.emplace_back(name + ".dat", data_file(head, figure));
    files.emplace_back(name + ".gp", script(head, name, figure));
    names.push_back(name);
  };
  for (std::size_t i = 0; i < figures.size(); ++i) add(fmt::format("fig{}", i + 1), figures[i]);
  if (!latency.series.empty()) add("latency", latency);
  files.emplace_back("Makefile", makefile(names));
  return files;
}

namespace {

constexpr double kWideRange = 20;      // greatest/least: a larger ratio gets a logarithmic axis
constexpr std::size_t kManyTics = 10;  // up to so many values of x, each value is a tic

Scale fitting(const std::vector<Scale>& scales, double greatest) {
  for (const Scale& scale : scales)
    if (greatest >= scale.unit) return scale;
  return scales.back();
}

Scale scale_of(const std::string& metric, double greatest) {
  const std::string first = metric.substr(0, metric.find('.'));
  if (first.ends_with("_ns") || metric.ends_with("_ns"))
    return fitting({{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}, greatest);
  if (metric != "engine.simulated_s" && metric.ends_with("_s"))
    return fitting({{1e9, "G/s"}, {1e6, "M/s"}, {1e3, "k/s"}, {1, "1/s"}}, greatest);
  if (metric.find("share") != std::string::npos || metric.find("utilisation") != std::string::npos)
    return {0.01, "%"};
  return {};
}

// "acquire_ns.p999" becomes "Acquire latency p99.9".
std::string title_of(const std::string& path) {
  std::string text = path;
  for (const char* unit : {"_ops_s", "_ns", "_s"}) {
    const std::size_t at = text.find(unit);
    const std::size_t behind = at + std::string(unit).size();
    if (at != std::string::npos && (behind == text.size() || text[behind] == '.'))
      text.erase(at, behind - at);
  }
  if (text.ends_with(".p999")) text.replace(text.size() - 5, 5, " p99 9");
  for (char& c : text)
    if (c == '_' || c == '.') c = ' ';
  if (text.ends_with("p99 9")) text[text.size() - 2] = '.';
  if (text.starts_with("acquire")) text.insert(7, " latency");
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

struct Range {
  double least = std::numeric_limits<double>::max();
  double greatest = std::numeric_limits<double>::lowest();
  void add(double value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  bool wide() const { return least > 0 && greatest / least >= kWideRange; }
};

Range xs_of(const FigureData& figure) {
  Range range;
  for (const FigureSeries& series : figure.series)
    for (const FigureValue& value : series.values) range.add(value.x);
  return range;
}

Range ys_of(const FigureData& figure) {
  Range range;
  for (const FigureSeries& series : figure.series)
    for (const FigureValue& value : series.values) {
      range.add(value.y);
      range.add(value.y + value.ci95.value_or(0));
    }
  return range;
}

// If there is room, the tics are the values of x as the scenario writes them.
std::string x_tics(const FigureData& figure) {
  std::vector<std::pair<double, std::string>> tics;
  for (const FigureSeries& series : figure.series)
    for (const FigureValue& value : series.values) tics.emplace_back(value.x, value.x_text);
  std::sort(tics.begin(), tics.end());
  tics.erase(std::unique(tics.begin(), tics.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; }),
             tics.end());
  if (figure.x_kind != XKind::names && tics.size() > kManyTics) return {};
  std::string list;
  for (const auto& [x, text] : tics) {
    const bool plain = figure.x_kind == XKind::microseconds || figure.x_kind == XKind::percent;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ",
                        gnuplot_tic(plain ? fmt::format("{}", x) : text), x);
  }
  return fmt::format("set xtics ({})\n", list);
}

std::string labelled(const char* axis, const std::string& title, const Scale& scale) {
  const std::string unit = scale.name.empty() ? "" : fmt::format(" ({})", scale.name);
  return fmt::format("set {}label {}\n", axis, gnuplot_text(title + unit));
}

}  // namespace

Scale x_scale(const FigureData& figure) {
  return figure.x_kind == XKind::measured ? scale_of(figure.x, xs_of(figure).greatest) : Scale();
}

Scale y_scale(const FigureData& figure) {
  return figure.relative ? Scale() : scale_of(figure.y, ys_of(figure).greatest);
}

std::string x_title(const FigureData& figure) {
  if (figure.x_kind == XKind::measured) return title_of(figure.x);
  std::string last = figure.x.substr(figure.x.rfind('.') + 1);
  if (figure.x == "label" || figure.x == "protocol") last = "lock";
  const std::string title = title_of(last);
  if (figure.x.ends_with(".nic")) return "RNIC";
  if (figure.x_kind == XKind::microseconds) return title + " (µs)";
  return figure.x_kind == XKind::percent ? title + " (%)" : title;
}

std::string x_axis(const FigureData& figure, const Scale& scale) {
  Range range = xs_of(figure);
  range.least /= scale.unit;
  range.greatest /= scale.unit;
  std::string text = labelled("x", x_title(figure), scale);
  if (figure.x_kind != XKind::measured) text += x_tics(figure);
  if (figure.x_kind == XKind::names)
    return text +
           fmt::format("set xrange [-0.4:{}]\n", static_cast<double>(figure.names.size()) - 0.6);
  if (range.wide())
    return text + fmt::format("set logscale x\nset xrange [{}:{}]\n", range.least / 1.2,
                              range.greatest * 1.2);
  const double spare = range.greatest > range.least ? (range.greatest - range.least) * 0.04 : 0.5;
  return text + fmt::format("set xrange [{}:{}]\n", range.least - spare, range.greatest + spare);
}

std::string y_axis(const FigureData& figure, const Scale& scale) {
  const Range range = ys_of(figure);
  const std::string text = labelled("y", title_of(figure.y) + figure.y_words, scale);
  if (range.wide()) return text + "set logscale y\n";
  const double top = range.greatest > 0 ? range.greatest / scale.unit * 1.08 : 1;
  return text + fmt::format("set yrange [{}:{}]\n", std::min(range.least / scale.unit, 0.0), top);
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

// gnuplot interprets nothing between apostrophes, but it misreads a string that begins with a
// doubled apostrophe. A text with apostrophes is therefore put between quotation marks, with octal
// escapes for the characters that gnuplot would interpret.
std::string gnuplot_text(const std::string& text) {
  const std::string line = one_line(text);
  if (line.find('\'') == std::string::npos) return "'" + line + "'";
  std::string quoted = "\"";
  for (const char c : line) {
    const bool means_something = std::string_view("\"\\'`@$#{}").find(c) != std::string_view::npos;
    quoted += means_something ? fmt::format("\\{:03o}", static_cast<unsigned char>(c))
                              : std::string(1, c);
  }
  return quoted + "\"";
}

std::string gnuplot_tic(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '%' ? std::string("%%") : std::string(1, c);
  return gnuplot_text(escaped);
}

}  // namespace latchlab::exporting
