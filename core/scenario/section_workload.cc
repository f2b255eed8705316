#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/scenario/quantities.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/sections.h"

namespace latchlab {
namespace {

constexpr std::int64_t kOne = 1'000'000'000;  // in parts per billion
constexpr Duration kLongestPause = seconds(1000);
constexpr std::uint64_t kLargestObject = 16 * 1024;
constexpr std::int64_t kMostAtOnce = 1000;
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

void read_critical_section(const YamlNode* node, WorkloadSpec& workload) {
  if (!node) return;
  if (!node->is_map()) {
    workload.critical_section =
        read_duration(*node, "workload.critical_section", Duration{0}, kLongestPause);
    return;
  }
  MapReader reader(node, "workload.critical_section", node->place);
  reader.require("remote_ops", "remote_ops: 1");
  workload.remote_ops = static_cast<std::uint32_t>(reader.count("remote_ops", 0, 1, 1000));
  const YamlNode* bytes = reader.find("bytes");
  const Result<std::uint64_t> size =
      parse_bytes(bytes ? scalar(*bytes, reader.path_of("bytes"), "8B") : "8B");
  if (!size) reject(bytes->place, reader.path_of("bytes") + ": " + size.error().message);
  if (size.value() == 0 || size.value() % 8 != 0 || size.value() > kLargestObject)
    reject(bytes->place, fmt::format("workload.critical_section.bytes is {}; expected a multiple "
                                     "of 8B, 16KiB at most",
                                     bytes->text));
  workload.object_bytes = static_cast<std::uint32_t>(size.value());
  reader.finish();
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

// How many locks are held at once, in which modes, and what follows an abort.
void read_sections(MapReader& reader, WorkloadSpec& workload) {
  workload.locks_per_section =
      static_cast<std::uint32_t>(reader.count("locks_per_section", 1, 1, kMostAtOnce));
  workload.locks_sorted = reader.choice("order", 0, {"sorted", "as_asked"}) == 0;
  workload.gives_back = reader.choice("on_abort", 0, {"retry", "give_back"}) == 1;
  workload.retry_pause = reader.duration("retry_pause", Duration{0}, Duration{0}, kLongestPause);
  workload.update_ratio_ppb = reader.ratio_ppb("update_ratio", 0, 0, kOne);
  workload.upgrade_ratio_ppb = reader.ratio_ppb("upgrade_ratio", 0, 0, kOne);
}

// Of keys that each are right, what does not go together.
template <class Refuse>
void check_together(const WorkloadSpec& workload, const Refuse& refuse) {
  if (workload.read_ratio_ppb + workload.update_ratio_ppb > kOne)
    refuse("update_ratio",
           fmt::format("workload.read_ratio {} and update_ratio {} are more than all acquisitions; "
                       "lower one of them",
                       format_percent(workload.read_ratio_ppb),
                       format_percent(workload.update_ratio_ppb)));
  if (workload.upgrade_ratio_ppb > 0 && workload.update_ratio_ppb == 0)
    refuse("upgrade_ratio",
           "workload.upgrade_ratio is a share of the acquisitions for update, and there are none; "
           "set workload.update_ratio, or remove the key");
  const ArrivalKind kind = workload.arrivals.kind;
  if (kind != ArrivalKind::none && workload.think_time.ps > 0)
    refuse("think_time",
           "workload.think_time is of a closed loop, and workload.arrivals say when sections "
           "begin; remove one of them");
  if (kind == ArrivalKind::script && workload.locks_per_section > 1)
    refuse("locks_per_section",
           "workload.locks_per_section is above 1, and each arrival of a script is for one lock; "
           "remove one of them");
}

template <class Refuse>
void check_locks_asked(const WorkloadSpec& workload, const PlatformSpec& platform,
                       const LockTableSpec& locks, const Refuse& refuse) {
  if (workload.locks_per_section > locks.count)
    refuse("locks_per_section",
           fmt::format("workload.locks_per_section is {}, and there are {} locks (locks.count)",
                       workload.locks_per_section, locks.count));
  const std::uint64_t stride = (std::uint64_t{workload.object_bytes} + 63) / 64 * 64;
  if (stride > 0 && locks.count > (kMaxOffset / 4) / stride)
    refuse("critical_section",
           fmt::format("objects of {} for {} locks go beyond the 48-bit address space; lower "
                       "locks.count to {} or less",
                       format_bytes(workload.object_bytes), locks.count, kMaxOffset / 4 / stride));
  for (const ScriptedArrival& arrival : workload.arrivals.script) {
    if (arrival.client >= platform.clients())
      refuse("arrivals", fmt::format("workload.arrivals has client {}; allowed: 0 to {}",
                                     arrival.client, platform.clients() - 1));
    if (arrival.lock >= locks.count)
      refuse("arrivals", fmt::format("workload.arrivals has lock {}; allowed: 0 to {}",
                                     arrival.lock, locks.count - 1));
  }
}

template <class Refuse>
void check_locality(const WorkloadSpec& workload, const PlatformSpec& platform,
                    const LockTableSpec& locks, const Refuse& refuse) {
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

WorkloadSpec read_workload(const YamlNode* node, const Place& place, const std::string& directory) {
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
  read_critical_section(reader.find("critical_section"), workload);
  read_think_time(reader.find("think_time"), workload);
  read_sections(reader, workload);
  workload.arrivals = read_arrivals(reader.find_or_null("arrivals"), directory);
  return workload;
}

void check_workload(const WorkloadSpec& workload, const PlatformSpec& platform,
                    const LockTableSpec& locks, const YamlNode* node, const Place& place) {
  const auto refuse = [&](const char* key, const std::string& why) {
    const YamlNode* part = node ? node->find(key) : nullptr;
    reject(part ? part->place : node ? node->place : place, why);
  };
  check_together(workload, refuse);
  check_locks_asked(workload, platform, locks, refuse);
  check_locality(workload, platform, locks, refuse);
}

}  // namespace latchlab
