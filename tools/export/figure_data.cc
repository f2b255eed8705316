#include "tools/export/figure_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace latchlab::exporting {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kLabel = "label";

bool names_the_lock(const std::string& path) {
  return path == kLabel || path == "protocol" || path == "protocol.name" ||
         path == "protocol.label";
}

std::string json_text(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

// What a point has at a path: as swept, else as resolved; empty when there is nothing.
std::string text_at(const Point& point, const std::string& path) {
  if (names_the_lock(path)) return point.protocol.label;
  for (const auto& [axis, value] : point.axes)
    if (axis == path) return value;
  Json resolved = Json::parse(point.resolved_json, nullptr, false);
  const Json* at = &resolved;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const std::string part = path.substr(from, dot - from);
    if (!at->is_object() || !at->contains(part)) return {};
    at = &(*at)[part];
    from = dot + 1;
  }
  return at->is_null() ? std::string() : json_text(*at);
}

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

// Places the values along x: as numbers when all of them are of one kind, else in order.
void place(FigureData& figure) {
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

bool add_value(FigureSeries& series, const std::string& x, const Leaves& leaves,
               const std::string& y) {
  const LeafValue* leaf = find_leaf(leaves, y);
  const auto number = leaf != nullptr ? number_of(*leaf) : std::nullopt;
  if (!number) return false;
  FigureValue value;
  value.x_text = x;
  value.y = *number;
  if (const auto* mean = std::get_if<MeanCi>(leaf)) value.ci95 = mean->ci95;
  series.values.push_back(std::move(value));
  return true;
}

// The series that a point belongs to.
std::string series_of(const Point& point, const Figure& figure) {
  std::string label = names_the_lock(figure.series)
                          ? point.protocol.label
                          : fmt::format("{}={}", figure.series, text_at(point, figure.series));
  for (const auto& [axis, value] : point.axes)
    if (axis != figure.x && axis != figure.series && !names_the_lock(axis) &&
        axis.rfind("protocol.", 0) != 0)
      label += fmt::format(", {}={}", axis, value);
  return label;
}

FigureData data_of(const Figure& figure, const Scenario& scenario, const StudyOutcome& outcome) {
  FigureData data;
  data.x = figure.x;
  data.y = figure.y;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    const Point& point = scenario.points[i];
    const std::string x = text_at(point, figure.x);
    if (!outcome.points[i].sound() || x.empty()) continue;
    const Leaves leaves = outcome.points[i].metrics();
    FigureSeries one;
    if (!add_value(one, x, leaves, figure.y)) continue;
    series_named(data, series_of(point, figure)).values.push_back(std::move(one.values.front()));
  }
  place(data);
  return data;
}

Figure default_figure(const Scenario& scenario) {
  for (const auto& [axis, value] : scenario.points.front().axes)
    if (!names_the_lock(axis) && number_in(value)) return {axis, "goodput_ops_s", kLabel};
  return {kLabel, "goodput_ops_s", kLabel};
}

}  // namespace

std::vector<FigureData> figures_of(const Scenario& scenario, const StudyOutcome& outcome) {
  std::vector<Figure> wanted = scenario.figures;
  if (wanted.empty()) wanted.push_back(default_figure(scenario));
  std::vector<FigureData> figures;
  for (const Figure& figure : wanted) {
    FigureData data = data_of(figure, scenario, outcome);
    if (!data.series.empty()) figures.push_back(std::move(data));
  }
  return figures;
}

FigureData latency_of(const Scenario& scenario, const StudyOutcome& outcome) {
  constexpr std::array<std::pair<const char*, const char*>, 5> percentiles = {
      {{"p50", "50%"}, {"p90", "90%"}, {"p99", "99%"}, {"p999", "99.9%"}, {"max", "max"}}};
  const auto surroundings = [](const Point& point) {
    std::string text;
    for (const auto& [axis, value] : point.axes)
      if (!names_the_lock(axis) && axis.rfind("protocol.", 0) != 0)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis, value);
    return text;
  };
  FigureData data;
  data.x = "percentile";
  data.y = "acquire_ns";
  data.where = surroundings(scenario.points.back());
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    if (!outcome.points[i].sound() || surroundings(scenario.points[i]) != data.where) continue;
    const Leaves leaves = outcome.points[i].metrics();
    FigureSeries series{scenario.points[i].protocol.label, {}};
    for (const auto& [name, shown] : percentiles)
      add_value(series, shown, leaves, fmt::format("acquire_ns.{}", name));
    if (!series.values.empty()) data.series.push_back(std::move(series));
  }
  place(data);
  return data;
}

std::vector<std::size_t> unusable_points(const StudyOutcome& outcome) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < outcome.points.size(); ++i)
    if (!outcome.points[i].sound()) points.push_back(i);
  return points;
}

}  // namespace latchlab::exporting
