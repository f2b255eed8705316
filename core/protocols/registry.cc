#include "core/protocols/registry.h"

#include <algorithm>

#include "core/protocols/cas.h"
#include "core/protocols/dslr/dslr.h"
#include "core/protocols/mcs.h"
#include "core/protocols/shiftlock/shiftlock.h"

namespace latchlab {

const std::vector<ProtocolEntry>& protocol_registry() {
  static const std::vector<ProtocolEntry> registry = {
      cas_entry(),
      mcs_entry(),
      dslr_entry(),
      shiftlock_entry(),
  };
  return registry;
}

const ProtocolEntry* find_protocol(std::string_view name) {
  const std::vector<ProtocolEntry>& all = protocol_registry();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ProtocolEntry& e) { return e.info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<ProtocolInfo> protocol_infos() {
  std::vector<ProtocolInfo> infos;
  for (const ProtocolEntry& entry : protocol_registry()) infos.push_back(entry.info);
  return infos;
}

}  // namespace latchlab
