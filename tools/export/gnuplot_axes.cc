#include "tools/export/gnuplot_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "tools/export/gnuplot.h"

namespace latchlab::exporting {

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
