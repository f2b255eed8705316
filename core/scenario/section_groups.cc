#include <fmt/format.h>

#include "core/scenario/nic_file.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

constexpr std::size_t kMostGroups = 64;

// The group's name becomes part of metric names.
void check_name(const YamlNode& name, const std::string& path, const Point& point) {
  const std::string& text = name.text;
  if (!is_name(text, "-_"))
    reject(name.place, "{} is '{}'; expected 1 to 64 letters, digits, '-' or '_'", path, text);
  for (const GroupSpec& group : point.groups)
    if (group.name == text)
      reject(name.place, "{} is '{}', as an earlier group's; give each its own", path, text);
}

// Except in a star, all links have one rate, which SimGrid's flows share.
NicModel read_group_nic(const YamlNode& node, const Files& files, const PlatformSpec& platform) {
  YamlNode section = yaml_map();
  if (!platform.software.empty()) section.set("software", yaml_text(platform.software, node.place));
  NicModel nic = read_nic_of_node(node, section, files).nic;
  const bool one_rate =
      platform.topology.kind != TopologyKind::star && platform.bulk.model == BulkModel::flows;
  if (one_rate && nic.link_bits_per_s != platform.nic.link_bits_per_s)
    reject(node.place,
           "a group's {} has another link.rate than the platform's {}, and flows on this topology "
           "know one rate; set platform.bulk to shared_ports",
           nic.name, platform.nic.name);
  return nic;
}

Value<GroupSpec> clients(std::uint32_t ClientGroup::*field, const char* most) {
  return number<GroupSpec>(
      count, [field](const GroupSpec& group) { return number_of(group.clients.*field); },
      [field](GroupSpec& group, std::int64_t value) { assign(group.clients.*field, value); }, "1",
      most);
}

// Replaces keys of the common workload.
Value<GroupSpec> workload() {
  return value_of<GroupSpec>(
      {.kind = map},
      [](const Given& given, GroupSpec& group) {
        if (!given.node.is_null())
          read_keys(workload_keys(), given.node, "workload", &group.workload);
      },
      [](const ScenarioKey&, const GroupSpec& group) {
        return write_keys(workload_keys(), &group.workload);
      });
}

// Read after the platform is known.
template <class Part, class Write>
Value<GroupSpec> own(KeyKind kind, std::optional<Part> GroupSpec::*field, Write write) {
  return value_of<GroupSpec>(
      {.kind = kind}, [](const Given&, GroupSpec&) {},
      [field, write](const ScenarioKey&, const GroupSpec& group) {
        return group.*field ? write(*(group.*field)) : YamlNode();
      });
}

}  // namespace

const Keys& group_keys() {
  const auto clocks = [](const ClockSpec& spec) { return write_keys(clock_keys(), &spec); };
  static const Keys keys = rows<GroupSpec>({
      {"name", line(&GroupSpec::name), "readers",
       "A unique name: 1 to 64 letters, digits, '-' or '_'.", kRequired},
      {"nodes", clients(&ClientGroup::nodes, "65535"), "2",
       "Nodes on which the group's clients run; groups share no nodes."},
      {"clients_per_node", clients(&ClientGroup::clients_per_node, "10M"), "8",
       "Clients on each of them."},
      {"workload", workload(), "{read_ratio: 100%}",
       "What the group's clients do: keys that replace those of `workload`.", kNullable},
      {"nic", own(text, &GroupSpec::nic, write_nic), "{base: connectx-5, link.rate: 25Gbps}",
       "The RNIC of the group's nodes, in place of platform.nic. Each of two nodes determines half "
       "of the latency between them.",
       kNullable | kOmitted},
      {"clocks", own(map, &GroupSpec::clocks, clocks), "{drift: 100ppm}",
       "Errors of the group's clocks: keys that replace those of platform.clocks.",
       kNullable | kOmitted},
      {"packet_loss", number(ratio, &GroupSpec::packet_loss_ppb, "0", "100%"), "0.1%",
       "What the links of the group's nodes lose, in place of platform.packet_loss.",
       kNullable | kOmitted},
  });
  return keys;
}

void read_groups(const YamlNode* node, const Files& files, Point& point) {
  if (!node) return;
  for (const YamlNode& item :
       read_list({find_key(top_keys(), "groups"), *node, "groups"}, kMostGroups)) {
    const std::string path = fmt::format("groups.{}", point.groups.size());
    GroupSpec group;
    group.workload = point.workload;
    read_keys(group_keys(), item, path, &group);
    check_name(*item.find("name"), path + ".name", point);
    const YamlNode* workload = item.find("workload");
    finish_arrivals(workload, files, group.workload.arrivals);
    finish_programs(workload, files, group.workload);
    point.groups.push_back(std::move(group));
  }
}

void read_group_hardware(const YamlNode& groups, const Files& files, Point& point) {
  for (std::size_t i = 0; i < point.groups.size(); ++i) {
    const YamlNode& node = groups.items[i];
    GroupSpec& group = point.groups[i];
    const YamlNode* const nic = node.find("nic");
    if (nic && !nic->is_null()) group.nic = read_group_nic(*nic, files, point.platform);
    if (group.nic && point.platform.colocated && point.locks.device_memory)
      reject(nic->place,
             "groups have RNICs of their own on nodes that are servers, and locks.memory is "
             "device; lock tables need the same RNIC on every server: use memory: host");
    const YamlNode* const clocks = node.find("clocks");
    if (!clocks || clocks->is_null()) continue;
    group.clocks = point.platform.clocks;
    read_keys(clock_keys(), *clocks, fmt::format("groups.{}.clocks", i), &*group.clocks);
  }
}

}  // namespace latchlab
