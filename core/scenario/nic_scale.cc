// Factors on a NIC's constants: {base: connectx-6, scale: {atomics: 4x, atomic.window: 2x}}.

#include <algorithm>
#include <set>

#include "core/base/random.h"
#include "core/scenario/fields.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/nic_file.h"
#include "core/scenario/quantities.h"
#include "core/scenario/reference.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

const NicGroup* find_nic_group(const std::string& name) {
  const auto& table = nic_groups();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const NicGroup& g) { return g.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> scalable() {
  std::vector<std::string> names = nic_keys("");
  for (const NicGroup& group : nic_groups()) names.push_back(group.name);
  return names;
}

Wide whole_quotient(Wide number, Wide divisor) {
  return (number + divisor / 2) / divisor;
}

// Applies one entry of `scale` to one constant.
void scale_constant(YamlNode& description, const NicConstant& constant, const YamlEntry& entry,
                    bool per_second) {
  const ScenarioKey& key = constant.as_key;
  const SourceLocation& place = entry.value.place;
  if (key.kind == KeyKind::curve)
    reject(place, "platform.nic.scale.{}: no factor changes a curve; write its points", entry.key);
  YamlNode& present = nic_constant_in(description, constant, place);
  const YamlNode* value = present.find("value");
  if (!value) return;  // reading the description reports the error
  const auto by = static_cast<Wide>(
      read_number({factor_key(), entry.value, "platform.nic.scale." + entry.key}));
  const std::int64_t number = read_number({key, *value, constant.key()});
  const Wide scaled = per_second ? whole_quotient(static_cast<Wide>(number) * kWholePpb, by)
                                 : whole_quotient(static_cast<Wide>(number) * by, kWholePpb);
  if (scaled == static_cast<Wide>(number)) return;
  const bool fits = scaled <= static_cast<Wide>(key.most);
  YamlNode result = fits ? write_number(key, static_cast<std::int64_t>(scaled)) : YamlNode();
  if (result.is_null())
    reject(place, "platform.nic.scale.{}: {} times {} is out of bounds for {} ({})", entry.key,
           value->text, entry.value.text, constant.key(), allowed_values(key));
  const YamlNode* earlier = present.find("scaled");
  const std::string note =
      (earlier ? earlier->text + ", " : value->text + " by ") + entry.key + " " + entry.value.text;
  result.place = place;
  replace_nic_value(present, std::move(result));
  present.set("scaled", yaml_text(note, place));
}

}  // namespace

const std::vector<NicGroup>& nic_groups() {
  static const std::vector<NicGroup> table = {
      {"atomics",
       "Atomics per second, of every width, on one address and on many, in host and in device "
       "memory.",
       true,
       {"atomic.same_address", "atomic.same_address_failed", "atomic.same_address_16",
        "atomic.read_hold", "responder.atomic_8", "responder.atomic_16",
        "device_memory.same_address", "device_memory.same_address_failed",
        "device_memory.same_address_16", "device_memory.atomic_8", "device_memory.atomic_16"}},
      {"issue",
       "Verbs per second that an RNIC sends, and answers that it takes in.",
       true,
       {"request.gap", "request.answer"}},
      {"inbound",
       "READs, WRITEs and SENDs per second that an RNIC answers; not atomics.",
       true,
       {"responder.read", "responder.write", "responder.send"}},
      {"bandwidth", "Bits per second of port and PCIe.", false, {"link.rate", "pcie.rate"}},
      {"cpu",
       "Speed of CPUs: memory accesses, messages received, calls served.",
       true,
       {"local.on_node", "local.cpu_access", "local.line_transfer", "local.handle_message",
        "server.call_service"}},
      {"latency",
       "Latencies on the path and at both ends that occupy no resource, to other nodes and within "
       "a node.",
       false,
       {"latency.post", "latency.one_way", "latency.completion", "latency.jitter", "latency.read",
        "latency.write", "latency.atomic_16", "latency.receive", "device_memory.read",
        "device_memory.write", "local.loopback_one_way", "local.intra_node_message"}},
  };
  return table;
}

const ScenarioKey& factor_key() {
  static const ScenarioKey key = quantity(KeyKind::factor, "0.001x", "1000x");
  return key;
}

void scale_nic(YamlNode& description, const YamlNode& scale) {
  require_map(scale, "platform.nic.scale", "factors by name such as {atomics: 4x}");
  std::set<std::string> seen;
  for (const YamlEntry& entry : scale.entries) {
    const NicGroup* group = find_nic_group(entry.key);
    for (const std::string& key : group ? group->keys : std::vector{entry.key}) {
      const NicConstant* constant = find_nic_constant(key);
      if (!constant)
        reject(entry.place, "unknown key {} in platform.nic.scale{}", in_quotes(key),
               suggestion(key, scalable()));
      if (!seen.insert(key).second)
        reject(entry.place, "platform.nic.scale: {} is scaled by its group too; leave one out",
               key);
      scale_constant(description, *constant, entry, group && group->per_second);
    }
  }
}

}  // namespace latchlab
