#include "core/base/params.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab {

ParamSpec integer_param(std::string name, std::int64_t fallback, std::int64_t min, std::int64_t max,
                        std::string help) {
  return {std::move(name), ParamKind::integer, fallback, min, max, {}, std::move(help)};
}

ParamSpec duration_param(std::string name, Duration fallback, Duration min, Duration max,
                         std::string help) {
  return {std::move(name), ParamKind::duration, fallback, min.ps, max.ps, {}, std::move(help)};
}

ParamSpec boolean_param(std::string name, bool fallback, std::string help) {
  return {std::move(name), ParamKind::boolean, fallback, 0, 1, {}, std::move(help)};
}

ParamSpec choice_param(std::string name, std::string fallback, std::vector<std::string> choices,
                       std::string help) {
  return {std::move(name),    ParamKind::choice, std::move(fallback), 0, 0,
          std::move(choices), std::move(help)};
}

ParamSet::ParamSet(const std::vector<ParamSpec>& specs) {
  for (const ParamSpec& spec : specs) values_.emplace(spec.name, spec.fallback);
}

const ParamValue& ParamSet::find(std::string_view name) const {
  const auto found = values_.find(name);
  LATCHLAB_CHECK(found != values_.end(), "undeclared parameter " + std::string(name));
  return found->second;
}

template <class T>
static const T& typed(const ParamValue& value, std::string_view name) {
  const T* held = std::get_if<T>(&value);
  LATCHLAB_CHECK(held != nullptr, "parameter of another type: " + std::string(name));
  return *held;
}

std::int64_t ParamSet::integer(std::string_view name) const {
  return typed<std::int64_t>(find(name), name);
}
Duration ParamSet::duration(std::string_view name) const {
  return typed<Duration>(find(name), name);
}
bool ParamSet::boolean(std::string_view name) const {
  return typed<bool>(find(name), name);
}
const std::string& ParamSet::choice(std::string_view name) const {
  return typed<std::string>(find(name), name);
}

void ParamSet::set(std::string_view name, ParamValue value) {
  const auto found = values_.find(name);
  LATCHLAB_CHECK(found != values_.end(), "undeclared parameter " + std::string(name));
  LATCHLAB_CHECK(found->second.index() == value.index(),
                 "parameter of another type: " + std::string(name));
  found->second = std::move(value);
}
void ParamSet::set(const ParamValues& values) {
  for (const auto& [name, value] : values) set(name, value);
}

const Profile* ProtocolInfo::find_profile(std::string_view wanted) const {
  const auto found = std::find_if(profiles.begin(), profiles.end(),
                                  [&](const Profile& p) { return p.name == wanted; });
  return found == profiles.end() ? nullptr : &*found;
}

const ParamSpec* ProtocolInfo::find_param(std::string_view wanted) const {
  const auto found = std::find_if(params.begin(), params.end(),
                                  [&](const ParamSpec& p) { return p.name == wanted; });
  return found == params.end() ? nullptr : &*found;
}

namespace {

std::string text_of(const ParamValue& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* const yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
  if (const auto* const choice = std::get_if<std::string>(&value)) return *choice;
  return std::to_string(std::get<Duration>(value).ps) + "ps";
}

}  // namespace

Claims ProtocolInfo::claims_of(const ParamSet& values) const {
  for (const std::string& setting : printed) {
    const std::size_t equals = setting.find('=');
    const auto found = values.values().find(setting.substr(0, equals));
    if (found != values.values().end() && text_of(found->second) == setting.substr(equals + 1))
      return claims_nothing(setting + " is a form that is kept as printed");
  }
  return claims ? claims(values) : never_recovers();
}

ParamSet ProtocolInfo::resolve(std::string_view profile) const {
  ParamSet set(params);
  const Profile* chosen = find_profile(profile);
  LATCHLAB_CHECK(chosen != nullptr, "unknown profile " + std::string(profile));
  set.set(chosen->values);
  return set;
}

}  // namespace latchlab
