#include "core/scenario/scenario_keys.h"

#include <algorithm>
#include <variant>

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

// `usual`: a default-constructed struct of these keys.
void describe(const Keys& keys, const std::string& prefix, const void* usual, Keys& all) {
  for (ScenarioKey key : keys) {
    key.path = prefix + key.path;
    if (key.write && usual != nullptr && (!key.required || key.has_default))
      if (const YamlNode value = key.write(key, usual); value.is_scalar())
        key.fallback = value.text;
    all.push_back(key);
    if (!key.below) continue;
    const Below below = key.below(usual);
    describe(below.keys, key.path + (key.kind == KeyKind::list ? "[]." : "."), below.spec, all);
  }
}

}  // namespace

std::string_view ScenarioKey::name() const {
  const std::size_t dot = path.rfind('.');
  return std::string_view(path).substr(dot == std::string::npos ? 0 : dot + 1);
}

std::string_view ScenarioKey::mapping() const {
  const std::size_t dot = path.rfind('.');
  return std::string_view(path).substr(0, dot == std::string::npos ? 0 : dot);
}

bool ScenarioKey::fits(std::string_view of_kind) const {
  return of_kind.empty() || when.empty() || contains(when, of_kind);
}

const Keys& scenario_keys() {
  static const Keys all = [] {
    Keys keys;
    const Point usual;
    describe(top_keys(), "", &usual, keys);
    return keys;
  }();
  return all;
}

std::vector<const ScenarioKey*> find_scenario_keys(std::string_view path) {
  std::vector<const ScenarioKey*> found;
  for (const ScenarioKey& key : scenario_keys())
    if (key.path == path) found.push_back(&key);
  return found;
}

std::vector<std::string> keys_of(std::string_view mapping, std::string_view kind) {
  std::vector<std::string> names;
  for (const ScenarioKey& key : scenario_keys())
    if (key.mapping() == mapping && key.fits(kind) && !contains(names, key.name()))
      names.emplace_back(key.name());
  return names;
}

std::vector<std::string> kinds_of(std::string_view mapping) {
  std::vector<std::string> kinds;
  for (const ScenarioKey& key : scenario_keys())
    if (key.mapping() == mapping && key.name() == "kind" && key.choices.size() > 1)
      kinds = key.choices;
  for (const ScenarioKey& key : scenario_keys())
    if (key.mapping() == mapping)
      for (const std::string& kind : key.when)
        if (!contains(kinds, kind)) kinds.push_back(kind);
  return kinds;
}

const std::vector<std::string>& section_names() {
  static const std::vector<std::string> names = {"platform", "locks",  "workload", "groups",
                                                 "protocol", "faults", "run"};
  return names;
}

std::string text_of(const ParamValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return format_count(*integer);
  if (const auto* length = std::get_if<Duration>(&value)) return format_duration(*length);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

ScenarioKey key_of(const ParamSpec& param) {
  static constexpr KeyKind kinds[] = {KeyKind::count, KeyKind::duration, KeyKind::boolean,
                                      KeyKind::choice};
  ScenarioKey key{.path = "protocol." + param.name,
                  .kind = kinds[static_cast<std::size_t>(param.kind)],
                  .fallback = text_of(param.fallback),
                  .choices = param.choices,
                  .example = text_of(param.fallback),
                  .says = param.help};
  if (param.kind != ParamKind::integer && param.kind != ParamKind::duration) return key;
  const bool time = param.kind == ParamKind::duration;
  key.least = param.min;
  key.most = param.max;
  key.min = time ? format_duration({param.min}) : format_count(param.min);
  key.max = time ? format_duration({param.max}) : format_count(param.max);
  return key;
}

const char* name_of(KeyKind kind) {
  static const char* const names[] = {"count",         "list of counts",  "count or list of counts",
                                      "duration",      "signed duration", "size",
                                      "ratio",         "signed ratio",    "figure",
                                      "bit rate",      "factor",          "curve",
                                      "true or false", "choice",          "text",
                                      "list",          "mapping"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace latchlab
