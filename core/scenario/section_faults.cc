// faults: what goes wrong during a run, and how it is written down again.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

constexpr Duration kLongestFault = seconds(3600);
constexpr std::size_t kMostFaults = 1'000;
const std::vector<std::string> kFaults = {"skip_release", "client_crash", "process_crash",
                                          "node_crash",   "link_down",    "pause",
                                          "slow_client",  "drift"};

FaultKind fault_kind(MapReader& reader) {
  const YamlNode& kind = reader.require("kind", "kind: skip_release");
  return static_cast<FaultKind>(read_choice(kind, reader.path_of("kind"), kFaults));
}

// Servers first, then client nodes, from 0.
std::uint32_t read_node(MapReader& reader, const char* key, const PlatformSpec& platform) {
  return static_cast<std::uint32_t>(reader.count(key, 0, 0, std::int64_t{platform.nodes()} - 1));
}

void read_link(MapReader& reader, const PlatformSpec& platform, FaultSpec& fault) {
  reader.require("node", "node: 0");
  fault.node = read_node(reader, "node", platform);
  if (const YamlNode* to = reader.find("to")) {
    fault.to = read_node(reader, "to", platform);
    if (*fault.to == fault.node)
      reject(to->place, fmt::format("{} and {} are the same node; a node reaches itself without "
                                    "any link",
                                    reader.path_of("node"), reader.path_of("to")));
    if (platform.rnic_of(*fault.to) == platform.rnic_of(fault.node))
      reject(to->place, fmt::format("{} and {} are behind the same RNIC, and reach each other "
                                    "without any link",
                                    reader.path_of("node"), reader.path_of("to")));
  }
  if (reader.find("for"))
    fault.outage = reader.duration("for", Duration{0}, nanoseconds(1), kLongestFault);
}

FaultSpec read_fault(const YamlNode& node, const std::string& path, const PlatformSpec& platform) {
  MapReader reader(&node, path, node.place);
  FaultSpec fault;
  fault.kind = fault_kind(reader);
  if (fault.kind == FaultKind::skip_release) {
    reader.require("probability", "probability: 0.1%");
    fault.probability_ppb = reader.ratio_ppb("probability", 0, 0, 1'000'000'000);
  } else if (is_cpu_fault(fault.kind)) {
    read_cpu_fault(reader, platform, fault);
    reader.finish();
    return fault;
  } else {
    reader.require("at", "at: 30ms");
    fault.at = reader.duration("at", Duration{0}, Duration{0}, kLongestFault);
  }
  if (fault.kind == FaultKind::client_crash || fault.kind == FaultKind::process_crash)
    fault.client = static_cast<std::uint32_t>(
        reader.count("client", 0, 0, std::int64_t{platform.clients()} - 1));
  if (fault.kind == FaultKind::node_crash) {
    reader.require("node", "node: 0");
    fault.node = read_node(reader, "node", platform);
  }
  if (fault.kind == FaultKind::link_down) read_link(reader, platform, fault);
  reader.unsupported("rate");
  reader.finish();
  return fault;
}

YamlNode number(std::uint32_t value) {
  YamlNode node = yaml_text(fmt::format("{}", value));
  node.json = node.text;
  return node;
}

}  // namespace

std::vector<FaultSpec> read_faults(const YamlNode* node, const PlatformSpec& platform) {
  std::vector<FaultSpec> faults;
  if (!node || node->is_null()) return faults;
  if (!node->is_sequence())
    reject(node->place, fmt::format("faults holds {}; expected a list such as [{{kind: "
                                    "skip_release, probability: 0.1%}}]",
                                    kind_name(*node)));
  if (node->items.size() > kMostFaults)
    reject(node->place, fmt::format("faults has {} entries; at most {} are possible",
                                    node->items.size(), kMostFaults));
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    FaultSpec fault = read_fault(node->items[i], fmt::format("faults.{}", i), platform);
    const bool again = fault.kind == FaultKind::skip_release &&
                       std::any_of(faults.begin(), faults.end(), [](const FaultSpec& before) {
                         return before.kind == FaultKind::skip_release;
                       });
    if (again)
      reject(node->items[i].place, "faults holds skip_release twice; give it one probability");
    faults.push_back(fault);
  }
  return faults;
}

YamlNode write_fault(const FaultSpec& fault) {
  YamlNode node = yaml_map();
  node.set("kind", yaml_text(kFaults[static_cast<std::size_t>(fault.kind)]));
  node.set("at", yaml_text(format_duration(fault.at.value_or(Duration{0}))));
  if (fault.kind == FaultKind::client_crash || fault.kind == FaultKind::process_crash) {
    node.set("client", number(fault.client));
    return node;
  }
  node.set("node", number(fault.node));
  if (fault.to) node.set("to", number(*fault.to));
  if (fault.outage) node.set("for", yaml_text(format_duration(*fault.outage)));
  return node;
}

}  // namespace latchlab
