#include "core/base/ids.h"
#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

constexpr std::uint64_t kEntryAlignment = 8;

const Keys& placement_keys() {
  static const Keys keys = rows<LockTableSpec>({
      {"node",
       number<LockTableSpec>(
           count,
           [](const LockTableSpec& locks) {
             const bool on_one = locks.placement == PlacementKind::node;
             return on_one ? number_of(locks.node) : std::nullopt;
           },
           [](LockTableSpec& locks, std::int64_t value) {
             locks.placement = PlacementKind::node;
             assign(locks.node, value);
           },
           "0", "65534"),
       "0", "The number of the server that holds all locks, from 0.", kRequired},
  });
  return keys;
}

}  // namespace

const Keys& lock_keys() {
  using Locks = LockTableSpec;
  static const Keys keys = rows<Locks>({
      {"count", number(count, &Locks::count, "1", "9223372036854775807"), "10M",
       "Number of locks, on all servers; only locks in use take memory."},
      {"placement",
       either(words({"round_robin", "partitioned"}, &Locks::placement), placement_keys),
       "partitioned",
       "Which server stores lock i: round_robin: server i mod servers; partitioned: consecutive "
       "locks in equal parts; {node: N}: server N stores all locks."},
      {"stride", number(bytes, &Locks::stride_bytes, "8B"), "64B",
       "Distance from one lock to the next: a multiple of 8B, at least the size of the protocol's "
       "entry (with the default 64B a larger entry sets the distance); null: no gaps, and entries "
       "below 8B share a word. Locks whose addresses agree in bits 3 to 11 share an atomic slot.",
       kNullable},
      {"memory", words({"host", "device"}, &Locks::device_memory), "host",
       "device: the lock table is in the memory of the servers' NICs (device_memory.size), where "
       "atomics are faster."},
  });
  return keys;
}

void check_locks(const LockTableSpec& locks, const PlatformSpec& platform,
                 std::uint64_t entry_bytes, const YamlNode* node, const SourceLocation& place) {
  const std::uint32_t servers = platform.servers;
  const YamlNode* part = nullptr;
  const auto where = [&](const char* key) {
    part = node ? node->find(key) : nullptr;
    return part ? part->place : node ? node->place : place;
  };
  if (locks.placement == PlacementKind::node && locks.node >= servers)
    reject(where("placement"),
           "locks.placement.node is {}; allowed: 0 to {} (there are {} servers)", locks.node,
           servers - 1, servers);
  if (locks.stride_bytes % kEntryAlignment != 0)
    reject(
        where("stride"),
        "locks.stride is {}; expected a multiple of 8B, at least the size of the protocol's entry",
        format_bytes(locks.stride_bytes));
  // The default stride appears in a resolved scenario; it is not refused if entries are larger.
  const bool told = node != nullptr && node->find("stride") != nullptr &&
                    locks.stride_bytes != Point().locks.stride_bytes;
  if (told && locks.stride_bytes != 0 && locks.stride_bytes < entry_bytes)
    reject(where("stride"), "locks.stride is {}; this protocol's entry needs at least {}",
           format_bytes(locks.stride_bytes), format_bytes(entry_bytes));
  // Entries shorter than a word share it.
  const bool shorter = entry_bytes > 0 && entry_bytes < kEntryAlignment;
  const std::uint64_t words = (entry_bytes + kEntryAlignment - 1) / kEntryAlignment;
  const std::uint64_t own = std::max<std::uint64_t>(words, 1) * kEntryAlignment;
  const std::uint64_t stride = std::max(locks.stride_bytes, shorter ? entry_bytes : own);
  const std::uint64_t spread = locks.placement == PlacementKind::node ? 1 : servers;
  const std::uint64_t per_server = locks.count / spread + (locks.count % spread != 0 ? 1 : 0);
  const std::uint64_t most = (kMaxOffset - kFirstEntryOffset) / stride;
  if (per_server > most)
    reject(where("count"),
           "locks.count x stride is {} x {} on one server, beyond the 48-bit address space; at "
           "most {} locks per server fit",
           per_server, format_bytes(stride), most);
  if (!locks.device_memory) return;
  const NicModel& nic = platform.nic;
  if (nic.device_bytes == 0)
    reject(where("memory"),
           "locks.memory is device, and {} has no memory of its own (device_memory.size is 0B); "
           "use memory: host",
           nic.name);
  const auto fitting = static_cast<std::uint64_t>(nic.device_bytes) / stride;
  if (per_server > fitting)
    reject(where("count"),
           "locks.count x stride is {} x {} on one server, beyond the {} of {}'s own memory; at "
           "most {} locks per server fit, or use memory: host",
           per_server, format_bytes(stride),
           format_bytes(static_cast<std::uint64_t>(nic.device_bytes)), nic.name, fitting);
}

}  // namespace latchlab
