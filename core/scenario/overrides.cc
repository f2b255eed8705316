// Applies --set to a scenario's tree, and expands locks that are given by name alone.

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/sweep.h"

namespace latchlab {
namespace {

bool within(const std::string& inner, const std::string& outer) {
  return inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '.';
}

void reject_lost(const std::string& path, const std::string& swept, const SourceLocation& place) {
  if (path == swept || within(path, swept))
    reject(place,
           "{} is varied by the sweep, which would undo this; change the sweep instead, for "
           "example --set {}",
           swept,
           swept == "protocol" ? "'protocol={name: mcs}' (it takes the place of the axis)"
                               : "sweep=null");
}

// Leaves mappings and lists alone; errors in them are reported when they are read.
void spell_out_lock(YamlNode& lock) {
  if (!lock.is_scalar()) return;
  YamlNode whole = yaml_map(lock.place);
  whole.set("name", lock);
  lock = std::move(whole);
}

void spell_out_axis(YamlNode& axes) {
  YamlNode* const axis = axes.is_map() ? axes.find("protocol") : nullptr;
  if (axis && axis->is_sequence())
    std::for_each(axis->items.begin(), axis->items.end(), spell_out_lock);
}

using Names = std::vector<std::string>;

// Checks a value of path "protocol": it must be a label of the axis or a protocol's name.
void check_called(const YamlNode& axis, const YamlNode& value, const Names& protocols) {
  if (!value.is_scalar() || contains(protocols, value.text)) return;
  Names labels;
  for (const YamlNode& item : axis.items) labels.push_back(step_name("protocol", item));
  Names known = labels;
  known.insert(known.end(), protocols.begin(), protocols.end());
  reject(value.place,
         "the sweep has no lock with the label {}, and there is no such protocol; the "
         "sweep has {}{}",
         in_quotes(value.text), joined(labels), aside(value.text, known));
}

// The step of the axis with that name; otherwise the value itself.
YamlNode as_named(const std::string& path, const YamlNode& axis, const YamlNode& value,
                  const Names& protocols) {
  const auto found = std::find_if(axis.items.begin(), axis.items.end(), [&](const YamlNode& item) {
    const std::string name = step_name(path, item);
    return value.is_scalar() && !name.empty() && name == value.text;
  });
  if (found != axis.items.end()) return *found;
  if (path == "protocol") check_called(axis, value, protocols);
  return value;
}

// The axis that the override replaces: a lock given by name replaces the axis "protocol.name" if
// the sweep has that one.
std::string axis_for(const std::string& path, const YamlNode& value, const YamlNode& grid) {
  const bool names =
      value.is_scalar() ||
      (value.is_sequence() && std::all_of(value.items.begin(), value.items.end(),
                                          [](const YamlNode& item) { return item.is_scalar(); }));
  return path == "protocol" && names && !grid.find(path) && grid.find("protocol.name")
             ? "protocol.name"
             : path;
}

// Returns true if the override replaced an axis of the grid.
bool pin_axis(YamlNode& root, const std::string& given, const YamlNode& value,
              const Names& protocols) {
  YamlNode* sweep = root.find("sweep");
  if (!sweep || !sweep->is_map()) return false;
  YamlNode* grid = sweep->find("grid");
  const bool has_axes = grid && grid->is_map();
  const std::string path = has_axes ? axis_for(given, value, *grid) : given;
  YamlNode* axis = has_axes ? grid->find(path) : nullptr;
  if (axis) {
    const YamlNode before = *axis;
    if (!value.is_sequence() && !is_range(value)) {
      *axis = yaml_sequence(value.place);
      axis->items = {value};
    } else {
      *axis = value;
    }
    for (YamlNode& item : axis->items) item = as_named(path, before, item, protocols);
    return true;
  }
  if (grid)
    for (const YamlEntry& entry : grid->entries) reject_lost(path, entry.key, value.place);
  if (const YamlNode* zip = sweep->find("zip"))
    for (const YamlNode& item : zip->items)
      for (const YamlEntry& entry : item.entries) reject_lost(path, entry.key, value.place);
  return false;
}

}  // namespace

void spell_out_locks(YamlNode& root) {
  if (!root.is_map()) return;
  if (YamlNode* const lock = root.find("protocol")) spell_out_lock(*lock);
  YamlNode* const sweep = root.find("sweep");
  if (!sweep || !sweep->is_map()) return;
  if (YamlNode* const grid = sweep->find("grid")) spell_out_axis(*grid);
  YamlNode* const zip = sweep->find("zip");
  if (zip && zip->is_sequence())
    std::for_each(zip->items.begin(), zip->items.end(), spell_out_axis);
}

void apply_override(YamlNode& root, const Override& override,
                    const std::vector<ProtocolInfo>& protocols, const Files& files) {
  std::string shown = fmt::format("--set {}={}", override.path, override.value);
  if (shown.size() > 80) shown = shown.substr(0, 77) + "...";
  const YamlNode value = parse_yaml(override.value, shown, false);
  Names names;
  for (const ProtocolInfo& info : protocols) names.push_back(info.name);
  if (!pin_axis(root, override.path, value, names)) set_path(root, override.path, value, files);
  spell_out_locks(root);
}

}  // namespace latchlab
