#pragma once
// Changes a scenario's tree by path: overrides before it is read, and the axes of a sweep for each
// point.

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

// One axis: paths that change together. Each step has one value per path.
struct Axis {
  std::vector<std::string> paths;
  std::vector<std::vector<YamlNode>> steps;

  bool varies(std::string_view path) const { return contains(paths, path); }
};

// The changes of one point: paths and values in sweep order. The pointers refer to the axes.
using Assignment = std::vector<std::pair<std::string, const YamlNode*>>;

// Sets `path` in the tree and creates missing mappings; list items are addressed by number. Whether
// the path is valid is checked when the tree is read. Throws InputError, as do the functions below.
void set_path(YamlNode& root, const std::string& path, const YamlNode& value, const Files& files);

// Replaces locks that are given by name alone, such as `protocol: mcs` or a value of the sweep's
// axis, by the mapping {name: mcs}.
void spell_out_locks(YamlNode& root);

// Applies --set; the value is YAML. On a swept path it replaces the axis. A step may be given by
// its name; a lock by its label or, if no step has that label, by its protocol's name.
void apply_override(YamlNode& root, const Override& override,
                    const std::vector<ProtocolInfo>& protocols, const Files& files);

// The axes of the sweep. Replaces ranges in `sweep` by the lists that they denote.
std::vector<Axis> read_sweep(YamlNode* sweep);

// True for {from: 1us, to: 1ms, steps: 4, scale: log} as an axis of the sweep.
bool is_range(const YamlNode& node);
// The values of a range, without duplicates. First and last are as written. Those between are whole
// for counts and bytes, else rounded to a thousandth of the step.
YamlNode range_values(const std::string& path, const YamlNode& range);

// A value of an axis as tables and results show it: for a mapping its `name`, if it has one.
std::string axis_value(const std::string& path, const YamlNode& value);

// The name of a swept mapping (for a lock, its label); empty: it has none.
std::string step_name(const std::string& path, const YamlNode& value);
// The value to set in the tree. Only a NIC keeps its `name`, which becomes the NIC's name.
YamlNode without_name(const std::string& path, YamlNode value);

// The rows of scenario_keys() for a path such as faults.0.at or platform.nic.scale.atomics: several
// if kinds differ; none for a lock's parameter or an unknown path.
Keys keys_at(const std::string& path);

// The cross product, the first axis outermost; without axes one empty assignment.
std::vector<Assignment> cross(const std::vector<Axis>& axes, const SourceLocation& place);

void apply_assignment(YamlNode& root, const Assignment& assignment, const Files& files);

}  // namespace latchlab
