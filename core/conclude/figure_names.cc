#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/json.h"
#include "core/conclude/figure_lines.h"
#include "core/measure/metric_names.h"
#include "core/scenario/input_error.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {
std::string dotted(const Json::json_pointer& pointer) {
  std::string path = pointer.to_string().substr(1);
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

// Collects the paths of all values and of the mappings around them, but none below an RNIC.
void add_paths(const Json& json, const Json::json_pointer& at, std::set<std::string>& paths) {
  if (!at.empty()) paths.insert(dotted(at));
  if (!json.is_structured() || (!at.empty() && at.back() == "nic")) return;
  for (const auto& [key, value] : json.items()) add_paths(value, at / key, paths);
}

// The metric that a word denotes; empty: none.
std::string metric_called(const std::string& word) {
  for (const MetricColumn& column : metric_columns())
    if (word == column.name) return column.metric;
  return is_metric(word) ? word : std::string();
}

class FigureNames {
 public:
  explicit FigureNames(const Scenario& scenario) : scenario_(scenario) {
    for (const auto& [axis, value] : scenario.points.front().axes) swept_.push_back(axis);
    paths_ = paths_of(scenario.points.front());
    paths_.insert(swept_.begin(), swept_.end());
  }

  // A path, or the last part of a swept one, as in table headings; empty: none.
  std::string path_called(const std::string& word) const {
    if (word == "lock") return "label";
    if (word == "label" || word == "clients" || paths_.contains(word)) return word;
    std::string found;
    for (const std::string& path : swept_) {
      if (!path.ends_with("." + word)) continue;
      if (!found.empty()) return {};
      found = path;
    }
    return found.empty() && at_some_point(word) ? word : found;
  }

  // The allowed values of x and series.
  std::string known() const {
    std::vector<std::string> words = {"label", "clients"};
    words.insert(words.end(), swept_.begin(), swept_.end());
    return joined(words) + ", any other path of the scenario";
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> all = {"label", "lock", "clients"};
    for (const std::string& path : swept_) all.push_back(path.substr(path.rfind('.') + 1));
    all.insert(all.end(), paths_.begin(), paths_.end());
    return all;
  }

 private:
  static std::set<std::string> paths_of(const Point& point) {
    std::set<std::string> paths;
    add_paths(parse_json(point.resolved_json), Json::json_pointer(), paths);
    return paths;
  }
  // Only some kinds of a swept mapping have this key.
  bool at_some_point(const std::string& word) const {
    return contains(section_names(), word.substr(0, word.find('.'))) &&
           std::any_of(scenario_.points.begin() + 1, scenario_.points.end(),
                       [&](const Point& point) { return paths_of(point).contains(word); });
  }

  const Scenario& scenario_;
  std::vector<std::string> swept_;
  std::set<std::string> paths_;
};

std::vector<std::string> words_for_metrics() {
  std::vector<std::string> words;
  for (const MetricColumn& column : metric_columns()) words.emplace_back(column.name);
  words.insert(words.end(), metric_names().begin(), metric_names().end());
  return words;
}

std::string known_metrics() {
  std::vector<std::string> words;
  for (const MetricColumn& column : metric_columns()) words.emplace_back(column.name);
  return joined(words) + ", any other metric of `latchlab explain`";
}

Status name_metric(std::string& word, const std::string& place) {
  const std::string metric = metric_called(word);
  if (metric.empty()) {
    const std::vector<std::string> parts = parts_of_metric(word);
    if (!parts.empty())
      return Error{fmt::format("report.figures: y is {}, which is no number; choose one of {}",
                               in_quotes(word), joined(parts)),
                   place};
    return Error{fmt::format("report.figures: y is {}, which is no metric{}; known: {}",
                             in_quotes(word), aside(word, words_for_metrics()), known_metrics()),
                 place};
  }
  word = metric;
  return fine();
}

Status name_axis(const FigureNames& names, const char* key, bool measured, std::string& word,
                 const std::string& place) {
  std::string name = names.path_called(word);
  if (name.empty() && measured) name = metric_called(word);
  if (name.empty()) {
    std::vector<std::string> words = names.paths();
    if (measured)
      for (const std::string& metric : words_for_metrics()) words.push_back(metric);
    return Error{fmt::format("report.figures: {} is {}, which points do not have{}; known: {}{}",
                             key, in_quotes(word), aside(word, words), names.known(),
                             measured ? ", any metric" : ""),
                 place};
  }
  word = name;
  return fine();
}

Status name_mean(const Scenario& scenario, const FigureNames& names, Figure& figure) {
  std::string& path = figure.mean_over;
  if (path.empty()) return fine();
  const std::string& place = figure.places.mean_over;
  if (Status named = name_axis(names, "mean_over", false, path, place); !named) return named;
  std::vector<std::string> swept;
  for (const auto& [axis, value] : scenario.points.front().axes) swept.push_back(axis);
  if (!contains(swept, path))
    return Error{fmt::format("report.figures: mean_over is {}, which the sweep does not vary; "
                             "swept: {}",
                             in_quotes(path), joined(swept)),
                 place};
  if (path == figure.x || path == figure.series)
    return Error{fmt::format("report.figures: mean_over is {}, which is x or series as well; leave "
                             "mean_over out",
                             in_quotes(path)),
                 place};
  if (is_metric(figure.x))
    return Error{fmt::format("report.figures: mean_over needs an x of the scenario, and x is the "
                             "metric {}; leave mean_over out",
                             in_quotes(figure.x)),
                 place};
  return fine();
}

Status name_base(const Scenario& scenario, const FigureNames& names, Figure& figure) {
  std::string& words = figure.relative_to;
  if (words.empty()) return fine();
  const std::string& place = figure.places.relative_to;
  const std::size_t equals = words.find('=');
  if (equals == std::string::npos)
    return Error{fmt::format("report.figures: relative_to is {}; expected PATH=VALUE, for example "
                             "label=mcs",
                             in_quotes(words)),
                 place};
  std::string path = words.substr(0, equals);
  const std::string value = words.substr(equals + 1);
  if (Status named = name_axis(names, "relative_to", false, path, place); !named) return named;
  std::vector<std::string> values;
  for (const Point& point : scenario.points)
    if (std::string text = text_at(point, path); !contains(values, text))
      values.push_back(std::move(text));
  if (!contains(values, value))
    return Error{fmt::format("report.figures: relative_to is {}, and no point has this value{}; "
                             "known: {}",
                             in_quotes(words), aside(value, values), joined(values)),
                 place};
  words = path + "=" + value;
  return fine();
}

}  // namespace

Status name_figures(Scenario& scenario) {
  if (scenario.figures.empty()) return fine();
  const FigureNames names(scenario);
  for (Figure& figure : scenario.figures) {
    if (Status x = name_axis(names, "x", true, figure.x, figure.places.x); !x) return x;
    if (Status y = name_metric(figure.y, figure.places.y); !y) return y;
    if (Status series = name_axis(names, "series", false, figure.series, figure.places.series);
        !series)
      return series;
    if (Status mean = name_mean(scenario, names, figure); !mean) return mean;
    if (Status base = name_base(scenario, names, figure); !base) return base;
  }
  return fine();
}

}  // namespace latchlab
