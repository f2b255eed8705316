#include "core/conclude/figure_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/base/json.h"
#include "core/conclude/caveat.h"
#include "core/conclude/study_comparison.h"
#include "core/conclude/verdict.h"
#include "core/measure/metric_names.h"
#include "core/measure/statistics.h"
#include "core/scenario/advice.h"

namespace latchlab {
namespace {

constexpr const char* kLabel = "label";
constexpr const char* kProtocol = "protocol.";
using Texts = std::vector<std::string>;

bool is_parameter(const std::string& path) {
  return path.starts_with(kProtocol) && !names_the_lock(path);
}

std::string resolved_text(const Point& point, const std::string& path) {
  std::string pointer = "/" + path;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const Json params = parse_json(point.resolved_json);
  const Json::json_pointer at(pointer);
  if (!params.contains(at) || params[at].is_null()) return {};
  const Json& value = params[at];
  if (path.ends_with("nic") && value.contains("name")) return value["name"].get<std::string>();
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

bool is_number(const std::string& text) {
  return parse_count(text) || parse_ratio_ppb(text) || parse_duration(text);
}

// The values of paths by point, and the dependencies between paths.
class Sweep {
 public:
  explicit Sweep(const Scenario& scenario) : scenario_(scenario) {
    for (const auto& [axis, value] : scenario.points.front().axes) axes_.push_back(axis);
  }
  const Texts& axes() const { return axes_; }
  const Texts& at(const std::string& path) {
    Texts& texts = texts_[path];
    if (texts.empty())
      for (const Point& point : scenario_.points)
        texts.push_back(names_the_lock(path) ? scenario_.line_of(point) : text_at(point, path));
    return texts;
  }
  std::size_t values(const std::string& path) {
    return std::set<std::string>(at(path).begin(), at(path).end()).size();
  }
  bool varies(const std::string& path) { return values(path) > 1; }
  bool numeric(const std::string& path) {
    return varies(path) && std::all_of(at(path).begin(), at(path).end(), is_number);
  }
  // Whether points with equal values of `path` have equal values of `other`.
  bool decides(const std::string& path, const std::string& other) {
    return decides(at(path), at(other));
  }
  // By point: the values of all axes that `path` does not decide.
  Texts beside(const std::string& path) {
    return joined_if([&](const std::string& axis) { return !decides(path, axis); });
  }
  // Whether a step along `axis` alone changes the value of `path`.
  bool moves(const std::string& axis, const std::string& path) {
    const auto is_other = [&](const std::string& each) { return each != axis; };
    return !decides(joined_if(is_other), at(path));
  }

 private:
  // By point: the values of these axes, one per line.
  template <class Wanted>
  Texts joined_if(const Wanted& wanted) {
    Texts joined(scenario_.points.size());
    for (const std::string& axis : axes_)
      if (wanted(axis))
        for (std::size_t i = 0; i < joined.size(); ++i) joined[i] += at(axis)[i] + "\n";
    return joined;
  }
  static bool decides(const Texts& from, const Texts& to) {
    std::map<std::string, std::string> seen;
    for (std::size_t i = 0; i < from.size(); ++i)
      if (seen.emplace(from[i], to[i]).first->second != to[i]) return false;
    return true;
  }

  const Scenario& scenario_;
  Texts axes_;
  std::map<std::string, Texts> texts_;
};

std::string default_axis(Sweep& sweep) {
  std::string named;  // fallback: a numeric parameter of the protocol, else an axis of words
  for (const std::string& axis : sweep.axes()) {
    if (names_the_lock(axis) || !sweep.varies(axis)) continue;
    if (sweep.numeric(axis) && !is_parameter(axis)) return axis;
    if (named.empty() || (sweep.numeric(axis) && !sweep.numeric(named))) named = axis;
  }
  return named.empty() ? kLabel : named;
}

// The axis that a line follows if x is not an axis, such as `clients`, which depends on several.
std::string axis_behind(Sweep& sweep, const std::string& x, bool measured) {
  if (measured) {  // prefer the axis that sets the number of clients
    for (const std::string& axis : sweep.axes())
      if (sweep.numeric(axis) && sweep.moves(axis, "clients")) return axis;
    return default_axis(sweep);
  }
  std::string behind = x;
  if (names_the_lock(x) ||
      std::find(sweep.axes().begin(), sweep.axes().end(), x) != sweep.axes().end())
    return behind;
  for (const std::string& axis : sweep.axes())
    if (!names_the_lock(axis) && sweep.moves(axis, x) &&
        (behind == x || sweep.values(axis) > sweep.values(behind)))
      behind = axis;
  return behind;
}

}  // namespace

bool names_the_lock(const std::string& path) {
  return path == kLabel || path == "protocol" || path == "protocol.name" ||
         path == "protocol.label";
}

// The swept text, otherwise the resolved value.
std::string text_at(const Point& point, const std::string& path) {
  if (names_the_lock(path)) return point.protocol.label;
  if (path == "clients") return std::to_string(point.platform.clients());
  for (const auto& [axis, value] : point.axes)
    if (axis == path) return value;
  return resolved_text(point, path);
}

std::string setting(const std::string& path, const std::string& text) {
  if (names_the_lock(path) || path.ends_with(".nic")) return text;
  return fmt::format("{}={}", path.substr(is_parameter(path) ? std::string(kProtocol).size() : 0),
                     text);
}

std::string lock_name(const Point& point) {
  std::string name = point.protocol.label;
  for (const auto& [axis, value] : point.axes)
    if (is_parameter(axis) && !lacks_parameter(point, axis)) name += " " + setting(axis, value);
  return name;
}

std::vector<bool> counting_points(const Scenario& scenario, const StudyOutcome& outcome) {
  std::vector<bool> counts(scenario.points.size(), true);
  const std::string& metric = scenario.best_of.metric;
  struct Best {
    std::size_t point;
    std::pair<bool, double> worth;  // sound, and its metric
  };
  std::map<std::string, Best> best;  // by the line, and the values of all other axes
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Point& point = scenario.points[i];
    const BestOf::Line* const line = scenario.best_of_line(point);
    if (line == nullptr) continue;
    std::string place = line->name + "\n";
    for (const auto& [axis, value] : point.axes)
      if (!names_the_lock(axis)) place += value + "\n";
    const auto value = number_at(outcome.points[i].metrics(), metric);
    const bool usable =
        value && outcome.points[i].sound() && caveat_of(outcome.points[i]) == Caveat::none;
    const std::pair worth(usable, value.value_or(0) * good_direction(metric));
    const auto [at, is_first] = best.try_emplace(place, Best{i, worth});
    if (is_first) continue;
    const bool better = worth > at->second.worth;
    counts[better ? at->second.point : i] = false;
    if (better) at->second = {i, worth};
  }
  return counts;
}

static bool is_window_of_locks(Sweep& sweep, const std::string& axis) {
  return (axis == "run.warmup" || axis == "run.duration") && sweep.decides(kLabel, axis);
}

bool is_window_of_locks(const Scenario& scenario, const std::string& axis) {
  Sweep sweep(scenario);
  return is_window_of_locks(sweep, axis);
}

FigureLines lines_of(const Scenario& scenario, const Figure& figure) {
  Sweep sweep(scenario);
  FigureLines lines;
  lines.measured = is_metric(figure.x);
  const std::string along = axis_behind(sweep, figure.x, lines.measured);
  Texts parts;  // paths whose values make up a line's name
  if (names_the_lock(figure.series) || (!names_the_lock(figure.x) && sweep.varies(kLabel)))
    parts.emplace_back(kLabel);
  if (!names_the_lock(figure.series)) parts.push_back(figure.series);
  for (const std::string& axis : sweep.axes()) {
    const bool told = names_the_lock(axis) || axis == figure.series || axis == along ||
                      !sweep.varies(axis) || is_window_of_locks(sweep, axis) ||
                      sweep.decides(along, axis) ||
                      (!lines.measured && sweep.decides(figure.x, axis));
    if (told) continue;
    lines.others.push_back(axis);
    if (!figure.mean_over.empty() && sweep.decides(figure.mean_over, axis)) continue;
    const bool by_line = is_parameter(axis) || sweep.decides(figure.series, axis);
    (by_line ? parts : lines.apart).push_back(axis);
  }
  // Parameters of the protocol qualify the lock, so they precede the other parts of the name.
  Texts rest;
  const auto is_other = [](const std::string& path) {
    return !names_the_lock(path) && !is_parameter(path);
  };
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(rest), is_other);
  std::erase_if(parts, is_other);
  parts.insert(parts.end(), rest.begin(), rest.end());
  const std::vector<std::size_t> first = same_runs(scenario);
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    std::string& line = lines.line.emplace_back();
    for (const std::string& path : parts) {
      if (lacks_parameter(scenario.points[i], path)) continue;
      line += (line.empty()         ? ""
               : is_parameter(path) ? " "
                                    : ", ") +
              setting(path, sweep.at(path)[i]);
    }
    lines.at.push_back(lines.measured ? std::string() : sweep.at(figure.x)[i]);
    // A run that appears twice at one x is one point.
    if (first[i] != i && lines.at[i] == lines.at[first[i]]) lines.at[i].clear();
    lines.drawn_at.push_back(i);
  }
  if (figure.mean_over.empty()) return lines;
  const Texts beside = sweep.beside(figure.mean_over);
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    if (lines.at[i].empty()) continue;
    lines.drawn_at[i] = places.emplace(beside[i], i).first->second;
    if (lines.drawn_at[i] != i) lines.at[i].clear();
  }
  return lines;
}

namespace {

// The path and the value in `relative_to`.
std::pair<std::string, std::string> base_of(const Figure& figure) {
  const std::size_t equals = figure.relative_to.find('=');
  return {figure.relative_to.substr(0, equals), figure.relative_to.substr(equals + 1)};
}

// By point: the point by which its y is divided; none: there is no such point.
std::vector<std::optional<std::size_t>> bases_of(const Scenario& scenario, const Figure& figure) {
  std::vector<std::optional<std::size_t>> bases(scenario.points.size());
  const auto [path, value] = base_of(figure);
  const Texts beside = Sweep(scenario).beside(path);
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < bases.size(); ++i)
    if (text_at(scenario.points[i], path) == value) places.emplace(beside[i], i);
  for (std::size_t i = 0; i < bases.size(); ++i)
    if (const auto found = places.find(beside[i]); found != places.end()) bases[i] = found->second;
  return bases;
}

// A metric of a point, and in each of its repeats.
struct Samples {
  std::optional<double> whole;
  std::vector<double> repeats;
};

std::optional<double> quotient(double above, double below) {
  if (below == 0) return std::nullopt;
  return above / below;
}

Samples divided(const Samples& above, const Samples& below) {
  Samples result;
  if (above.whole && below.whole) result.whole = quotient(*above.whole, *below.whole);
  if (above.repeats.size() != below.repeats.size()) return result;
  for (std::size_t r = 0; r < above.repeats.size(); ++r)
    if (const auto each = quotient(above.repeats[r], below.repeats[r]))
      result.repeats.push_back(*each);
  return result;
}

// Of at least one.
std::optional<DrawnValue> mean_of(const std::vector<Samples>& all) {
  DrawnValue value;
  std::vector<double> repeats(all.front().repeats.size());
  const auto count = static_cast<double>(all.size());
  for (const Samples& each : all) {
    if (!each.whole) return std::nullopt;
    value.y += *each.whole / count;
    if (each.repeats.size() != repeats.size()) repeats.clear();
    for (std::size_t r = 0; r < repeats.size(); ++r) repeats[r] += each.repeats[r] / count;
  }
  value.ci95 = half_width_95(repeats);
  return value;
}

}  // namespace

std::vector<std::optional<DrawnValue>> drawn_values(const Scenario& scenario,
                                                    const StudyOutcome& outcome,
                                                    const Figure& figure,
                                                    const FigureLines& lines) {
  std::vector<Samples> samples;
  for (const PointOutcome& point : outcome.points)
    samples.push_back({number_at(point.metrics(), figure.y), values_of(point, figure.y)});
  std::vector<std::optional<std::size_t>> bases(samples.size());
  if (!figure.relative_to.empty()) bases = bases_of(scenario, figure);
  std::vector<std::optional<DrawnValue>> values(samples.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<Samples> all;
    std::string apart;
    const auto note = [&](std::size_t point) {
      if (apart.empty()) apart = why_apart(outcome.points[point]);
    };
    for (std::size_t j = i; j < values.size(); ++j) {
      if (lines.drawn_at[j] != i) continue;
      note(j);
      if (bases[j]) note(*bases[j]);
      all.push_back(figure.relative_to.empty() ? samples[j]
                    : bases[j]                 ? divided(samples[j], samples[*bases[j]])
                                               : Samples{});
    }
    if (!all.empty()) values[i] = mean_of(all);
    if (values[i]) values[i]->apart = apart;
  }
  return values;
}

bool is_derived(const Figure& figure) {
  return !figure.mean_over.empty() || !figure.relative_to.empty();
}

std::string qualification(const Figure& figure) {
  std::string text;
  if (!figure.relative_to.empty()) {
    const auto [path, value] = base_of(figure);
    text += " relative to " + setting(path, value);
  }
  if (!figure.mean_over.empty()) text += ", mean over " + figure.mean_over;
  return text;
}

Figure default_figure(const Scenario& scenario) {
  Sweep sweep(scenario);
  return {default_axis(sweep), "goodput_ops_s", kLabel};
}

}  // namespace latchlab
