#include "core/protocols/registry.h"

#include <algorithm>
#include <set>

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

namespace {

bool is_snake_case(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), fits);
}

bool fits(const ParamSpec& spec, const ParamValue& value) {
  switch (spec.kind) {
    case ParamKind::integer: {
      const auto* number = std::get_if<std::int64_t>(&value);
      return number != nullptr && *number >= spec.min && *number <= spec.max;
    }
    case ParamKind::duration: {
      const auto* length = std::get_if<Duration>(&value);
      return length != nullptr && length->ps >= spec.min && length->ps <= spec.max;
    }
    case ParamKind::boolean:
      return std::holds_alternative<bool>(value);
    case ParamKind::choice: {
      const auto* word = std::get_if<std::string>(&value);
      return word != nullptr && std::count(spec.choices.begin(), spec.choices.end(), *word) == 1;
    }
  }
  return false;
}

std::string params_problem(const ProtocolInfo& info) {
  // A scenario has these keys beside the parameters.
  std::set<std::string> names = {"name", "profile", "label"};
  for (const ParamSpec& spec : info.params) {
    if (!is_snake_case(spec.name))
      return "parameter '" + spec.name + "' is not snake_case: use a-z, 0-9 and _";
    if (!names.insert(spec.name).second)
      return "parameter '" + spec.name + "' is declared twice, or means something else already";
    if (!fits(spec, spec.fallback))
      return "the default of parameter '" + spec.name + "' is not one of its values";
  }
  return {};
}

// `which` names the source of the values.
std::string values_problem(const ProtocolInfo& info, const ParamValues& values,
                           const std::string& which) {
  for (const auto& [name, value] : values) {
    const ParamSpec* spec = info.find_param(name);
    if (spec == nullptr) return which + " sets '" + name + "', which is no parameter";
    if (!fits(*spec, value)) return which + " sets '" + name + "' to what it cannot be";
  }
  return {};
}

std::string named(const Profile& profile) {
  return "profile '" + profile.name + "'";
}

std::string profiles_problem(const ProtocolInfo& info) {
  if (info.profiles.empty()) return "it has no profile: the first one is the default";
  std::set<std::string> names;
  for (const Profile& profile : info.profiles) {
    if (!names.insert(profile.name).second) return named(profile) + " is declared twice";
    if (std::string why = values_problem(info, profile.values, named(profile)); !why.empty())
      return why;
  }
  return {};
}

// Checks the protocol that is made with these values.
std::string made_problem(const ProtocolEntry& entry, const ParamSet& params,
                         const std::string& which) {
  if (entry.info.contradiction) {
    const std::string why = entry.info.contradiction(params);
    if (!why.empty()) return which + ": " + why;
  }
  const std::unique_ptr<Protocol> protocol = entry.make(params);
  if (protocol == nullptr) return which + ": make gives no protocol";
  const Layout layout = protocol->layout(Shape{});
  const std::uint64_t bytes = layout.entry_bytes;
  if (bytes % 8 != 0 && bytes != 1 && bytes != 2 && bytes != 4)
    return which + ": Layout::entry_bytes is neither a multiple of 8 nor 1, 2 or 4";
  if (layout.entry_align == 0 || bytes % layout.entry_align != 0)
    return which + ": Layout::entry_bytes is not a multiple of entry_align";
  const std::vector<std::uint64_t> free_entry((bytes + 7) / 8);
  if (protocol->decode(free_entry).empty()) return which + ": decode gives no text";
  return {};
}

}  // namespace

std::string entry_problem(const ProtocolEntry& entry) {
  const ProtocolInfo& info = entry.info;
  if (!is_snake_case(info.name))
    return "its name '" + info.name + "' is not snake_case: use a-z, 0-9 and _";
  if (entry.make == nullptr) return "ProtocolEntry::make is not set";
  if (std::string why = params_problem(info); !why.empty()) return why;
  if (std::string why = profiles_problem(info); !why.empty()) return why;
  for (const Profile& profile : info.profiles)
    if (std::string why = made_problem(entry, info.resolve(profile.name), named(profile));
        !why.empty())
      return why;
  const std::string small = "the small model";
  if (std::string why = values_problem(info, entry.small_model, small); !why.empty()) return why;
  return made_problem(entry, entry.small_params(), small);
}

}  // namespace latchlab
