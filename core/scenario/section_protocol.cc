#include <fmt/format.h>

#include "core/scenario/scenario_keys.h"
#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

const std::vector<std::string> kCommonKeys = {"name", "profile", "label"};

ParamValue read_param(const ParamSpec& spec, const YamlNode& node) {
  const ScenarioKey key = key_of(spec);
  const std::int64_t number = read_number({key, node, key.path});
  switch (spec.kind) {
    case ParamKind::integer:
      return number;
    case ParamKind::duration:
      return Duration{number};
    case ParamKind::boolean:
      return number != 0;
    case ParamKind::choice:
      break;
  }
  return spec.choices[static_cast<std::size_t>(number)];
}

[[noreturn]] void reject_foreign(const YamlEntry& entry, const ProtocolInfo& info,
                                 const std::vector<ProtocolInfo>& protocols) {
  std::vector<std::string> owners;
  for (const ProtocolInfo& other : protocols)
    if (other.find_param(entry.key)) owners.push_back(other.name);
  if (!owners.empty())
    reject(entry.place, "parameter {} belongs to {}, not to {}; remove it", in_quotes(entry.key),
           joined(owners), info.name);
  std::vector<std::string> known = kCommonKeys;
  for (const ParamSpec& spec : info.params) known.push_back(spec.name);
  reject(entry.place, "unknown key {} in protocol {}{}", in_quotes(entry.key), info.name,
         suggestion(entry.key, known));
}

bool belongs_to_another(const std::string& key, const SweptProtocols& swept) {
  if (!swept.every_parameter && !contains(swept.parameters, key)) return false;
  return std::any_of(swept.infos.begin(), swept.infos.end(),
                     [&](const ProtocolInfo* info) { return info->find_param(key) != nullptr; });
}

// Sets the given profile, or the protocol's first one.
void check_profile(const YamlNode* given, const ProtocolInfo& info, std::string& profile) {
  if (given && info.profiles.empty())
    reject(given->place, "protocol {} has no profiles; remove 'profile'", info.name);
  if (!given && !info.profiles.empty()) profile = info.profiles.front().name;
  ScenarioKey key{.kind = KeyKind::choice};
  for (const Profile& each : info.profiles) key.choices.push_back(each.name);
  if (given) read_number({key, *given, "protocol.profile"});
}

void check_label(const YamlNode& given) {
  if (given.text.empty() || given.text.size() > 64)
    reject(given.place, "protocol.label: expected 1 to 64 characters that name the series");
  const auto odd = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(given.text.begin(), given.text.end(), odd))
    reject(given.place, "protocol.label holds a control character; use letters that print");
}

}  // namespace

const Keys& protocol_keys() {
  using Protocol = ProtocolSpec;
  static const Keys keys = rows<Protocol>({
      {"name", line(&Protocol::name), "shiftlock", "See `latchlab list protocols`.", kRequired},
      {"profile", line(&Protocol::profile), "repaired",
       "A named set of parameter values, such as those of a paper or of its artifact; keys beside "
       "it replace single values. Default: the lock's first profile."},
      {"label", line(&Protocol::label), "CAS-NB",
       "Name of the series, 1 to 64 characters, unique among swept protocols; default: the lock's "
       "name."},
  });
  return keys;
}

const ProtocolInfo& find_protocol(const YamlNode& name,
                                  const std::vector<ProtocolInfo>& protocols) {
  const std::string& wanted = scalar(name, "protocol.name", "a name such as shiftlock");
  std::vector<std::string> known;
  for (const ProtocolInfo& info : protocols) {
    if (info.name == wanted) return info;
    known.push_back(info.name);
  }
  reject(name.place, "there is no protocol {}; known: {}{}", in_quotes(wanted), joined(known),
         aside(wanted, known));
}

ProtocolSpec read_protocol(const YamlNode& node, const std::vector<ProtocolInfo>& protocols,
                           const SweptProtocols& swept) {
  if (node.is_sequence())
    reject(node.place,
           "protocol holds a list, and a point runs one lock; to compare several, sweep them, for "
           "example sweep: {grid: {protocol: [cas, mcs]}}");
  YamlNode common = node;
  std::erase_if(common.entries,
                [](const auto& entry) { return !contains(kCommonKeys, entry.key); });
  ProtocolSpec spec;
  read_keys(protocol_keys(), common, "protocol", &spec);
  const ProtocolInfo& info = find_protocol(*node.find("name"), protocols);
  check_profile(node.find("profile"), info, spec.profile);
  if (const YamlNode* label = node.find("label")) check_label(*label);
  if (spec.label.empty()) spec.label = info.name;
  spec.params = info.profiles.empty() ? ParamSet(info.params) : info.resolve(spec.profile);
  for (const YamlEntry& entry : node.entries) {
    if (contains(kCommonKeys, entry.key)) continue;
    const ParamSpec* param = info.find_param(entry.key);
    if (!param && belongs_to_another(entry.key, swept)) continue;
    if (!param) reject_foreign(entry, info, protocols);
    spec.params.set(entry.key, read_param(*param, entry.value));
  }
  const std::string contradiction = info.contradiction ? info.contradiction(spec.params) : "";
  if (!contradiction.empty()) reject(node.place, "protocol {}: {}", info.name, contradiction);
  return spec;
}

YamlNode write_protocol(const ProtocolSpec& protocol) {
  YamlNode node = write_keys(protocol_keys(), &protocol);
  for (const auto& [name, value] : protocol.params.values()) {
    YamlNode& written = node.set(name, yaml_text(text_of(value)));
    if (const auto* number = std::get_if<std::int64_t>(&value))
      written.json = fmt::format("{}", *number);
    else if (std::holds_alternative<bool>(value))
      written.json = written.text;
  }
  return node;
}

}  // namespace latchlab
