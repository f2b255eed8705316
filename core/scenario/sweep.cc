#include "core/scenario/sweep.h"

#include <algorithm>
#include <set>

#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

void check_path(const std::string& path, const Place& place) {
  const std::size_t dot = path.find('.');
  const std::string section = path.substr(0, dot);
  const std::vector<std::string>& sections = section_names();
  if (std::find(sections.begin(), sections.end(), section) != sections.end()) return;
  const std::string near = nearest(section, sections);
  const std::string rest = dot == std::string::npos ? "" : path.substr(dot);
  reject(place, "sweep path {} does not exist; {}", quoted(path),
         near.empty() ? "a path begins with " + joined(sections)
                      : "did you mean " + quoted(near + rest) + "?");
}

void check_list(const std::string& path, const YamlNode& list) {
  if (!list.is_sequence())
    reject(list.place, "sweep path {} has {}; expected a list of values", quoted(path),
           kind_name(list));
  if (list.items.empty())
    reject(list.place, "sweep path {} has an empty list; give at least one value", quoted(path));
}

void check_distinct(const Axis& axis) {
  std::set<std::string> seen;
  for (const std::vector<YamlNode>& step : axis.steps) {
    std::string text;
    for (const YamlNode& value : step) text += (text.empty() ? "" : ", ") + emit_yaml_flow(value);
    if (!seen.insert(text).second)
      reject(step.front().place, "sweep of {} has the value {} twice; remove one",
             joined(axis.paths), quoted(text));
  }
}

Axis grid_axis(const YamlEntry& entry) {
  check_path(entry.key, entry.place);
  check_list(entry.key, entry.value);
  Axis axis;
  axis.paths = {entry.key};
  for (const YamlNode& value : entry.value.items) axis.steps.push_back({value});
  check_distinct(axis);
  return axis;
}

Axis zip_axis(const YamlNode& node) {
  if (!node.is_map() || node.entries.empty())
    reject(node.place,
           "sweep.zip: expected a list of mappings such as [{locks.count: [1, 10], run.duration: "
           "[40ms, 20ms]}]");
  Axis axis;
  axis.steps.resize(node.entries.front().value.items.size());
  for (const YamlEntry& entry : node.entries) {
    check_path(entry.key, entry.place);
    check_list(entry.key, entry.value);
    if (entry.value.items.size() != axis.steps.size())
      reject(entry.place,
             "sweep.zip: {} has {} values and {} has {}; lists that change together need equal "
             "lengths",
             quoted(node.entries.front().key), axis.steps.size(), quoted(entry.key),
             entry.value.items.size());
    axis.paths.push_back(entry.key);
    for (std::size_t i = 0; i < axis.steps.size(); ++i)
      axis.steps[i].push_back(entry.value.items[i]);
  }
  check_distinct(axis);
  return axis;
}

}  // namespace

std::vector<Axis> read_sweep(const YamlNode* sweep) {
  std::vector<Axis> axes;
  if (!sweep || sweep->is_null()) return axes;
  const ScenarioKey& all = find_key(top_keys(), "sweep");
  read_keys(all.below(nullptr).keys, *sweep, "sweep", nullptr);
  const YamlNode* grid = sweep->find("grid");
  const YamlNode* zip = sweep->find("zip");
  if (grid && !grid->is_null() && !grid->is_map() && !(grid->is_sequence() && grid->items.empty()))
    reject(grid->place, "sweep.grid: expected a mapping such as {locks.count: [1, 10]}");
  if (zip && !zip->is_null() && !zip->is_sequence())
    reject(zip->place, "sweep.zip: expected a list of mappings");
  std::set<std::string> paths;
  const auto add = [&](Axis axis, const Place& place) {
    for (const std::string& path : axis.paths)
      if (!paths.insert(path).second)
        reject(place, "sweep path {} is swept twice; remove one", quoted(path));
    axes.push_back(std::move(axis));
  };
  if (grid)
    for (const YamlEntry& entry : grid->entries) add(grid_axis(entry), entry.place);
  if (zip)
    for (const YamlNode& item : zip->items) add(zip_axis(item), item.place);
  if (axes.empty())
    reject(sweep->place,
           "sweep has no axis; name at least one path, as in sweep: {grid: {locks.count: [1, "
           "10]}}, or leave sweep out");
  return axes;
}

std::vector<Assignment> cross(const std::vector<Axis>& axes, const Place& place) {
  std::vector<Assignment> points(1);
  for (const Axis& axis : axes) {
    if (points.size() * axis.steps.size() > kMostPoints)
      reject(place, "the sweep has more than {} points; sweep less", kMostPoints);
    std::vector<Assignment> next;
    for (const Assignment& before : points) {
      for (const std::vector<YamlNode>& step : axis.steps) {
        next.push_back(before);
        for (std::size_t i = 0; i < axis.paths.size(); ++i)
          next.back().emplace_back(axis.paths[i], &step[i]);
      }
    }
    points = std::move(next);
  }
  return points;
}

}  // namespace latchlab
