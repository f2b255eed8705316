#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/scenario/scenario_keys.h"
#include "core/scenario/sections.h"

namespace latchlab {
namespace {

constexpr std::size_t kMostGroups = 64;

// A group's name becomes part of the names of its metrics.
std::string read_name(MapReader& reader, const std::vector<GroupSpec>& earlier) {
  const YamlNode& node = reader.require("name", "name: readers");
  const std::string& name = scalar(node, reader.path_of("name"), "a word such as readers");
  const bool fit =
      !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
      });
  if (!fit)
    reject(node.place, fmt::format("{} is '{}'; expected 1 to 64 letters, digits, '-' or '_'",
                                   reader.path_of("name"), name));
  for (const GroupSpec& group : earlier)
    if (group.name == name)
      reject(node.place, fmt::format("{} is '{}', as an earlier group's; give each its own",
                                     reader.path_of("name"), name));
  return name;
}

}  // namespace

YamlNode group_workload(const YamlNode* common, const YamlNode* own) {
  YamlNode merged = common ? *common : yaml_map();
  if (!own) return merged;
  if (!merged.is_map() || !own->is_map()) return *own;
  merged.place = own->place;
  for (const YamlEntry& entry : own->entries) merged.set(entry.key, entry.value);
  return merged;
}

std::vector<GroupSpec> read_groups(const YamlNode* node, const YamlNode* workload,
                                   const Place& place, const std::string& directory) {
  std::vector<GroupSpec> groups;
  if (!node || node->is_null()) return groups;
  if (!node->is_sequence())
    reject(node->place,
           "groups holds something else; expected a list such as [{name: readers, "
           "nodes: 2, clients_per_node: 8}]");
  if (node->items.size() > kMostGroups)
    reject(node->place, fmt::format("groups has {} entries; at most {} are possible",
                                    node->items.size(), kMostGroups));
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    MapReader reader(&node->items[i], fmt::format("groups.{}", i), node->place);
    reader.know_only(keys_of("groups[]"));
    GroupSpec group;
    group.name = read_name(reader, groups);
    group.clients.nodes = static_cast<std::uint32_t>(reader.count("nodes", 1, 1, kMostNodes));
    group.clients.clients_per_node =
        static_cast<std::uint32_t>(reader.count("clients_per_node", 1, 1, kMostClients));
    reader.unsupported("nic");
    reader.unsupported("clocks");
    const YamlNode whole = group_workload(workload, reader.find_or_null("workload"));
    group.workload = read_workload(&whole, place, directory);
    if (group.workload.arrivals.kind == ArrivalKind::script)
      reject(
          reader.place(),
          "workload.arrivals of kind script speaks of all clients of the run; use kind poisson in "
          "a group");
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace latchlab
