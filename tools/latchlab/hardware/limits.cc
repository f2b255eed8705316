// Features of scenarios that hardware lacks, and their emulation.

#include <fmt/core.h>

#include <set>

#include "backends/ibverbs/ibverbs_backend.h"
#include "core/protocols/registry.h"
#include "core/scenario/advice.h"
#include "tools/latchlab/hardware/hardware.h"

namespace latchlab::tool {

std::string locks_by_software(const NativeAtomics& native) {
  std::string locks;
  for (const ProtocolEntry& entry : protocol_registry()) {
    const ParamSet usual = entry.info.resolve(entry.info.profiles.front().name);
    if (latchlab::needs_software_atomics(entry.make(usual)->needs(), native))
      locks += (locks.empty() ? "" : ", ") + entry.info.name;
  }
  return locks;
}

Status advise_on_hardware(const std::vector<const Scenario*>& scenarios) {
  std::set<std::string> said;
  for (const Scenario* scenario : scenarios)
    for (const Point& point : scenario->points) {
      const HardwareAdvice advice = hardware_advice(point);
      if (!advice.errors.empty()) return Error{advice.errors.front(), scenario->file};
      for (const std::string& warning : advice.warnings)
        if (said.insert(warning).second) fmt::print(stderr, "latchlab: warning: {}\n", warning);
    }
  return fine();
}

std::vector<std::string> emulated_on_hardware(const std::vector<const Scenario*>& scenarios,
                                              const NativeAtomics& native, bool always) {
  std::set<std::string> lines;
  for (const Scenario* scenario : scenarios)
    for (const Point& point : scenario->points) {
      const bool by_software = always || needs_software_atomics(point, native);
      const Capabilities can = ibverbs_capabilities(native, by_software, true);
      const auto protocol = find_protocol(point.protocol.name)->make(point.protocol.params);
      for (const Capability needed : protocol->needs())
        if (can.of(needed) == Support::emulated)
          lines.insert(
              fmt::format("{}: {} ({})", name_of(needed), can.how(needed), point.protocol.label));
      const std::string why = always ? "as asked for" : native.lacking;
      if (by_software)
        lines.insert(fmt::format("all verbs on locks: {}; {} ({})",
                                 can.how(Capability::masked_atomics_16), why,
                                 point.protocol.label));
    }
  return {lines.begin(), lines.end()};
}

std::vector<std::string> refused_on_hardware(const std::vector<const Scenario*>& scenarios,
                                             const NativeAtomics& native, bool always,
                                             const std::string& no_own_memory) {
  std::vector<std::string> lines;
  for (const Scenario* scenario : scenarios)
    for (const Point& point : scenario->points) {
      if (!point.locks.device_memory) continue;
      std::string why = no_own_memory;
      if (always || needs_software_atomics(point, native))
        why = "agents would do all verbs, and a CPU's accesses to an RNIC's memory are not atomic";
      if (!why.empty())
        lines.push_back(fmt::format("locks.memory: device: {}; set it to host ({})", why,
                                    point.protocol.label));
    }
  return lines;
}

}  // namespace latchlab::tool
