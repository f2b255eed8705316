#include "core/scenario/scenario_keys.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/scenario/quantities.h"
#include "core/scenario/scenario.h"

namespace latchlab {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<ScenarioKey> top_keys() {
  return {
      {.path = "schema",
       .kind = KeyKind::count,
       .min = "1",
       .max = "1",
       .example = "1",
       .says = "Version of this format.",
       .required = true},
      {.path = "name",
       .example = "quickstart",
       .says = "Names the results: 1 to 64 letters, digits, '-', '_' or '.'.",
       .required = true},
      {.path = "description",
       .example = "Four locks in a growing crowd",
       .says = "One line that says what this shows.",
       .nullable = true},
  };
}

std::vector<ScenarioKey> all_keys() {
  std::vector<ScenarioKey> all = top_keys();
  for (std::vector<ScenarioKey> part :
       {platform_keys(), work_keys(), fault_keys(), evaluation_keys()})
    for (ScenarioKey& key : part) all.push_back(std::move(key));
  return all;
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

const std::vector<ScenarioKey>& scenario_keys() {
  static const std::vector<ScenarioKey> keys = all_keys();
  return keys;
}

std::vector<const ScenarioKey*> find_scenario_keys(std::string_view path) {
  std::vector<const ScenarioKey*> found;
  for (const ScenarioKey& key : scenario_keys())
    if (key.path == path) found.push_back(&key);
  return found;
}

std::vector<std::string> keys_of(std::string_view mapping, std::string_view kind) {
  std::vector<std::string> names;
  for (const ScenarioKey& key : scenario_keys()) {
    if (key.mapping() != mapping || contains(names, key.name())) continue;
    if (kind.empty() || key.when.empty() || contains(key.when, kind))
      names.emplace_back(key.name());
  }
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

ScenarioKey item_key(const char* list, const char* name, KeyKind kind,
                     std::vector<std::string> when, const char* example, const char* says) {
  return {.path = std::string(list) + "[]." + name,
          .kind = kind,
          .example = example,
          .says = says,
          .when = std::move(when)};
}

ScenarioKey needed(ScenarioKey key) {
  key.required = true;
  return key;
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
  ScenarioKey key;
  key.path = "protocol." + param.name;
  key.kind = kinds[static_cast<std::size_t>(param.kind)];
  key.fallback = key.example = text_of(param.fallback);
  key.choices = param.choices;
  key.says = param.help;
  if (param.kind == ParamKind::integer) {
    key.min = format_count(param.min);
    key.max = format_count(param.max);
  } else if (param.kind == ParamKind::duration) {
    key.min = format_duration({param.min});
    key.max = format_duration({param.max});
  }
  return key;
}

ScenarioKey key_of(const NicConstant& constant) {
  static constexpr KeyKind kinds[] = {KeyKind::duration, KeyKind::count, KeyKind::bit_rate,
                                      KeyKind::bytes, KeyKind::curve};
  static const char* const examples[] = {"300ns", "1", "100Gbps", "0B", "[[450, 1], [3000, 0.5]]"};
  const auto unit = static_cast<std::size_t>(constant.unit);
  ScenarioKey key;
  key.path = "platform.nic." + constant.key();
  key.kind = kinds[unit];
  key.example = examples[unit];
  key.says = constant.says;
  if (constant.unit == NicUnit::count) key.min = format_count(constant.min);
  if (constant.unit == NicUnit::bit_rate && constant.min > 0) key.min = "1bps";
  return key;
}

const char* name_of(KeyKind kind) {
  static const char* const names[] = {
      "count",        "list of counts", "duration", "signed duration", "size",          "ratio",
      "signed ratio", "figure",         "bit rate", "curve",           "true or false", "choice",
      "text",         "list",           "mapping"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace latchlab
