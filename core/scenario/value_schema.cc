#include <nlohmann/json.hpp>
#include <utility>

#include "core/scenario/json_schema_parts.h"

namespace latchlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNumber = "[0-9]+(\\.[0-9]+)?";
constexpr std::int64_t kWholePpb = 1'000'000'000;

// Text of a number and one of these units; `more` is put in front of it.
Json with_unit(const std::string& units, const std::string& more = "") {
  return {{"type", "string"}, {"pattern", "^" + more + kNumber + " *(" + units + ")$"}};
}

std::string no_zero(bool positive) {
  return positive ? "(?!0+(\\.0+)? *[a-zA-Z%]*$)" : "";
}

Json any_of(std::vector<Json> choices) {
  return choices.size() == 1 ? choices.front() : Json{{"anyOf", std::move(choices)}};
}

// The bounds that stand in the table.
void add_bounds(const ScenarioKey& key, Json& number) {
  const bool ratio = key.kind == KeyKind::ratio || key.kind == KeyKind::signed_ratio;
  const auto plain = [&](std::int64_t bound) {
    return ratio ? Json(static_cast<double>(bound) / static_cast<double>(kWholePpb)) : Json(bound);
  };
  if (!key.min.empty()) number["minimum"] = plain(key.least);
  if (!key.max.empty()) number["maximum"] = plain(key.most);
}

bool positive(const ScenarioKey& key) {
  return !key.min.empty() && key.least > 0;
}

Json count_schema(const ScenarioKey& key) {
  Json number = {{"type", "integer"}};
  add_bounds(key, number);
  return any_of({number, with_unit("[kMG]?", no_zero(positive(key)))});
}

Json ratio_schema(const ScenarioKey& key) {
  const std::string sign = key.kind == KeyKind::signed_ratio ? "-?" : "";
  Json number = {{"type", "number"}};
  add_bounds(key, number);
  if (key.max.empty() || key.most != kWholePpb)
    return any_of({number, with_unit("%|ppm|ppb", sign + no_zero(positive(key)))});
  const std::string percent = "(?!(0*1[0-9]{2}|0*[2-9][0-9]{2}|0*[1-9][0-9]{3,})(\\.[0-9]+)? *%$)";
  const std::string all = "(?=0*100(\\.0+)? *%$)";
  return any_of(
      {number, with_unit("%|ppm|ppb", no_zero(positive(key)) + percent), with_unit("%", all)});
}

Json scalar() {
  return {{"type", {"string", "number", "boolean"}}};
}

Json kind_schema(const ScenarioKey& key) {
  switch (key.kind) {
    case KeyKind::count:
      return count_schema(key);
    case KeyKind::counts:
      return {{"type", "array"}, {"minItems", 1}, {"maxItems", 6}, {"items", count_schema(key)}};
    case KeyKind::duration:
      return with_unit("ps|ns|us|ms|s", no_zero(positive(key)));
    case KeyKind::signed_duration:
      return with_unit("ps|ns|us|ms|s", "-?");
    case KeyKind::bytes:
      return with_unit("B|KiB|MiB|GiB|kB|MB|GB", no_zero(positive(key)));
    case KeyKind::bit_rate:
      return with_unit("bps|kbps|Mbps|Gbps|Tbps", no_zero(positive(key)));
    case KeyKind::ratio:
    case KeyKind::signed_ratio:
      return ratio_schema(key);
    case KeyKind::figure:
      return any_of({{{"type", "number"}, {"minimum", 0}}, with_unit("[kMG%]?|ps|ns|us|ms|s")});
    case KeyKind::curve:
      return {{"type", "array"}, {"items", {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}}}};
    case KeyKind::boolean:
      return {{"type", "boolean"}};
    case KeyKind::choice:
      return {{"enum", key.choices}};
    case KeyKind::text:
      return scalar();
    case KeyKind::list:
      return {{"type", "array"}};
    case KeyKind::map:
      break;
  }
  return {{"type", "object"}};
}

// A default as an editor would write it.
Json literal(const ScenarioKey& key, const std::string& text) {
  const bool number = text.find_first_not_of("0123456789.") == std::string::npos;
  if (number && (key.kind == KeyKind::count || key.kind == KeyKind::ratio))
    return Json::parse(text, nullptr, false);
  if (key.kind == KeyKind::boolean) return text == "true";
  return text;
}

}  // namespace

std::string value_schema(const ScenarioKey& key) {
  Json schema = key.supported ? kind_schema(key) : Json{{"type", "null"}};
  if (!key.supported && key.kind == KeyKind::list)
    schema = any_of({schema, {{"type", "array"}, {"maxItems", 0}}});
  if (key.supported && key.nullable) schema = any_of({schema, {{"type", "null"}}});
  schema["description"] = key.says + (key.supported ? "" : " Not in this build.") +
                          " Example: " + std::string(key.name()) + ": " + key.example;
  if (!key.fallback.empty() && key.kind != KeyKind::map)
    schema["default"] = literal(key, key.fallback);
  return schema.dump();
}

}  // namespace latchlab
