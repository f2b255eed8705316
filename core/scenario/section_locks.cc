#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/ids.h"
#include "core/scenario/quantities.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/sections.h"

namespace latchlab {
namespace {

constexpr std::int64_t kMostLocks = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kEntryAlignment = 8;
constexpr std::uint64_t kCacheLine = 64;  // unless told: one lock per line

void read_placement(const YamlNode& node, LockTableSpec& locks) {
  if (node.is_map()) {
    MapReader reader(&node, "locks.placement", node.place);
    locks.placement = PlacementKind::node;
    reader.require("node", "node: 0");
    locks.node = static_cast<std::uint32_t>(reader.count("node", 0, 0, kMostNodes - 1));
    reader.finish();
    return;
  }
  const std::size_t kind =
      read_choice(node, "locks.placement", {"round_robin", "partitioned", "{node: N}"});
  if (kind == 2) reject(node.place, "locks.placement: write the server's number, as {node: 0}");
  locks.placement = kind == 0 ? PlacementKind::round_robin : PlacementKind::partitioned;
}

void read_stride(const YamlNode& node, LockTableSpec& locks) {
  const Result<std::uint64_t> bytes = parse_bytes(scalar(node, "locks.stride", "64B"));
  if (!bytes) reject(node.place, "locks.stride: " + bytes.error().message);
  if (bytes.value() == 0 || bytes.value() % kEntryAlignment != 0)
    reject(node.place, fmt::format("locks.stride is {}; expected a multiple of 8B, at least the "
                                   "size of the protocol's entry",
                                   node.text));
  locks.stride_bytes = bytes.value();
}

}  // namespace

LockTableSpec read_locks(const YamlNode* node, const Place& place) {
  MapReader reader(node, "locks", place);
  reader.know_only(keys_of("locks"));
  LockTableSpec locks;
  locks.count = static_cast<std::uint64_t>(reader.count("count", 1, 1, kMostLocks));
  if (const YamlNode* placement = reader.find("placement")) read_placement(*placement, locks);
  const bool told = node != nullptr && node->find("stride") != nullptr;
  locks.stride_bytes = told ? 0 : kCacheLine;
  if (const YamlNode* stride = reader.find_or_null("stride")) read_stride(*stride, locks);
  locks.device_memory = reader.choice("memory", 0, {"host", "device"}) == 1;
  return locks;
}

void check_locks(const LockTableSpec& locks, const PlatformSpec& platform,
                 std::uint64_t entry_bytes, const YamlNode* node, const Place& place) {
  const std::uint32_t servers = platform.servers;
  const YamlNode* part = nullptr;
  const auto where = [&](const char* key) {
    part = node ? node->find(key) : nullptr;
    return part ? part->place : node ? node->place : place;
  };
  if (locks.placement == PlacementKind::node && locks.node >= servers)
    reject(where("placement"), fmt::format("locks.placement.node is {}; allowed: 0 to {} (there "
                                           "are {} servers)",
                                           locks.node, servers - 1, servers));
  const bool told = node != nullptr && node->find("stride") != nullptr;
  if (told && locks.stride_bytes != 0 && locks.stride_bytes < entry_bytes)
    reject(where("stride"),
           fmt::format("locks.stride is {}; this protocol's entry needs at least "
                       "{}",
                       format_bytes(locks.stride_bytes), format_bytes(entry_bytes)));
  const std::uint64_t own = (entry_bytes + kEntryAlignment - 1) / kEntryAlignment * kEntryAlignment;
  const std::uint64_t stride = std::max({locks.stride_bytes, own, kEntryAlignment});
  const std::uint64_t spread = locks.placement == PlacementKind::node ? 1 : servers;
  const std::uint64_t per_server = locks.count / spread + (locks.count % spread != 0 ? 1 : 0);
  const std::uint64_t most = (kMaxOffset - kFirstEntryOffset) / stride;
  if (per_server > most)
    reject(where("count"),
           fmt::format("locks.count x stride is {} x {} on one server, beyond the 48-bit address "
                       "space; at most {} locks per server fit",
                       per_server, format_bytes(stride), most));
  if (!locks.device_memory) return;
  const NicModel& nic = platform.nic;
  if (nic.device_bytes == 0)
    reject(where("memory"), fmt::format("locks.memory is device, and {} has no memory of its own "
                                        "(device_memory.size is 0B); use memory: host",
                                        nic.name));
  const auto fitting = static_cast<std::uint64_t>(nic.device_bytes) / stride;
  if (per_server > fitting)
    reject(
        where("count"),
        fmt::format("locks.count x stride is {} x {} on one server, beyond the {} of {}'s own "
                    "memory; at most {} locks per server fit, or use memory: host",
                    per_server, format_bytes(stride),
                    format_bytes(static_cast<std::uint64_t>(nic.device_bytes)), nic.name, fitting));
}

}  // namespace latchlab
