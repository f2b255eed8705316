
#include "core/base/json.h"
#include "core/conclude/study_comparison.h"

namespace latchlab {
namespace {
Json json_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json metric_pair_json(const MetricPair& pair) {
  Json json = {{"metric", pair.metric}};
  if (!pair.is) return json;
  json["first"] = pair.is->b;
  json["second"] = pair.is->a;
  json["ratio"] = pair.is->b == 0 ? Json() : Json(pair.is->ratio);
  json["low"] = json_or_null(pair.is->low);
  json["high"] = json_or_null(pair.is->high);
  json["paired"] = pair.is->paired;
  json["ahead"] = pair.is->ahead;
  json["better"] = pair.better;
  if (pair.error) {
    const auto relative = [](const std::optional<double>& ratio) {
      return json_or_null(ratio ? std::optional(*ratio - 1) : std::nullopt);
    };
    json["error"] = {{"relative", pair.error->ratio - 1},
                     {"low", relative(pair.error->low)},
                     {"high", relative(pair.error->high)},
                     {"ahead", pair.error->ahead}};
  }
  return json;
}

Json point_pair_json(const PointPair& pair) {
  Json json = {{"lock", pair.lock},
               {"where", pair.where},
               {"points", {pair.a, pair.b}},
               {"unsound", pair.unsound},
               {"emulated", pair.emulated}};
  Json& metrics = json["metrics"] = Json::array();
  for (const MetricPair& each : pair.metrics) metrics.push_back(metric_pair_json(each));
  return json;
}

}  // namespace

std::string comparison_json(const std::pair<std::string, std::string>& names, const StoredStudy& a,
                            const StoredStudy& b, const StudyComparison& made,
                            const std::string& explanation) {
  Json json = {{"schema", 1}, {"first", names.first}, {"second", names.second}};
  json["simulated"] = {{"first", is_simulated(a.manifest)}, {"second", is_simulated(b.manifest)}};
  Json& differences = json["differences"] = Json::array();
  for (const RunDifference& each : made.differences)
    differences.push_back(
        {{"path", each.path}, {"first", each.a}, {"second", each.b}, {"points", each.points}});
  json["emulated"] = {{"first", a.manifest.emulated}, {"second", b.manifest.emulated}};
  Json& pairs = json["pairs"] = Json::array();
  for (const PointPair& each : made.pairs) pairs.push_back(point_pair_json(each));
  json["only_first"] = made.only_a;
  json["only_second"] = made.only_b;
  Json& ranks = json["ranks"] = Json::array();
  for (const RankAgreement& each : made.ranks)
    ranks.push_back({{"where", each.where},
                     {"emulated", each.emulated},
                     {"first", each.a},
                     {"second", each.b},
                     {"first_decided", each.decided_a},
                     {"second_decided", each.decided_b},
                     {"tau", each.tau},
                     {"changed", each.changed}});
  Json& errors = json["errors"] = Json::array();
  for (const ErrorSummary& each : made.errors)
    errors.push_back({{"metric", each.metric},
                      {"points", each.points},
                      {"median", each.median},
                      {"greatest", each.greatest},
                      {"greatest_at", each.greatest_at}});
  if (!explanation.empty()) json["explanation"] = parse_json(explanation);
  return dump_json(json, 1) + "\n";
}

}  // namespace latchlab
