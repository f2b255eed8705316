// Problems of single nodes of a cluster, and differences between nodes.

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "backends/ibverbs/cores.h"
#include "tools/latchlab/hardware/fabric.h"

namespace latchlab::tool {

namespace {

using Nodes = std::vector<FabricNode>;

// Enough for the lock tables and queues of one node in the scenarios of this repository.
constexpr std::int64_t kMemlockWanted = 1LL << 30;
// Below this, there is no memory even for the queues.
constexpr std::int64_t kMemlockLeast = 64LL << 20;

// Values and the nodes that have them, in the order of each value's first node.
using Groups = std::vector<std::pair<std::string, std::vector<int>>>;

void add(Groups& groups, const std::string& value, std::uint32_t node) {
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& group) { return group.first == value; });
  auto& group = found == groups.end() ? groups.emplace_back(value, std::vector<int>()) : *found;
  group.second.push_back(static_cast<int>(node));
}

// Groups the nodes that have a port by `value`. Nodes with an empty value are left out.
Groups group_by(const Nodes& nodes, const std::function<std::string(const FabricNode&)>& value) {
  Groups groups;
  for (const FabricNode& node : nodes) {
    if (!node.trouble.empty()) continue;
    if (const std::string its = value(node); !its.empty()) add(groups, its, node.node);
  }
  return groups;
}

// "1024 bytes on node 2; 4096 bytes on nodes 1,3"; a single value is listed without nodes.
std::string text_of(const Groups& groups) {
  if (groups.size() == 1) return groups.front().first;
  std::string text;
  for (const auto& [value, nodes] : groups)
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", value, text_of_nodes(nodes));
  return text;
}

// All nodes should have the same.
Line alike(const char* what, const Groups& groups, Health otherwise, const char* fix) {
  if (groups.size() <= 1) return {Health::fine, what, text_of(groups), {}};
  return {otherwise, what, text_of(groups), fix};
}

Line link_layers(const Nodes& nodes) {
  return alike("link layer", group_by(nodes, [](const FabricNode& n) { return n.link_layer; }),
               Health::wrong,
               "no packet goes from one to the other: choose devices of one kind (--device)");
}

Line mtus(const Nodes& nodes) {
  return alike(
      "MTU",
      group_by(nodes, [](const FabricNode& n) { return fmt::format("{} bytes", n.mtu_bytes); }),
      Health::wrong,
      "give all ports one: on RoCE by the interfaces' MTU (4200 or more for 4096), on "
      "InfiniBand by the subnet manager");
}

Line partitions(const Nodes& nodes) {
  constexpr std::uint16_t kFullMembership = 0x8000;
  const Groups groups = group_by(nodes, [](const FabricNode& n) {
    return n.pkey == 0 ? std::string() : fmt::format("{:#06x}", n.pkey);
  });
  std::size_t limited = 0;
  Groups apart;  // partitions, regardless of full or limited membership
  for (const FabricNode& node : nodes) {
    if (!node.trouble.empty() || node.pkey == 0) continue;
    limited += (node.pkey & kFullMembership) == 0 ? 1 : 0;
    add(apart, fmt::format("{:#06x}", node.pkey | kFullMembership), node.node);
  }
  if (apart.size() > 1)
    return {Health::wrong, "partition", text_of(groups),
            "these do not reach each other: choose one that all have with --pkey"};
  if (limited > 1)
    return {Health::wrong, "partition", text_of(groups),
            "limited members do not reach each other: make all but one full (0x8000 added)"};
  return {
      Health::fine, "partition", groups.empty() ? "not told by the devices" : text_of(groups), {}};
}

std::string atomics_text(const FabricNode& node) {
  const NativeAtomics by_dc = node.atomics.by_dc();
  const std::string masked = node.atomics.text();
  std::string text = node.atomics.has(NativeAtomics::plain) ? "CAS and FAA" : "no atomics";
  text += masked.empty() ? "" : ", " + masked;
  if (!node.atomics.has(NativeAtomics::dc)) return text;
  return text + (by_dc.text() == masked ? ", also by DC" : ", by DC " + by_dc.text());
}

Line atomics(const Nodes& nodes, const std::string& by_software) {
  Groups groups = group_by(nodes, atomics_text);
  const NativeAtomics all = atomics_of(nodes);
  if (by_software.empty())
    return alike("atomics", groups, Health::note,
                 "by RC no lock needs agents; DC is for nodes that all have it");
  const std::string what =
      fmt::format("{}; by agents for {}: {}", text_of(groups), by_software, all.lacking);
  if (groups.size() <= 1) return {Health::note, "atomics", what, {}};
  return {Health::wrong, "atomics", what,
          "set the firmware of all nodes alike (docs/cluster.md, PCI_ATOMIC_MODE and UCTX_EN), or "
          "leave those out that cannot"};
}

Line locked_memory(const Nodes& nodes) {
  Health health = Health::fine;
  const Groups groups = group_by(nodes, [&](const FabricNode& n) {
    if (n.memlock_bytes < 0) return std::string("no limit");
    if (n.memlock_bytes < kMemlockWanted) health = std::max(health, Health::note);
    if (n.memlock_bytes < kMemlockLeast && n.software.empty()) health = Health::wrong;
    return fmt::format("{} KiB", n.memlock_bytes >> 10);
  });
  const std::string fix = "memlock unlimited in /etc/security/limits.d (docs/cluster.md)";
  return {health, "locked memory", text_of(groups), health == Health::fine ? "" : fix};
}

// The clock source matters because each worker reads the clock twice for every verb.
Line clocks(const Nodes& nodes) {
  Health health = Health::fine;
  const Groups groups = group_by(nodes, [&](const FabricNode& n) {
    const bool slow = n.clock == "hpet" || n.clock == "acpi_pm" || n.clock == "jiffies";
    if (slow)
      health = Health::wrong;
    else if (n.clock != "tsc" && n.clock != "arch_sys_counter")
      health = std::max(health, Health::note);
    return n.clock.empty() ? std::string("not told") : n.clock;
  });
  return {health, "clock source", text_of(groups),
          health == Health::fine
              ? ""
              : "tsc is read in nanoseconds; others may take a microsecond, at every verb: dmesg | "
                "grep -i tsc says why it is not used"};
}

Line governors(const Nodes& nodes) {
  const Groups groups = group_by(nodes, [](const FabricNode& n) { return n.governor; });
  if (groups.empty()) return {Health::fine, "CPU governor", "not told by the kernels", {}};
  const bool fast = groups.size() == 1 && groups.front().first == "performance";
  return {fast ? Health::fine : Health::note, "CPU governor", text_of(groups),
          fast ? "" : "cpupower frequency-set -g performance"};
}

Line versions(const char* what, const Nodes& nodes,
              const std::function<std::string(const FabricNode&)>& value) {
  return alike(what, group_by(nodes, value), Health::note,
               "nodes of one measurement should be alike: another kind measures another thing");
}

void add_software(const Nodes& nodes, Lines& lines) {
  const Groups groups = group_by(nodes, [](const FabricNode& n) {
    return n.software.empty() ? std::string() : n.device + " is " + n.software;
  });
  for (const auto& [is, where] : groups)
    lines.push_back(
        {Health::note,
         "device",
         fmt::format("{} on {}: times say nothing of an RNIC", is, text_of_nodes(where)),
         {}});
}

void add_counters(const Nodes& nodes, Lines& lines) {
  for (const FabricNode& node : nodes) {
    std::string grew;
    for (const auto& [name, count] : node.counters)
      grew += fmt::format("{}{} {}", grew.empty() ? "" : ", ", name, count);
    if (grew.empty()) continue;
    lines.push_back({Health::wrong, "counters",
                     fmt::format("{} of node {} ({}) counted meanwhile: {}", node.device, node.node,
                                 node.host, grew),
                     "packets get lost or overtake each other, of these or of others' traffic: "
                     "PFC or ECN of the switches (RoCE), cables, ibqueryerrors"});
  }
}

}  // namespace

std::string text_of_nodes(const std::vector<int>& nodes) {
  return (nodes.size() == 1 ? "node " : "nodes ") + ib::text_of_cores(nodes);
}

NativeAtomics atomics_of(const std::vector<FabricNode>& nodes) {
  std::optional<NativeAtomics> all;
  for (const FabricNode& node : nodes)
    if (node.trouble.empty()) all = all ? common(*all, node.atomics) : node.atomics;
  return all.value_or(NativeAtomics{});
}

Lines judge_fabric(const std::vector<FabricNode>& nodes, const std::string& by_software) {
  Lines lines;
  bool any = false;
  for (const FabricNode& node : nodes) {
    any = any || node.trouble.empty();
    if (!node.trouble.empty())
      lines.push_back({Health::wrong, fmt::format("node {}", node.node),
                       fmt::format("{}: {}", node.host, node.trouble),
                       "latchlab doctor there says more"});
  }
  if (!any) return lines;
  const auto of = [](std::string FabricNode::*member) {
    return [member](const FabricNode& node) { return node.*member; };
  };
  lines.insert(lines.end(), {link_layers(nodes), mtus(nodes), partitions(nodes),
                             atomics(nodes, by_software), locked_memory(nodes), clocks(nodes),
                             governors(nodes), versions("board", nodes, of(&FabricNode::board)),
                             versions("firmware", nodes, of(&FabricNode::firmware)),
                             versions("kernel", nodes, of(&FabricNode::kernel)),
                             versions("libibverbs", nodes, of(&FabricNode::library))});
  add_software(nodes, lines);
  add_counters(nodes, lines);
  return lines;
}

}  // namespace latchlab::tool
