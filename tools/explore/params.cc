// Parameters on the command line and in traces: NAME=VALUE, in the format of scenarios.

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/scenario.h"
#include "tools/explore/universe.h"

namespace latchlab::explore {

namespace {

Result<ParamValue> parse(const ParamSpec& spec, const std::string& text) {
  const auto outside = [&](const std::string& range) {
    return Error{fmt::format("parameter {}: {} is outside {}", spec.name, text, range), {}};
  };
  switch (spec.kind) {
    case ParamKind::integer: {
      const Result<std::int64_t> count = parse_count(text);
      if (!count)
        return Error{fmt::format("parameter {}: {}", spec.name, count.error().message), {}};
      const std::int64_t value = count.value();
      if (value < spec.min || value > spec.max)
        return outside(fmt::format("{}..{}", spec.min, spec.max));
      return ParamValue(value);
    }
    case ParamKind::duration: {
      const Result<Duration> length = parse_duration(text);
      if (!length)
        return Error{fmt::format("parameter {}: {}", spec.name, length.error().message), {}};
      if (length.value().ps < spec.min || length.value().ps > spec.max)
        return outside(format_duration({spec.min}) + ".." + format_duration({spec.max}));
      return ParamValue(length.value());
    }
    case ParamKind::boolean:
      if (text == "true" || text == "false") return ParamValue(text == "true");
      return Error{fmt::format("parameter {}: {} is neither true nor false", spec.name, text), {}};
    case ParamKind::choice:
      break;
  }
  if (std::find(spec.choices.begin(), spec.choices.end(), text) != spec.choices.end())
    return ParamValue(text);
  return Error{fmt::format("parameter {}: '{}' is none of {}", spec.name, text,
                           fmt::join(spec.choices, ", ")),
               {}};
}

}  // namespace

Result<ParamSet> params_of(const Case& setup, const ProtocolEntry& entry) {
  const ProtocolInfo& info = entry.info;
  ParamSet params = entry.small_params();
  if (!setup.profile.empty()) {
    const Profile* profile = info.find_profile(setup.profile);
    if (profile == nullptr) {
      std::string known;
      for (const Profile& each : info.profiles) known += (known.empty() ? "" : ", ") + each.name;
      return Error{fmt::format("protocol {} has no profile '{}'; known: {}", info.name,
                               setup.profile, known),
                   {}};
    }
    for (const auto& [name, value] : profile->values) params.set(name, value);
  }
  for (const std::string& set : setup.sets) {
    const std::size_t equals = set.find('=');
    const std::string name = set.substr(0, equals);
    const ParamSpec* spec = info.find_param(name);
    if (equals == std::string::npos || spec == nullptr)
      return Error{fmt::format("'{}': expected NAME=VALUE with a parameter of {} (see: latchlab "
                               "list protocols)",
                               set, info.name),
                   {}};
    Result<ParamValue> value = parse(*spec, set.substr(equals + 1));
    if (!value) return value.error();
    params.set(name, std::move(value).value());
  }
  const std::string contradiction = info.contradiction ? info.contradiction(params) : "";
  if (!contradiction.empty()) return Error{contradiction, {}};
  return params;
}

std::unique_ptr<Protocol> make_protocol(const Case& setup) {
  const ProtocolEntry* entry = find_protocol(setup.protocol);
  LATCHLAB_CHECK(entry != nullptr, "no such protocol");
  const Result<ParamSet> params = params_of(setup, *entry);
  LATCHLAB_CHECK(params.ok(), "parameters are checked before a search");
  return entry->make(params.value());
}

}  // namespace latchlab::explore
