#include "tools/report/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/conclude/conclusion.h"
#include "core/conclude/figure_lines.h"
#include "core/conclude/remarks.h"
#include "core/conclude/scoring.h"
#include "core/conclude/verdict.h"
#include "core/measure/histogram.h"
#include "core/measure/leaves.h"
#include "core/measure/metric_docs.h"
#include "core/measure/metric_names.h"
#include "core/scenario/nic_constants.h"

namespace latchlab::tool {

// A cumulative distribution as a curve with few points.

// [[ns, ppm], ...]: `ppm` of the values are at most `ns`; both ascend. Sampled at every percent and
// more finely in the upper tail, where locks differ most. Equal values make one point.
std::vector<std::pair<double, std::int64_t>> curve_of(const Histogram& histogram);

namespace {
Histogram acquisitions(const PointOutcome& outcome) {
  Histogram merged;
  for (const auto& repeat : outcome.repeats)
    if (repeat && has_run(repeat->status)) merged.merge(repeat->metrics.acquire);
  return merged;
}

// Goodput of the first repeat that ran, by interval; empty without run.series.
Json timeline_json(const PointOutcome& outcome) {
  Json goodput = Json::array();
  for (const auto& repeat : outcome.repeats) {
    if (!repeat || !has_run(repeat->status)) continue;
    for (const RepeatMetrics::Real& each : repeat->metrics.series.goodput_ops_s)
      goodput.push_back(each.value_or(0));
    break;
  }
  return goodput;
}

// The value as results.json spells it, so that a stored run gives the same page; as in the NIC
// description if results.json lacks it.
std::string value_text(const Json& values, const ConstantOrigin& origin) {
  std::string pointer = "/" + origin.key;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const Json::json_pointer at(pointer);
  if (!values.contains(at)) return origin.value;
  const Json& value = values[at];
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

Json nic_json(const NicModel& nic, const Json& values) {
  Json constants = Json::array();
  for (const ConstantOrigin& origin : nic.origins)
    constants.push_back({{"key", origin.key},
                         {"value", value_text(values, origin)},
                         {"low", origin.low},
                         {"high", origin.high},
                         {"source", origin.source},
                         {"status", name_of(origin.status)},
                         {"overridden", origin.overridden},
                         {"says", find_nic_constant(origin.key)->as_key.says}});
  return {{"name", nic.name}, {"device", nic.device}, {"constants", std::move(constants)}};
}

Json figure_json(const Scenario& scenario, const StudyOutcome& outcome, const Figure& figure) {
  const FigureLines lines = lines_of(scenario, figure);
  Json json = {{"x", figure.x},           {"y", figure.y},
               {"series", figure.series}, {"measured", lines.measured},
               {"apart", lines.apart},    {"line", lines.line},
               {"at", lines.at}};
  if (!is_derived(figure)) return json;
  json["words"] = qualification(figure);
  json["relative"] = !figure.relative_to.empty();
  json["values"] = Json::array();
  for (const auto& value : drawn_values(scenario, outcome, figure, lines)) {
    Json& each = json["values"].emplace_back();
    if (value)
      each = {{"value", value->y},
              {"ci", value->ci95 ? Json(*value->ci95) : Json()},
              {"apart", value->apart}};
  }
  return json;
}

// The fairness figure has the x axis of the first figure.
void add_figures(Json& part, const Scenario& scenario, const StudyOutcome& outcome) {
  std::vector<Figure> figures = scenario.figures;
  const Figure usual = default_figure(scenario);
  if (figures.empty()) figures.push_back(usual);
  part["figures"] = Json::array();
  for (const Figure& figure : figures)
    part["figures"].push_back(figure_json(scenario, outcome, figure));
  const bool measured = part["figures"].front()["measured"].get<bool>();
  part["fairness"] = figure_json(
      scenario, outcome, {measured ? usual.x : figures.front().x, "fairness.jain", usual.series});
}

void add_points(Json& part, const ReportPart& from) {
  Json points = Json::array();
  Json nics = Json::array();
  const std::vector<bool> counts = counting_points(from.scenario, from.outcome);
  for (std::size_t i = 0; i < from.scenario.points.size(); ++i) {
    const Point& point = from.scenario.points[i];
    const Json params = parse_json(point.resolved_json);
    const auto add_nic = [&nics](const NicModel& nic, const Json& values) {
      Json json = nic_json(nic, values);
      if (std::find(nics.begin(), nics.end(), json) == nics.end()) nics.push_back(std::move(json));
    };
    add_nic(point.platform.nic, params["platform"]["nic"]);
    for (std::size_t group = 0; group < point.groups.size(); ++group)
      if (point.groups[group].nic)
        add_nic(*point.groups[group].nic, params["groups"][group]["nic"]);
    points.push_back({{"clients", point.platform.clients()},
                      {"lock", lock_name(point)},
                      {"apart", why_apart(from.outcome.points[i])},
                      {"acquire", curve_of(acquisitions(from.outcome.points[i]))},
                      {"timeline", timeline_json(from.outcome.points[i])},
                      {"interval_ns", point.run.series.nanoseconds()}});
    if (!counts[i]) points.back()["left_out"] = true;
  }
  part["points"] = std::move(points);
  part["nics"] = std::move(nics);
}

void add_doc(Json& docs, const std::string& path, const MetricDoc& doc) {
  docs[path] = {
      {"name", doc.short_name}, {"unit", doc.unit}, {"says", doc.says}, {"good", doc.good}};
}

// The page describes metrics and phases with the texts of `latchlab explain`.
Json metric_words() {
  Json docs = Json::object();
  for (const Leaf& leaf : repeat_leaves(RepeatMetrics{}))
    if (const auto doc = metric_doc(leaf.path)) add_doc(docs, leaf.path, *doc);
  for (const std::string& asked_for : metric_names())
    if (const auto doc = metric_doc(asked_for)) add_doc(docs, asked_for, *doc);
  for (const MetricDoc& phase : phase_docs()) add_doc(docs, phase.path, phase);
  return docs;
}

Json results(const ReportPart& part) {
  Json json = parse_json(results_json(part.scenario, part.outcome, part.manifest));
  for (Json& point : json["points"]) {
    const auto shorten = [](Json& nic) {
      if (nic.is_object()) nic = Json(nic["name"]);
    };
    shorten(point["params"]["platform"]["nic"]);
    for (Json& group : point["params"]["groups"])
      if (group.contains("nic")) shorten(group["nic"]);
    for (Json& repeat : point["repeats"]) {
      Json fingerprint;
      if (repeat["metrics"].is_object()) fingerprint = repeat["metrics"]["fingerprint"];
      repeat["metrics"] = {{"fingerprint", std::move(fingerprint)}};
    }
  }
  return json;
}

// The answers of a finished search; empty: none.
std::string answers_of(const std::string& search) {
  const Json json = parse_json(search);
  std::string text;
  if (json.is_object() && json.contains("says") && json["says"].is_array())
    for (const Json& sentence : json["says"])
      if (sentence.is_string()) text += (text.empty() ? "" : " ") + sentence.get<std::string>();
  return text;
}

Json part_json(const ReportPart& from) {
  Json part;
  part["name"] = from.name;
  const std::string answers = answers_of(from.search);
  part["finding"] = !answers.empty() ? answers : conclusion(from.scenario, from.outcome);
  add_figures(part, from.scenario, from.outcome);
  add_points(part, from);
  part["remarks"] = parse_json(remarks_json(from.scenario, from.outcome));
  part["scenario"] = from.scenario.resolved_yaml;
  const Json timing = parse_json(from.timing);
  part["timing"] = timing.is_object() ? timing : Json();
  if (!from.sensitivity.empty()) {
    part["sensitivity"] = parse_json(from.sensitivity);
    part["sensitivity"].erase("spans");
  }
  if (!from.comparison.empty()) part["comparison"] = parse_json(from.comparison);
  part["results"] = results(from);
  return part;
}

// The data that all pages have in common.
Json page_json() {
  Json json;
  json["metrics"] = metric_words();
  for (const MetricColumn& column : metric_columns())
    json["columns"].push_back({column.metric, column.name});
  json["parts"] = Json::array();
  return json;
}

// Skips files that are not traces, because the page must still show the run.
void add_plays(Json& json, const ReportPart& part) {
  for (const std::string& text : part.traces) {
    Json trace = parse_json(text);
    if (!trace.is_object() || !trace.contains("otherData") || !trace.contains("traceEvents"))
      continue;
    const Json& facts = trace["otherData"];
    std::string name = facts.value("label", part.name);
    const Json axes = facts.value("axes", Json::object());
    for (const auto& [path, value] : axes.items())
      if (!path.starts_with("protocol") && value.is_string())
        name += fmt::format(", {} {}", path.substr(path.rfind('.') + 1), value.get<std::string>());
    json["plays"].push_back({{"name", name}, {"trace", std::move(trace)}});
  }
}

void add_replay(Json& json, const std::string& name, const std::string& told) {
  json["plays"].push_back({{"name", name}, {"replay", parse_json(told)}});
}

Json with_parts(const std::vector<ReportPart>& parts) {
  Json json = page_json();
  for (const ReportPart& part : parts) {
    json["parts"].push_back(part_json(part));
    add_plays(json, part);
  }
  return json;
}

std::string without_markup(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      text += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    else
      text += c;
  }
  return text;
}

std::string text_of(const Json& json) {
  return without_markup(dump_json_in_ascii(json));
}

// The metrics at these paths, in the same nested objects.
Json only(const Json& metrics, const std::vector<std::string>& paths) {
  if (!metrics.is_object()) return metrics;
  Json kept = Json::object();
  for (std::string path : paths) {
    std::replace(path.begin(), path.end(), '.', '/');
    const Json::json_pointer at("/" + path);
    if (metrics.contains(at)) kept[at] = metrics[at];
  }
  return kept;
}

// Reduces a part to the data for the page on a paper. The experiment's own page has the rest.
void make_brief(Json& part) {
  std::vector<std::string> paths = {"goodput_ops_s", "stationary", "safety.checks"};
  for (const Json& figure : part["figures"])
    for (const char* axis : {"x", "y"}) paths.push_back(figure[axis].get<std::string>());
  for (const char* key : {"nics", "scenario", "timing", "fairness"}) part.erase(key);
  for (Json& point : part["points"])
    for (const char* key : {"acquire", "timeline"}) point.erase(key);
  for (Json& point : part["results"]["points"]) {
    point.erase("params");
    point["metrics"] = only(point["metrics"], paths);
    for (Json& repeat : point["repeats"]) repeat.erase("metrics");
  }
}

}  // namespace

std::string report_document(const std::vector<ReportPart>& parts) {
  return text_of(with_parts(parts));
}

std::string replay_document(const std::string& name, const std::string& told) {
  Json json = page_json();
  add_replay(json, name, told);
  return text_of(json);
}

std::string lesson_document(const Lesson& lesson, const std::vector<ReportPart>& parts) {
  Json json = with_parts(parts);
  json["lesson"] = {{"title", lesson.title}, {"text", lesson.text}, {"links", lesson.links}};
  if (!lesson.game.empty()) json["lesson"]["game"] = parse_json(lesson.game);
  for (const auto& [name, told] : lesson.replays) add_replay(json, name, told);
  return text_of(json);
}

std::string brief_document(const ReportPart& from) {
  Json part = part_json(from);
  make_brief(part);
  return text_of(part);
}

std::string paper_document(const Paper& paper, const std::vector<std::string>& parts) {
  Json json = page_json();
  json["paper"] = {{"name", paper.name},
                   {"notes", paper.notes},
                   {"scores", parse_json(scores_json(paper.scores))},
                   {"missing", paper.missing}};
  for (const std::string& part : parts) json["parts"].push_back(parse_json(part));
  return text_of(json);
}

namespace {

// The sampled shares, in parts per million.
std::vector<std::int64_t> sampled_shares() {
  std::vector<std::int64_t> shares;
  for (std::int64_t percent = 0; percent < 99; ++percent) shares.push_back(percent * 10'000);
  for (std::int64_t from = 990'000, step = 1'000; step > 0; step /= 10, from += 9 * step * 10)
    for (std::int64_t i = 0; i < 9; ++i) shares.push_back(from + i * step);
  shares.push_back(1'000'000);
  return shares;
}

}  // namespace

std::vector<std::pair<double, std::int64_t>> curve_of(const Histogram& histogram) {
  std::vector<std::pair<double, std::int64_t>> curve;
  if (histogram.count() == 0) return curve;
  for (const std::int64_t ppm : sampled_shares()) {
    const double ns = static_cast<double>(histogram.percentile(ppm)->ps) / 1e3;
    if (!curve.empty() && curve.back().first == ns)
      curve.back().second = ppm;
    else
      curve.emplace_back(ns, ppm);
  }
  return curve;
}

}  // namespace latchlab::tool
