#include "core/conclude/scoring.h"

#include <fmt/format.h>

#include <string>

#include "core/base/json.h"
#include "core/measure/metric_docs.h"
#include "core/measure/metric_names.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

Status check_metric(const std::string& metric, const Expectation& entry) {
  if (is_metric(metric)) return fine();
  const std::string problem =
      fmt::format("expectation '{}': there is no metric '{}'", entry.id, metric);
  const std::vector<std::string> parts = parts_of_metric(metric);
  if (!parts.empty()) return Error{problem + "; choose one of " + joined(parts), entry.place};
  return Error{problem + suggestion(metric, metric_names()), entry.place};
}

// Emulated points are scored on counts but not on speed.
void leave_out_speed(Leaves& leaves) {
  std::erase_if(leaves, [](const Leaf& leaf) {
    const auto doc = metric_doc(leaf.path);
    return doc && (doc->unit == "ns" || doc->unit == "1/s");
  });
}

PointNumbers numbers_of(const Point& point, const PointOutcome& outcome) {
  PointNumbers numbers;
  if (!is_whole(point, outcome)) return numbers;
  numbers.point = outcome.metrics();
  for (const auto& repeat : outcome.repeats)
    numbers.repeats.push_back(repeat_leaves(repeat->metrics));
  if (outcome.emulated.empty()) return numbers;
  leave_out_speed(numbers.point);
  for (Leaves& repeat : numbers.repeats) leave_out_speed(repeat);
  return numbers;
}

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json differences_json(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& each : differences)
    list.push_back({{"better", each.better},
                    {"worse", each.worse},
                    {"mean", number(each.mean)},
                    {"ci95", number(each.ci95)}});
  return list;
}

std::string sum_text(const std::vector<std::string>& metrics) {
  std::string text;
  for (const std::string& metric : metrics) text += (text.empty() ? "" : " + ") + metric;
  return text;
}

Json figure_json(const Expectation& entry, const Scored& scored) {
  Json json;
  json["id"] = entry.id;
  json["kind"] = name_of(entry.kind);
  json["metric"] = sum_text(entry.metrics);
  if (entry.factor != 1) json["factor"] = entry.factor;
  json["points"] = entry.groups;
  if (entry.kind == ExpectKind::order) {
    json["best"] = entry.highest_is_best ? "highest" : "lowest";
    json["differences"] = differences_json(scored.differences);
  } else {
    json["published"] = entry.published;
    json["predicted"] = number(scored.predicted);
    json["ci95"] = number(scored.ci95);
    json["ratio"] = number(scored.ratio);
    json["log2_error"] = number(scored.log2_error);
    json["tolerance"] = entry.tolerance;
    json["absolute"] = entry.absolute;
  }
  json["verdict"] = name_of(scored.verdict);
  json["use"] = name_of(entry.use);
  json["profile"] = entry.profile.empty() ? Json() : Json(entry.profile);
  json["source"] = entry.source;
  if (!entry.disputed.empty()) json["disputed"] = entry.disputed;
  return json;
}

}  // namespace

Status check_metrics(const Scenario& scenario) {
  for (const Expectation& entry : scenario.expectations)
    for (const std::string& metric : entry.metrics)
      if (Status checked = check_metric(metric, entry); !checked) return checked;
  return fine();
}

bool is_whole(const Point& point, const PointOutcome& outcome) {
  if (!outcome.complete()) return false;
  switch (outcome.status()) {
    case RepeatStatus::ok:
    case RepeatStatus::starved:
      return true;
    case RepeatStatus::unsafe:
      return point.run.on_violation == OnViolation::record;
    case RepeatStatus::too_short:
    case RepeatStatus::unavailable:
    case RepeatStatus::no_progress:
    case RepeatStatus::stuck:
    case RepeatStatus::failed:
      break;
  }
  return false;
}

StudyScore score_study(const Scenario& scenario, const StudyOutcome& outcome) {
  if (scenario.expectations.empty()) return {};
  std::vector<PointNumbers> points;
  for (std::size_t i = 0; i < scenario.points.size(); ++i)
    points.push_back(numbers_of(scenario.points[i], outcome.points[i]));
  StudyScore result;
  result.figures = score(scenario.expectations, points);
  result.scores = sum_up(scenario.expectations, result.figures);
  return result;
}

std::string expectations_json(const Scenario& scenario, const StudyScore& score) {
  Json list = Json::array();
  for (std::size_t i = 0; i < scenario.expectations.size(); ++i)
    list.push_back(figure_json(scenario.expectations[i], score.figures[i]));
  return dump_json(list);
}

std::string scores_json(const std::vector<Score>& scores) {
  Json list = Json::array();
  for (const Score& each : scores)
    list.push_back({{"profile", each.profile.empty() ? Json() : Json(each.profile)},
                    {"use", name_of(each.use)},
                    {"cells", each.cells},
                    {"ok", each.ok},
                    {"off", each.off},
                    {"undecided", each.undecided},
                    {"disputed", each.disputed},
                    {"within", number(each.within)},
                    {"median_abs_log2", number(each.median_abs_log2)}});
  return dump_json(list);
}

}  // namespace latchlab
