#include "core/protocols/registry.h"

#include <algorithm>

#include "core/protocols/entry_check.h"

namespace latchlab {

namespace {

std::deque<ProtocolEntry>& registry() {
  static std::deque<ProtocolEntry> entries = built_in_protocols();
  return entries;
}

}  // namespace

const std::deque<ProtocolEntry>& protocol_registry() {
  return registry();
}

const ProtocolEntry* find_protocol(std::string_view name) {
  const std::deque<ProtocolEntry>& all = protocol_registry();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ProtocolEntry& e) { return e.info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<ProtocolInfo> protocol_infos() {
  std::vector<ProtocolInfo> infos;
  for (const ProtocolEntry& entry : protocol_registry()) infos.push_back(entry.info);
  return infos;
}

std::vector<std::string> remote_protocol_names() {
  std::vector<std::string> names;
  for (const ProtocolEntry& entry : protocol_registry())
    if (entry.make(entry.small_params())->limits().max_nodes > 1) names.push_back(entry.info.name);
  return names;
}

Status register_protocol(ProtocolEntry entry) {
  if (std::string why = entry_problem(entry); !why.empty()) return Error{std::move(why), {}};
  if (find_protocol(entry.info.name) != nullptr)
    return Error{"the name '" + entry.info.name + "' is taken: rename the protocol", {}};
  registry().push_back(std::move(entry));
  return fine();
}

}  // namespace latchlab
