#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

constexpr Duration kLongestRun = seconds(3600);
constexpr std::size_t kMostFaults = 1'000;
const std::vector<std::string> kFaults = {"skip_release", "client_crash", "pause", "slow_client",
                                          "drift"};
const std::vector<std::string> kLaterFaults = {"process_crash", "node_crash", "link_down"};

FaultKind fault_kind(MapReader& reader) {
  const YamlNode& kind = reader.require("kind", "kind: skip_release");
  const std::string& text = scalar(kind, reader.path_of("kind"), "skip_release or client_crash");
  if (std::find(kLaterFaults.begin(), kLaterFaults.end(), text) != kLaterFaults.end())
    reject(kind.place, fmt::format("{} {} is not supported by this build yet; supported: {}",
                                   reader.path_of("kind"), text, joined(kFaults)));
  return static_cast<FaultKind>(read_choice(kind, reader.path_of("kind"), kFaults));
}

FaultSpec read_fault(const YamlNode& node, const std::string& path, const PlatformSpec& platform) {
  MapReader reader(&node, path, node.place);
  FaultSpec fault;
  fault.kind = fault_kind(reader);
  if (fault.kind == FaultKind::skip_release) {
    reader.require("probability", "probability: 0.1%");
    fault.probability_ppb = reader.ratio_ppb("probability", 0, 0, 1'000'000'000);
    reader.unsupported("rate");
  } else if (fault.kind == FaultKind::client_crash) {
    reader.require("at", "at: 30ms");
    fault.at = reader.duration("at", Duration{0}, Duration{0}, kLongestRun);
    fault.client = static_cast<std::uint32_t>(
        reader.count("client", 0, 0, std::int64_t{platform.clients()} - 1));
    reader.unsupported("rate");
  } else {
    read_cpu_fault(reader, platform, fault);
  }
  reader.finish();
  return fault;
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

RunSpec read_run(const YamlNode* node, const Place& place) {
  MapReader reader(node, "run", place);
  for (const char* key :
       {"warmup", "duration", "seed", "repeats", "on_violation", "guard", "acquisitions"})
    reader.know(key);
  reader.finish();
  RunSpec run;
  run.warmup = reader.duration("warmup", run.warmup, Duration{0}, kLongestRun);
  run.duration = reader.duration("duration", run.duration, microseconds(1), kLongestRun);
  run.seed = static_cast<std::uint64_t>(
      reader.count("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  run.repeats = static_cast<std::uint32_t>(reader.count("repeats", 1, 1, 1'000));
  run.on_violation = static_cast<OnViolation>(reader.choice("on_violation", 0, {"stop", "record"}));
  reader.unsupported("guard", "off");
  reader.unsupported("acquisitions");
  return run;
}

}  // namespace latchlab
