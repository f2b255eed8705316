#include "core/scenario/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <span>

#include "core/scenario/nic_file.h"
#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

void check_path(const std::string& path, const SourceLocation& place) {
  const std::size_t dot = path.find('.');
  const std::string section = path.substr(0, dot);
  const std::vector<std::string>& sections = section_names();
  if (contains(sections, section)) return;
  const std::string near = nearest(section, sections);
  const std::string rest = dot == std::string::npos ? "" : path.substr(dot);
  reject(place, "sweep path {} does not exist; {}", in_quotes(path),
         near.empty() ? "a path begins with " + joined(sections)
                      : "did you mean " + in_quotes(near + rest) + "?");
}

void check_list(const std::string& path, const YamlNode& list) {
  if (!list.is_sequence())
    reject(
        list.place,
        "sweep path {} has {}; expected a list of values, or a range such as {{from: 1, to: 256, "
        "steps: 9, scale: log}}",
        in_quotes(path), kind_name(list));
  if (list.items.empty())
    reject(list.place, "sweep path {} has an empty list; give at least one value", in_quotes(path));
}

void check_distinct(const Axis& axis) {
  std::set<std::string> seen;
  for (const std::vector<YamlNode>& step : axis.steps) {
    std::string text;
    for (std::size_t i = 0; i < step.size(); ++i)
      text += (i == 0 ? "" : ", ") + axis_value(axis.paths[i], step[i]);
    if (!seen.insert(text).second)
      reject(step.front().place, "sweep of {} has the value {} twice; remove one",
             joined(axis.paths), in_quotes(text));
  }
}

void spell_out_ranges(YamlNode& axes) {
  for (YamlEntry& entry : axes.entries)
    if (is_range(entry.value)) entry.value = range_values(entry.key, entry.value);
}

// Lists that change together; an axis of `grid` is a single list.
Axis axis_of(const std::vector<YamlEntry>& lists) {
  Axis axis;
  axis.steps.resize(lists.front().value.items.size());
  for (const YamlEntry& entry : lists) {
    check_path(entry.key, entry.place);
    check_list(entry.key, entry.value);
    if (entry.value.items.size() != axis.steps.size())
      reject(entry.place,
             "sweep.zip: {} has {} values and {} has {}; lists that change together need equal "
             "lengths",
             in_quotes(lists.front().key), axis.steps.size(), in_quotes(entry.key),
             entry.value.items.size());
    axis.paths.push_back(entry.key);
    for (std::size_t i = 0; i < axis.steps.size(); ++i)
      axis.steps[i].push_back(entry.value.items[i]);
  }
  check_distinct(axis);
  return axis;
}

// ---- paths ----

constexpr std::ptrdiff_t kMostParts = 16;  // of a path

std::vector<std::string> parts_of(const std::string& path, const SourceLocation& place) {
  std::vector<std::string> parts = split(path, '.');
  const bool hollow = std::find(parts.begin(), parts.end(), "") != parts.end();
  if (hollow || std::ssize(parts) > kMostParts)
    reject(place, "{} is not a path; expected one such as locks.count", in_quotes(path));
  return parts;
}

std::string join(std::span<const std::string> parts) {
  return fmt::format("{}", fmt::join(parts, "."));
}

YamlNode& list_item(YamlNode& list, const std::string& part, const std::string& path,
                    const SourceLocation& place) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool number = error == std::errc() && end == part.data() + part.size();
  if (!number || index >= list.items.size())
    reject(place, "{} is a list of {}; expected the number of an item, from 0, not {}", path,
           list.items.size(), in_quotes(part));
  return list.items[index];
}

// The child at the next part of the path; an absent one becomes an empty mapping.
YamlNode& step_into(YamlNode& node, const std::vector<std::string>& parts, std::size_t depth,
                    const SourceLocation& place) {
  const std::string path = join(std::span(parts).first(depth));
  if (node.is_sequence()) return list_item(node, parts[depth], path, place);
  if (node.is_scalar() && path == "workload.distribution") {
    YamlNode whole = yaml_map(node.place);
    whole.set("kind", node);
    node = std::move(whole);
  }
  if (node.is_null()) node = yaml_map(place);
  if (!node.is_map())
    reject(place, "{} holds {}, so {} cannot be set in it", path, kind_name(node),
           in_quotes(parts[depth]));
  if (YamlNode* child = node.find(parts[depth])) return *child;
  return node.set(parts[depth], yaml_node(YamlKind::null, place));
}

void change_base(YamlNode& nic, const YamlNode& value) {
  if (nic.is_scalar())
    nic = value;
  else if (nic.find("base"))
    nic.set("base", value);
  else
    reject(value.place,
           "platform.nic has its constants already, which another base would undo; put this before "
           "other changes of the NIC, or replace it whole: --set platform.nic={}",
           value.text);
}

// `usual`: the NIC if none is given.
void set_in_nic(YamlNode& nic, const YamlNode* usual, const std::string& key, const YamlNode& value,
                const Files& files) {
  if (nic.is_null()) nic = usual ? *usual : default_nic(value.place);
  if (key == "base") return change_base(nic, value);
  nic = expand_nic(nic, files);
  if (key == "scale") return scale_nic(nic, value);
  if (!key.starts_with("scale.")) return override_nic_constant(nic, key, value);
  YamlNode scale = yaml_map(value.place);
  scale.set(key.substr(key.find('.') + 1), value);
  scale_nic(nic, scale);
}

}  // namespace

std::vector<Axis> read_sweep(YamlNode* sweep) {
  std::vector<Axis> axes;
  if (!sweep || sweep->is_null()) return axes;
  const ScenarioKey& all = find_key(top_keys(), "sweep");
  read_keys(all.below(nullptr).keys, *sweep, "sweep", nullptr);
  YamlNode* grid = sweep->find("grid");
  YamlNode* zip = sweep->find("zip");
  if (grid && !grid->is_null() && !grid->is_map() && !(grid->is_sequence() && grid->items.empty()))
    reject(grid->place, "sweep.grid: expected a mapping such as {locks.count: [1, 10]}");
  if (zip && !zip->is_null() && !zip->is_sequence())
    reject(zip->place, "sweep.zip: expected a list of mappings");
  std::set<std::string> paths;
  const auto add = [&](Axis axis, const SourceLocation& place) {
    for (const std::string& path : axis.paths)
      if (!paths.insert(path).second)
        reject(place, "sweep path {} is swept twice; remove one", in_quotes(path));
    axes.push_back(std::move(axis));
  };
  if (grid) {
    spell_out_ranges(*grid);
    for (const YamlEntry& entry : grid->entries) add(axis_of({entry}), entry.place);
  }
  if (zip) std::for_each(zip->items.begin(), zip->items.end(), spell_out_ranges);
  for (const YamlNode& item : zip ? zip->items : std::vector<YamlNode>()) {
    if (!item.is_map() || item.entries.empty())
      reject(item.place,
             "sweep.zip: expected a list of mappings such as [{locks.count: [1, 10], run.duration: "
             "[40ms, 20ms]}]");
    add(axis_of(item.entries), item.place);
  }
  if (axes.empty())
    reject(sweep->place,
           "sweep has no axis; name at least one path, as in sweep: {grid: {locks.count: [1, "
           "10]}}, or leave sweep out");
  return axes;
}

std::vector<Assignment> cross(const std::vector<Axis>& axes, const SourceLocation& place) {
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

void set_path(YamlNode& root, const std::string& path, const YamlNode& value, const Files& files) {
  std::vector<std::string> parts = parts_of(path, value.place);
  const auto below = [&](const char* first, const char* second) {
    return parts.size() > 2 && parts[0] == first && parts[1] == second;
  };
  // The rest of the path is one key, including its dots.
  const bool in_group = parts.size() > 3 && parts[0] == "groups" && parts[2] == "nic";
  const bool nic = in_group || below("platform", "nic");
  if (nic || below("sweep", "grid")) {
    const std::size_t before = in_group ? 3 : 2;
    const std::string rest = join(std::span(parts).subspan(before));
    parts.resize(before);
    parts.push_back(rest);
  }
  YamlNode* node = &root;
  const std::size_t last = nic ? parts.size() - 1 : parts.size();
  for (std::size_t depth = 0; depth < last; ++depth)
    node = &step_into(*node, parts, depth, value.place);
  if (nic)
    set_in_nic(*node, in_group ? find_path(root, "platform.nic") : nullptr, parts.back(), value,
               files);
  else
    *node = value;
}

void apply_assignment(YamlNode& root, const Assignment& assignment, const Files& files) {
  // Whole sections first; otherwise they would overwrite values set inside them.
  for (std::ptrdiff_t dots = 0; dots < kMostParts; ++dots)
    for (const auto& [path, value] : assignment)
      if (std::min(std::count(path.begin(), path.end(), '.'), kMostParts - 1) == dots)
        set_path(root, path, without_name(path, *value), files);
}

}  // namespace latchlab
