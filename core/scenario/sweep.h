#pragma once
// Changing a scenario's tree by path: overrides before it is read, axes of a sweep for each point.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/text_file.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

inline constexpr std::size_t kMostPoints = 10'000;

// One axis: some paths that change together; each step has one value per path.
struct Axis {
  std::vector<std::string> paths;
  std::vector<std::vector<YamlNode>> steps;

  bool varies(std::string_view path) const { return contains(paths, path); }
};

// What one point changes: path and value, in the order of the sweep. Points into the axes.
using Assignment = std::vector<std::pair<std::string, const YamlNode*>>;

// Sets `path` in the tree, making mappings on the way; list items are reached by number. Whether
// the path means anything is found when the tree is read. Throws InputError, as do all below.
void set_path(YamlNode& root, const std::string& path, const YamlNode& value, const Files& files);

// A lock that is given by its name alone, as in protocol: mcs or at an axis of the sweep: as the
// mapping that it stands for, {name: mcs}.
void spell_out_locks(YamlNode& root);

// --set: the value is YAML. On a path that the sweep varies it replaces the axis; a step may be
// called by its name, a lock by its label or, if no step has that, by its protocol's name.
void apply_override(YamlNode& root, const Override& override,
                    const std::vector<ProtocolInfo>& protocols, const Files& files);

// Ranges become the lists that they stand for.
std::vector<Axis> read_sweep(YamlNode* sweep);

// {from: 1us, to: 1ms, steps: 4, scale: log} at an axis of the sweep.
bool is_range(const YamlNode& node);
// Its values, from the first to the last as written; those between are whole where they count or
// are bytes, else rounded to a thousandth of the step; none twice.
YamlNode range_values(const std::string& path, const YamlNode& range);

// As tables and results show a value of an axis: a mapping by its `name`, if it has one.
std::string axis_value(const std::string& path, const YamlNode& value);

// The name of a swept mapping, of a lock its label; empty: it has none.
std::string step_name(const std::string& path, const YamlNode& value);
// As it is set: only a NIC keeps the name, and is then called so.
YamlNode without_name(const std::string& path, YamlNode value);

// What the table of keys says of a path such as faults.0.at or platform.nic.scale.atomics: several
// rows where kinds differ; none of a lock's parameter, or if there is no such path.
Keys keys_at(const std::string& path);

// Every combination, the first axis outermost; one empty assignment for no axes.
std::vector<Assignment> cross(const std::vector<Axis>& axes, const Place& place);

void apply_assignment(YamlNode& root, const Assignment& assignment, const Files& files);

}  // namespace latchlab
