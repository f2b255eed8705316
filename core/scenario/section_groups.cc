#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/scenario/nic_file.h"
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

// Links of all but a star have one rate, which SimGrid's flows then share.
NicModel read_group_nic(const YamlNode& node, const std::string& directory, const DataDirs& data,
                        const PlatformSpec& platform) {
  NicModel nic = read_nic(expand_nic(node, directory, data));
  const bool one_rate =
      platform.topology.kind != TopologyKind::star && platform.bulk.model == BulkModel::flows;
  if (one_rate && nic.link_bits_per_s != platform.nic.link_bits_per_s)
    reject(node.place,
           fmt::format("a group's {} has another link.rate than the platform's {}, and flows on "
                       "this topology know one rate; set platform.bulk to shared_ports",
                       nic.name, platform.nic.name));
  return nic;
}

}  // namespace

YamlNode with_own_keys(const YamlNode* common, const YamlNode* own) {
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
    const YamlNode whole = with_own_keys(workload, reader.find_or_null("workload"));
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

void read_group_hardware(const YamlNode& groups, const YamlNode* platform,
                         const std::string& directory, const DataDirs& data, Point& point) {
  const YamlNode* const common = platform ? platform->find("clocks") : nullptr;
  for (std::size_t i = 0; i < point.groups.size(); ++i) {
    const YamlNode& node = groups.items[i];
    const YamlNode* const nic = node.find("nic");
    if (nic && !nic->is_null())
      point.groups[i].nic = read_group_nic(*nic, directory, data, point.platform);
    if (point.groups[i].nic && point.platform.colocated && point.locks.device_memory)
      reject(
          nic->place,
          "groups have RNICs of their own on nodes that are servers, and locks.memory is device; "
          "lock tables need the same RNIC on every server: use memory: host");
    const YamlNode* const clocks = node.find("clocks");
    if (!clocks || clocks->is_null()) continue;
    const YamlNode whole = with_own_keys(common, clocks);
    point.groups[i].clocks = read_clocks(&whole, fmt::format("groups.{}.clocks", i), node.place);
  }
}

}  // namespace latchlab
