#include "tools/export/figure_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/conclude/figure_lines.h"
#include "core/conclude/verdict.h"

namespace latchlab::exporting {

namespace {

struct Number {
  XKind kind;
  double value;
};

std::optional<Number> number_in(const std::string& text) {
  if (const auto count = parse_count(text))
    return Number{XKind::number, static_cast<double>(count.value())};
  if (const auto ppb = parse_ratio_ppb(text)) {
    const bool percent = text.find('%') != std::string::npos;
    return Number{percent ? XKind::percent : XKind::number,
                  static_cast<double>(ppb.value()) / (percent ? 1e7 : 1e9)};
  }
  if (const auto length = parse_duration(text))
    return Number{XKind::microseconds, static_cast<double>(length.value().ps) / 1e6};
  return std::nullopt;
}

// Sets the x of each value: the number itself if all x are numbers of one kind, otherwise an index
// into the names. Measured x are already set.
void place(FigureData& figure) {
  if (figure.x_kind == XKind::measured) return;
  std::optional<XKind> kind;
  bool numbers = true;
  for (FigureSeries& series : figure.series)
    for (FigureValue& value : series.values) {
      const auto number = number_in(value.x_text);
      if (!number || kind.value_or(number->kind) != number->kind) {
        numbers = false;
      } else {
        kind = number->kind;
        value.x = number->value;
      }
    }
  figure.x_kind = numbers ? kind.value_or(XKind::number) : XKind::names;
  for (FigureSeries& series : figure.series) {
    for (FigureValue& value : series.values) {
      if (numbers) continue;
      auto at = std::find(figure.names.begin(), figure.names.end(), value.x_text);
      if (at == figure.names.end()) at = figure.names.insert(at, value.x_text);
      value.x = static_cast<double>(at - figure.names.begin());
    }
    std::sort(series.values.begin(), series.values.end(),
              [](const FigureValue& a, const FigureValue& b) {
                return std::pair(a.x, a.y) < std::pair(b.x, b.y);
              });
  }
}

FigureSeries& series_named(FigureData& figure, const std::string& label) {
  for (FigureSeries& series : figure.series)
    if (series.label == label) return series;
  figure.series.push_back({label, {}});
  return figure.series.back();
}

// nullopt: the point has no such metric.
std::optional<FigureValue> value_of(const Leaves& leaves, const std::string& y) {
  const auto number = number_at(leaves, y);
  if (!number) return std::nullopt;
  FigureValue value;
  value.y = *number;
  if (const auto* mean = std::get_if<MeanCi>(find_leaf(leaves, y))) value.ci95 = mean->ci95;
  return value;
}

std::string configuration(const Point& point, const std::vector<std::string>& paths) {
  std::string text;
  for (const auto& [axis, value] : point.axes)
    if (std::find(paths.begin(), paths.end(), axis) != paths.end())
      text += ", " + setting(axis, value);
  return text;
}

// `counts`: counting_points().
FigureData data_of(const Figure& figure, const Scenario& scenario, const StudyOutcome& outcome,
                   const std::vector<bool>& counts) {
  FigureData data;
  data.x = figure.x;
  data.y = figure.y;
  data.y_words = qualification(figure);
  data.relative = !figure.relative_to.empty();
  const FigureLines lines = lines_of(scenario, figure);
  if (lines.measured) data.x_kind = XKind::measured;
  std::vector<std::optional<DrawnValue>> derived;
  if (is_derived(figure)) derived = drawn_values(scenario, outcome, figure, lines);
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    if (!counts[i]) continue;
    const Leaves leaves = outcome.points[i].metrics();
    auto value = value_of(leaves, figure.y);
    const auto x = lines.measured ? number_at(leaves, figure.x) : 0;
    if (!value || !x || (!lines.measured && lines.at[i].empty())) continue;
    value->apart = why_apart(outcome.points[i]);
    if (is_derived(figure)) {
      if (!derived[i]) continue;
      *value = {0, "", derived[i]->y, derived[i]->ci95, derived[i]->apart};
    }
    value->x = *x;
    value->x_text = lines.at[i];
    series_named(data, lines.line[i] + configuration(scenario.points[i], lines.apart))
        .values.push_back(std::move(*value));
  }
  place(data);
  return data;
}

}  // namespace

std::vector<FigureData> figures_of(const Scenario& scenario, const StudyOutcome& outcome) {
  std::vector<Figure> wanted = scenario.figures;
  if (wanted.empty()) wanted.push_back(default_figure(scenario));
  const std::vector<bool> counts = counting_points(scenario, outcome);
  std::vector<FigureData> figures;
  for (const Figure& figure : wanted) {
    FigureData data = data_of(figure, scenario, outcome, counts);
    if (!data.series.empty()) figures.push_back(std::move(data));
  }
  return figures;
}

FigureData latency_of(const Scenario& scenario, const StudyOutcome& outcome) {
  constexpr std::array<std::pair<const char*, const char*>, 5> percentiles = {
      {{"p50", "50%"}, {"p90", "90%"}, {"p99", "99%"}, {"p999", "99.9%"}, {"max", "max"}}};
  std::vector<std::string> others;
  for (const auto& [axis, value] : scenario.points.back().axes)
    if (!axis.starts_with("protocol")) others.push_back(axis);
  const auto where = [&](const Point& point) { return configuration(point, others); };
  FigureData data;
  data.x = "percentile";
  data.y = "acquire_ns";
  const std::string here = where(scenario.points.back());
  if (!here.empty()) data.where = here.substr(2);
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    if (!outcome.points[i].sound() || where(scenario.points[i]) != here) continue;
    const Leaves leaves = outcome.points[i].metrics();
    const std::string apart = why_apart(outcome.points[i]);
    FigureSeries series{lock_name(scenario.points[i]) + (apart.empty() ? "" : ", " + apart), {}};
    for (const auto& [name, shown] : percentiles)
      if (auto value = value_of(leaves, fmt::format("acquire_ns.{}", name))) {
        value->x_text = shown;
        series.values.push_back(std::move(*value));
      }
    if (!series.values.empty()) data.series.push_back(std::move(series));
  }
  place(data);
  return data;
}

}  // namespace latchlab::exporting
