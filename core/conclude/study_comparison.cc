#include "core/conclude/study_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/json.h"
#include "core/conclude/caveat.h"
#include "core/measure/metric_docs.h"

namespace latchlab {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;  // path and value, in order

bool has_parts(const Json& json) {
  return json.is_object() || (json.is_array() && !json.empty() && json.front().is_object());
}

void add_settings(const Json& json, const std::string& path, Settings& into) {
  if (!has_parts(json)) {
    into.emplace_back(path, json.is_string() ? json.get<std::string>() : dump_json(json));
    return;
  }
  for (const auto& [key, value] : json.items())
    add_settings(value, path.empty() ? key : path + "." + key, into);
}

// Everything that determines a point's result, so not its scenario's name.
Settings settings_of(const Point& point) {
  auto json = parse_json(point.resolved_json);
  json.erase("name");
  json.erase("schema");
  Settings all;
  add_settings(json, "", all);
  return all;
}

// "null" if absent.
std::string value_at(const Settings& settings, const std::string& path) {
  std::string all;
  for (const auto& [each, value] : settings) {
    if (each == path) return value;
    if (each.starts_with(path + "."))
      all += fmt::format("{}{}={}", all.empty() ? "" : " ", each.substr(path.size() + 1), value);
  }
  return all.empty() ? "null" : all;
}

// These paths are covered by the label.
bool names_the_lock(const std::string& path) {
  return path == "protocol" || path == "protocol.name" || path == "protocol.label";
}

// The paths that either run sweeps.
std::vector<std::string> swept_by(const Scenario& a, const Scenario& b) {
  std::vector<std::string> paths;
  for (const Scenario* scenario : {&a, &b})
    for (const auto& [path, value] : scenario->points.front().axes)
      if (!names_the_lock(path) && std::find(paths.begin(), paths.end(), path) == paths.end())
        paths.push_back(path);
  return paths;
}

struct Placed {
  Settings settings;
  std::string lock;   // "dslr, protocol.lease=1ms"
  std::string where;  // "platform.clients_per_node=16"

  std::string text() const { return lock + (where.empty() ? "" : ", " + where); }
};

std::vector<Placed> placed(const Scenario& scenario, const std::vector<std::string>& paths) {
  std::vector<Placed> all;
  for (const Point& point : scenario.points) {
    Placed here{settings_of(point), point.protocol.label, {}};
    for (const std::string& path : paths) {
      std::string& text = path.starts_with("protocol.") ? here.lock : here.where;
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", path, value_at(here.settings, path));
    }
    all.push_back(std::move(here));
  }
  return all;
}

class DifferenceList {
 public:
  void add(const Settings& a, const Settings& b) {
    std::map<std::string, std::string> there(b.begin(), b.end());
    for (const auto& [path, value] : a) {
      const auto found = there.find(path);
      const std::string other = found == there.end() ? "-" : found->second;
      if (found != there.end()) there.erase(found);
      count(path, value, other);
    }
    for (const auto& [path, value] : b)
      if (there.contains(path)) count(path, "-", value);
  }
  std::vector<RunDifference> take() { return std::move(all_); }

  void count(const std::string& path, const std::string& a, const std::string& b) {
    if (a == b) return;
    auto same = std::find_if(all_.begin(), all_.end(), [&](const RunDifference& each) {
      return each.path == path && each.a == a && each.b == b;
    });
    if (same == all_.end()) same = all_.insert(same, {path, a, b, 0});
    ++same->points;
  }

 private:
  std::vector<RunDifference> all_;
};

void add_makers(const RunManifest& a, const RunManifest& b, DifferenceList& into) {
  into.count("backend", a.backend, b.backend);
  into.count("version", a.version, b.version);
  Settings of_a, of_b;
  for (const auto& [file, hash] : a.plugins) of_a.emplace_back("plug-in " + file, hash);
  for (const auto& [file, hash] : b.plugins) of_b.emplace_back("plug-in " + file, hash);
  into.add(of_a, of_b);
}

// Why the point is neither better nor worse than another; empty: it may be. A prediction is held
// against any completed point.
std::string unsound_text(const PointOutcome& point, bool predicts) {
  if (!point.complete()) return "interrupted";
  if (!point.sound()) return std::string(name_of(point.status()));
  if (predicts) return {};
  switch (caveat_beside_emulation(point)) {
    case Caveat::starved:
      return "starved";
    case Caveat::unsettled:
      return "not settled";
    case Caveat::cut:
      return "one with cut sections";
    default:
      return {};
  }
}

std::string emulation_of(const StudyOutcome& outcome, std::size_t point) {
  if (!outcome.software.empty()) return "software";
  return outcome.points[point].emulated.empty() ? "" : "emulated";
}

std::optional<Comparison> error_of(const PointOutcome& simulated, const PointOutcome& measured,
                                   const std::string& metric) {
  auto error = compare(simulated, measured, metric);
  return error && error->b != 0 ? error : std::nullopt;
}

PointPair pair_of(const StoredStudy& a, std::size_t i, const StoredStudy& b, std::size_t j,
                  const std::vector<std::string>& metrics) {
  const PointOutcome &of_a = a.outcome.points[i], &of_b = b.outcome.points[j];
  PointPair pair{
      .a = i, .b = j, .lock = {}, .where = {}, .unsound = {}, .emulated = {}, .metrics = {}};
  const bool predicts = is_prediction(a.manifest, b.manifest);
  if (const std::string is = unsound_text(of_a, predicts); !is.empty())
    pair.unsound = "the first is " + is;
  if (const std::string is = unsound_text(of_b, predicts); !is.empty())
    pair.unsound += (pair.unsound.empty() ? "" : ", ") + ("the second is " + is);
  pair.emulated = emulation_of(a.outcome, i);
  if (pair.emulated.empty()) pair.emulated = emulation_of(b.outcome, j);
  for (const std::string& metric : metrics) {
    MetricPair compared{metric, compare(of_b, of_a, metric), {}, 0};
    if (compared.is && pair.unsound.empty() && pair.emulated.empty())
      compared.better = compared.is->ahead * good_direction(metric);
    if (predicts)
      compared.error =
          is_simulated(a.manifest) ? error_of(of_a, of_b, metric) : error_of(of_b, of_a, metric);
    pair.metrics.push_back(std::move(compared));
  }
  return pair;
}

std::vector<ErrorSummary> summed_up(const std::vector<PointPair>& pairs) {
  std::vector<ErrorSummary> all;
  for (std::size_t m = 0; !pairs.empty() && m < pairs.front().metrics.size(); ++m) {
    std::vector<std::pair<double, std::size_t>> sizes;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (const auto& error = pairs[i].metrics[m].error;
          error && pairs[i].unsound.empty() && pairs[i].emulated.empty())
        sizes.emplace_back(std::max(error->ratio - 1, 1 - error->ratio), i);
    if (sizes.empty()) continue;
    std::sort(sizes.begin(), sizes.end());
    const double median = (sizes[(sizes.size() - 1) / 2].first + sizes[sizes.size() / 2].first) / 2;
    all.push_back({pairs.front().metrics[m].metric, sizes.size(), median, sizes.back().first,
                   sizes.back().second});
  }
  return all;
}

}  // namespace

const std::vector<std::string>& compared_metrics() {
  static const std::vector<std::string> metrics = {"goodput_ops_s", "acquire_ns.p50",
                                                   "acquire_ns.p99", "fairness.jain"};
  return metrics;
}

int good_direction(const std::string& metric) {
  const auto doc = metric_doc(metric);
  if (!doc) return 0;
  return doc->good.starts_with("Higher is better")  ? 1
         : doc->good.starts_with("Lower is better") ? -1
                                                    : 0;
}

bool is_simulated(const RunManifest& manifest) {
  return manifest.backend == "simgrid";
}

bool is_prediction(const RunManifest& a, const RunManifest& b) {
  return is_simulated(a) != is_simulated(b);
}

Result<StudyComparison> compare_studies(const StoredStudy& a, const StoredStudy& b,
                                        const std::vector<std::string>& metrics) {
  const std::vector<std::string> paths = swept_by(a.scenario, b.scenario);
  const std::vector<Placed> of_a = placed(a.scenario, paths), of_b = placed(b.scenario, paths);
  std::map<std::string, std::size_t> there;
  for (std::size_t i = 0; i < of_b.size(); ++i) there.emplace(of_b[i].text(), i);
  StudyComparison made;
  DifferenceList differences;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const auto partner = there.find(of_a[i].text());
    if (partner == there.end()) {
      made.only_a.push_back(of_a[i].text());
      continue;
    }
    const std::size_t j = partner->second;
    there.erase(partner);
    PointPair pair = pair_of(a, i, b, j, metrics);
    pair.lock = of_a[i].lock;
    pair.where = of_a[i].where;
    made.pairs.push_back(std::move(pair));
    differences.add(of_a[i].settings, of_b[j].settings);
  }
  for (std::size_t i = 0; i < of_b.size(); ++i) {
    const auto left = there.find(of_b[i].text());
    if (left != there.end() && left->second == i) made.only_b.push_back(of_b[i].text());
  }
  if (made.pairs.empty()) differences.add(of_a.front().settings, of_b.front().settings);
  made.differences = differences.take();
  DifferenceList makers;
  add_makers(a.manifest, b.manifest, makers);
  for (RunDifference& each : makers.take()) {
    each.points = made.pairs.size();
    made.differences.push_back(std::move(each));
  }
  if (const Status alike = check_rules(a.manifest, b.manifest, made.differences); !alike)
    return alike.error();
  if (is_prediction(a.manifest, b.manifest) && !a.scenario.points.front().run.warmup) {
    const std::string simulated = "until goodput has settled", measured = "half of run.duration";
    const bool first = is_simulated(a.manifest);
    made.differences.push_back({"run.warmup auto", first ? simulated : measured,
                                first ? measured : simulated, made.pairs.size()});
  }
  made.errors = summed_up(made.pairs);
  made.ranks = rank_agreements(a, b, made.pairs);
  return made;
}

}  // namespace latchlab
