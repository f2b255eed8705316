#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/scenario/scenario_keys.h"
#include "core/scenario/sections.h"

namespace latchlab {
namespace {

constexpr std::int64_t kOne = 1'000'000'000;  // in parts per billion
constexpr Duration kLongestPause = seconds(1000);
const std::vector<std::string> kDistributions = {"uniform", "zipf", "power_law", "hotspot"};
const std::vector<std::string> kLaterWorkloads = {"range", "transactions", "object_store",
                                                  "index", "file_io",      "trace"};

void read_workload_kind(const YamlNode* kind) {
  if (!kind) return;
  const std::string& text = scalar(*kind, "workload.kind", "micro");
  if (std::find(kLaterWorkloads.begin(), kLaterWorkloads.end(), text) != kLaterWorkloads.end())
    reject(kind->place, fmt::format("workload.kind {} is not supported by this build yet; "
                                    "supported: micro",
                                    text));
  read_choice(*kind, "workload.kind", {"micro"});
}

// A name alone is short for {kind: name}.
std::size_t distribution_kind(MapReader& reader, const YamlNode& node) {
  const YamlNode& kind = reader.require("kind", "kind: uniform");
  if (kind.is_scalar() && kind.text == "trace")
    reject(node.place,
           "workload.distribution.kind trace is not supported by this build yet; "
           "supported: uniform, zipf, power_law, hotspot");
  return read_choice(kind, reader.path_of("kind"), kDistributions);
}

Duration read_critical_section(const YamlNode* node) {
  if (!node) return Duration{0};
  if (node->is_map())
    reject(node->place,
           "workload.critical_section with remote_ops is not supported by this "
           "build yet; supported: a time such as 2us");
  return read_duration(*node, "workload.critical_section", Duration{0}, kLongestPause);
}

void read_think_time(const YamlNode* node, WorkloadSpec& workload) {
  if (!node) return;
  if (!node->is_map()) {
    workload.think_time = read_duration(*node, "workload.think_time", Duration{0}, kLongestPause);
    return;
  }
  MapReader reader(node, "workload.think_time", node->place);
  read_choice(reader.require("kind", "kind: exponential"), reader.path_of("kind"), {"exponential"});
  workload.think_exponential = true;
  workload.think_time = read_duration(reader.require("mean", "mean: 5us"), reader.path_of("mean"),
                                      Duration{0}, kLongestPause);
  reader.finish();
}

}  // namespace

DistributionSpec read_distribution(const YamlNode* node, const Place& place) {
  DistributionSpec spec;
  if (!node) return spec;
  YamlNode whole = *node;
  if (node->is_scalar()) {
    whole = yaml_map();
    whole.place = node->place;
    whole.set("kind", *node);
  }
  MapReader reader(&whole, "workload.distribution", place);
  spec.kind = static_cast<DistributionKind>(distribution_kind(reader, *node));
  switch (spec.kind) {
    case DistributionKind::uniform:
      break;
    case DistributionKind::zipf:
      spec.theta_ppb = reader.ratio_ppb("theta", 990'000'000, 0, 10 * kOne);
      spec.scramble = reader.boolean("scramble", false);
      break;
    case DistributionKind::power_law:
      reader.require("alpha", "alpha: 2");
      spec.alpha_ppb = reader.ratio_ppb("alpha", 0, kOne + 1, 20 * kOne);
      break;
    case DistributionKind::hotspot:
      reader.require("locks", "locks: 1%");
      reader.require("accesses", "accesses: 90%");
      spec.hot_locks_ppb = reader.ratio_ppb("locks", 0, 1, kOne);
      spec.hot_accesses_ppb = reader.ratio_ppb("accesses", 0, 0, kOne);
      break;
  }
  reader.finish();
  return spec;
}

WorkloadSpec read_workload(const YamlNode* node, const Place& place) {
  MapReader reader(node, "workload", place);
  reader.know_only(keys_of("workload"));
  read_workload_kind(reader.find("kind"));
  WorkloadSpec workload;
  workload.distribution = read_distribution(reader.find("distribution"), reader.place());
  workload.read_ratio_ppb = reader.ratio_ppb("read_ratio", 0, 0, kOne);
  if (const YamlNode* locality = reader.find_or_null("locality"))
    workload.locality_ppb = read_ratio_ppb(*locality, reader.path_of("locality"), 0, kOne);
  if (const YamlNode* sizes = reader.find_or_null("sizes"))
    reject(sizes->place,
           "workload.sizes belongs to kind range, which is not supported by this "
           "build yet; remove the key");
  workload.critical_section = read_critical_section(reader.find("critical_section"));
  read_think_time(reader.find("think_time"), workload);
  return workload;
}

void check_workload(const WorkloadSpec& workload, const PlatformSpec& platform,
                    const LockTableSpec& locks, const YamlNode* node, const Place& place) {
  const auto refuse = [&](const char* key, const std::string& why) {
    const YamlNode* part = node ? node->find(key) : nullptr;
    reject(part ? part->place : node ? node->place : place, why);
  };
  if (!workload.locality_ppb) return;
  if (!platform.colocated)
    refuse("locality",
           "workload.locality needs clients on servers: set platform.colocated to true, or remove "
           "the key");
  if (locks.placement == PlacementKind::node)
    refuse("locality",
           "workload.locality needs locks on every server, and locks.placement puts all on one; "
           "use round_robin or partitioned");
  if (locks.count < platform.servers)
    refuse("locality", fmt::format("workload.locality needs locks on every server: set locks.count "
                                   "to {} or more",
                                   platform.servers));
  if (platform.servers == 1 && *workload.locality_ppb < kOne)
    refuse("locality",
           "workload.locality is below 100%, and one server has no others; set platform.servers to "
           "2 or more, or locality to 100%");
}

}  // namespace latchlab
