#include "core/conclude/output.h"

#include <fmt/core.h>
#include <unistd.h>

#include <ctime>
#include <set>
#include <variant>
#include <vector>

#include "core/base/json.h"
#include "core/conclude/scoring.h"
#include "core/conclude/verdict.h"
#include "core/measure/results_json.h"
#include "core/run/files.h"

namespace latchlab {
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

namespace {

Json repeat_json(const RepeatOutcome& repeat) {
  Json json;
  json["seed"] = repeat.seed;
  json["status"] = name_of(repeat.status);
  if (!repeat.message.empty()) json["message"] = repeat.message;
  json["metrics"] =
      has_run(repeat.status) ? parse_json(leaves_json(repeat_leaves(repeat.metrics))) : Json();
  return json;
}

Json point_json(const Point& point, const PointOutcome& outcome) {
  Json json;
  json["params"] = parse_json(point.resolved_json);
  json["label"] = point.protocol.label;
  Json axes = Json::object();
  for (const auto& [path, value] : point.axes) axes[path] = value;
  json["axes"] = std::move(axes);
  json["status"] = outcome.complete() ? std::string(name_of(outcome.status())) : "interrupted";
  json["verdict"] = verdict(outcome);
  if (const std::string* why = why_known(point, outcome)) json["known"] = *why;
  if (!outcome.emulated.empty()) json["emulated"] = outcome.emulated;
  json["repeats"] = Json::array();
  for (const auto& repeat : outcome.repeats)
    if (repeat) json["repeats"].push_back(repeat_json(*repeat));
  const Leaves metrics = outcome.metrics();
  json["metrics"] = metrics.empty() ? Json() : parse_json(leaves_json(metrics));
  return json;
}

std::string csv_value(const LeafValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return csv_text(*text);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return std::to_string(*count);
  const auto number = number_of(value);
  return number ? fmt::format("{}", *number) : std::string();
}

constexpr const char* kDetail = "verbs_per_cycle_detail";

bool is_detail(const std::string& path) {
  return path.rfind(kDetail, 0) == 0;
}

// The leaves of all repeats, in order. Tables by verb differ between locks; their columns are the
// union of all entries.
std::vector<std::string> csv_columns(const StudyOutcome& outcome) {
  std::set<std::string> details;
  RepeatMetrics shape;
  for (const PointOutcome& point : outcome.points)
    for (const auto& repeat : point.repeats) {
      if (!repeat) continue;
      for (const auto& [name, value] : repeat->metrics.verbs_per_cycle_detail)
        details.insert(fmt::format("{}.{}", kDetail, name));
      add_requested(shape, repeat->metrics);
      if (shape.workers.busiest) {  // a stored value that is null reads back as absent
        shape.workers.longest_turn_ns.emplace();
        shape.clocks = {RepeatMetrics::Real{}, RepeatMetrics::Real{}};
      }
    }
  std::vector<std::string> columns;
  for (const Leaf& leaf : repeat_leaves(shape)) {
    if (is_detail(leaf.path))
      columns.insert(columns.end(), details.begin(), details.end());
    else
      columns.push_back(leaf.path);
  }
  return columns;
}

std::string csv_cells(const RepeatOutcome& repeat, const std::vector<std::string>& columns) {
  if (!has_run(repeat.status)) return std::string(columns.size(), ',');
  const Leaves leaves = repeat_leaves(repeat.metrics);
  std::string out;
  for (const std::string& column : columns) {
    const LeafValue* value = find_leaf(leaves, column);
    out += "," + (value != nullptr ? csv_value(*value) : is_detail(column) ? "0" : "");
  }
  return out;
}

}  // namespace

std::string results_json(const Scenario& scenario, const StudyOutcome& outcome,
                         const RunManifest& manifest) {
  Json json;
  json["schema"] = 1;
  Json& head = json["manifest"];
  head["scenario"] = scenario.name;
  head["description"] = scenario.description;
  head["version"] = manifest.version;
  head["backend"] = manifest.backend;
  head["emulated"] = manifest.emulated;
  if (!manifest.software.empty()) head["software"] = manifest.software;
  for (const auto& [file, hash] : manifest.plugins)
    head["plugins"].push_back({{"file", file}, {"hash", hash}});
  if (!manifest.quick.empty()) head["quick"] = manifest.quick;
  head["complete"] = !outcome.interrupted;
  head["warnings"] = scenario.warning_texts();
  json["points"] = Json::array();
  for (std::size_t i = 0; i < scenario.points.size(); ++i)
    json["points"].push_back(point_json(scenario.points[i], outcome.points[i]));
  const StudyScore score = score_study(scenario, outcome);
  json["expectations"] = parse_json(expectations_json(scenario, score));
  json["scores"] = parse_json(scores_json(score.scores));
  return dump_json(json, 1) + "\n";
}

// One row per point and repeat.
std::string results_csv(const Scenario& scenario, const StudyOutcome& outcome) {
  const std::vector<std::string> columns = csv_columns(outcome);
  std::string out = "point,label";
  for (const auto& [path, value] : scenario.points.front().axes) out += "," + csv_text(path);
  out += ",repeat,seed,status";
  for (const std::string& column : columns) out += "," + csv_text(column);
  out += "\n";
  for (std::size_t p = 0; p < scenario.points.size(); ++p) {
    const auto& repeats = outcome.points[p].repeats;
    for (std::size_t r = 0; r < repeats.size(); ++r) {
      if (!repeats[r]) continue;
      out += fmt::format("{},{}", p, csv_text(scenario.points[p].protocol.label));
      for (const auto& [path, value] : scenario.points[p].axes) out += "," + csv_text(value);
      out += fmt::format(",{},{},{}", r, repeats[r]->seed, name_of(repeats[r]->status));
      out += csv_cells(*repeats[r], columns) + "\n";
    }
  }
  return out;
}

std::string timing_json(const StudyOutcome& outcome, std::uint32_t jobs) {
  Json json;
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  char date[64] = "";
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  ::gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  json["date"] = date;
  json["host"] = host;
  json["jobs"] = jobs;
  json["wall_s"] = outcome.wall_s;
  json["resumed"] = outcome.stored;
  json["repeats"] = Json::array();
  for (std::size_t p = 0; p < outcome.points.size(); ++p) {
    for (std::size_t r = 0; r < outcome.points[p].repeats.size(); ++r) {
      const auto& repeat = outcome.points[p].repeats[r];
      if (!repeat) continue;
      const double wall = repeat->wall_s > 0 ? repeat->wall_s : 1e-9;
      const auto per_s = [wall](const RepeatMetrics::Count& count) {
        return static_cast<double>(count.value_or(0)) / wall;
      };
      json["repeats"].push_back({{"point", p},
                                 {"repeat", r},
                                 {"wall_s", repeat->wall_s},
                                 {"peak_rss_kib", repeat->peak_rss_kib},
                                 {"verbs_per_s", per_s(repeat->metrics.engine.verbs)},
                                 {"events_per_s", per_s(repeat->metrics.engine.events)}});
    }
  }
  return dump_json(json, 1) + "\n";
}

Status write_study(const std::string& directory, const Scenario& scenario,
                   const StudyOutcome& outcome, const RunManifest& manifest, std::uint32_t jobs) {
  const std::pair<const char*, std::string> files[] = {
      {"results.json", results_json(scenario, outcome, manifest)},
      {"results.csv", results_csv(scenario, outcome)},
      {"timing.json", timing_json(outcome, jobs)},
  };
  for (const auto& [name, text] : files)
    if (Status written = write_atomically(directory + "/" + name, text); !written) return written;
  return fine();
}

}  // namespace latchlab
