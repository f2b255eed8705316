// Schemas of single values, locks and their parameters, NICs and their constants, and sweep axes.

#include "core/scenario/json_schema_parts.h"

#include <utility>

#include "core/base/json.h"
#include "core/scenario/json_schema.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/quantities.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {
using Names = std::vector<std::string>;

Json object(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

Json reference(const std::string& name) {
  return {{"$ref", "#/definitions/" + name}};
}

constexpr const char* kNumber = "[0-9]+(\\.[0-9]+)?";

// A string of a number and one of the units; the pattern begins with `more`.
Json with_unit(const std::string& units, const std::string& more = "") {
  return {{"type", "string"}, {"pattern", "^" + more + kNumber + " *(" + units + ")$"}};
}

std::string no_zero(bool positive) {
  return positive ? "(?!0+(\\.0+)? *[a-zA-Z%]*$)" : "";
}

Json any_of(std::vector<Json> choices) {
  return choices.size() == 1 ? choices.front() : Json{{"anyOf", std::move(choices)}};
}

// A number with the bounds of the key's row.
Json number_of(const ScenarioKey& key, const char* type) {
  Json number = {{"type", type}};
  const bool ratio = key.kind == KeyKind::ratio || key.kind == KeyKind::signed_ratio;
  const auto plain = [&](std::int64_t bound) {
    return ratio ? Json(static_cast<double>(bound) / static_cast<double>(kWholePpb)) : Json(bound);
  };
  if (!key.min.empty()) number["minimum"] = plain(key.least);
  if (!key.max.empty()) number["maximum"] = plain(key.most);
  return number;
}

bool positive(const ScenarioKey& key) {
  return !key.min.empty() && key.least > 0;
}

Json count_schema(const ScenarioKey& key) {
  return any_of({number_of(key, "integer"), with_unit("[kMG]?", no_zero(positive(key)))});
}

Json ratio_schema(const ScenarioKey& key) {
  const std::string sign = key.kind == KeyKind::signed_ratio ? "-?" : "";
  const Json number = number_of(key, "number");
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
    case KeyKind::some_counts:
      return any_of(
          {count_schema(key), {{"type", "array"}, {"minItems", 1}, {"items", count_schema(key)}}});
    case KeyKind::duration:
      return with_unit("ps|ns|us|ms|s", no_zero(positive(key)));
    case KeyKind::signed_duration:
      return with_unit("ps|ns|us|ms|s", "-?");
    case KeyKind::bytes:
      return with_unit("B|KiB|MiB|GiB|kB|MB|GB", no_zero(positive(key)));
    case KeyKind::bit_rate:
      return with_unit("bps|kbps|Mbps|Gbps|Tbps", no_zero(positive(key)));
    case KeyKind::factor:
      return with_unit("x", no_zero(true));
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

// A default as JSON.
Json literal(const ScenarioKey& key, const std::string& text) {
  const bool number = text.find_first_not_of("0123456789.") == std::string::npos;
  if (number && (key.kind == KeyKind::count || key.kind == KeyKind::some_counts ||
                 key.kind == KeyKind::ratio))
    return parse_json(text);
  if (key.kind == KeyKind::boolean) return text == "true";
  return text;
}

Json value_of(const ScenarioKey& key) {
  Json schema = key.supported ? kind_schema(key) : Json{{"type", "null"}};
  if (!key.supported && key.kind == KeyKind::list)
    schema = any_of({schema, {{"type", "array"}, {"maxItems", 0}}});
  if (!key.automatic.empty()) schema = any_of({schema, {{"const", key.automatic}}});
  if (key.supported && key.nullable) schema = any_of({schema, {{"type", "null"}}});
  schema["description"] = key.says + (key.supported ? "" : " Not in this build.") +
                          " Example: " + std::string(key.name()) + ": " + key.example;
  if (!key.fallback.empty() && key.kind != KeyKind::map)
    schema["default"] = literal(key, key.fallback);
  return schema;
}

Json parameters(const ProtocolInfo& info) {
  Json properties = Json::object();
  for (const ParamSpec& param : info.params) properties[param.name] = value_of(key_of(param));
  Names profiles;
  for (const Profile& profile : info.profiles) profiles.push_back(profile.name);
  if (!profiles.empty()) properties["profile"] = {{"enum", profiles}};
  return properties;
}

// A list of values, or a range of them.
Json axis_of(Json values) {
  return {{"if", {{"type", "object"}}},
          {"then", reference("range")},
          {"else", {{"type", "array"}, {"minItems", 1}, {"items", std::move(values)}}}};
}

// A mapping without a `name` key may have a name if it is swept.
Json named_or(const std::string& path) {
  const Names keys = keys_of(path);
  if (keys.empty() || contains(keys, "name")) return reference(path);
  const Json named = {
      {"type", "object"}, {"properties", {{"name", scalar()}}}, {"required", {"name"}}};
  return {{"if", named}, {"then", true}, {"else", reference(path)}};
}

bool may_be_swept(const std::string& path) {
  return path.find("[]") == std::string::npos &&
         contains(section_names(), path.substr(0, path.find('.')));
}

// One constant with its provenance. The bounds of a range have the schema of a value.
Json constant_schema(const NicConstant& constant) {
  Json bound = value_of(constant.as_key);
  if (constant.as_key.kind == KeyKind::curve) bound = {{"type", {"number", "string"}}};
  return {{"type", "object"},
          {"description", constant.as_key.says},
          {"properties",
           {{"value", value_of(constant.as_key)},
            {"source", {{"type", "string"}, {"minLength", 1}}},
            {"status", {{"enum", status_names()}}},
            {"range", {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", bound}}},
            {"overridden", {{"type", "boolean"}}},
            {"was", {{"type", "string"}}},
            {"scaled", {{"type", "string"}}}}},
          {"required", {"value", "source", "status"}},
          {"additionalProperties", false},
          {"if", {{"properties", {{"status", {{"enum", {"fitted", "assumed"}}}}}}}},
          {"then", {{"required", {"range"}}}}};
}

Json description_schema() {
  Json properties = {{"name", {{"type", "string"}}}, {"device", {{"type", "string"}}}};
  Json whole = {{"required", nic_sections()}};
  for (const std::string& section : nic_sections()) {
    properties[section] = object(Json::object());
    properties[section]["additionalProperties"] = false;
    whole["properties"][section]["required"] = nic_keys(section);
  }
  for (const NicConstant& constant : nic_constants())
    properties[constant.section]["properties"][constant.name] = constant_schema(constant);
  properties["base"] = {{"type", "string"}, {"description", "The NIC of what is left out."}};
  Json description = object(properties);
  description.update({{"required", {"name"}},
                      {"additionalProperties", false},
                      {"if", {{"required", {"base"}}}},
                      {"else", whole}});
  return description;
}

// {base: connectx-5, atomic.window: 48, scale: {atomics: 4x}}
Json changes_schema() {
  Json scale = Json::object();
  const auto add_factor = [&](const std::string& name, const std::string& says) {
    scale[name] = kind_schema(factor_key());
    scale[name]["description"] = says;
  };
  for (const NicGroup& group : nic_groups()) add_factor(group.name, group.says);
  Json properties = {
      {"base", {{"type", "string"}, {"description", "The NIC to begin with."}}},
      {"name", {{"type", "string"}, {"description", "What this variant is called."}}}};
  for (const NicConstant& constant : nic_constants()) {
    properties[constant.key()] = value_of(constant.as_key);
    if (constant.as_key.kind != KeyKind::curve) add_factor(constant.key(), constant.as_key.says);
  }
  properties["scale"] = {{"type", "object"},
                         {"description", "Factors on constants, by group or one by one."},
                         {"properties", scale},
                         {"additionalProperties", false}};
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

}  // namespace

std::string value_schema(const ScenarioKey& key) {
  return dump_json(value_of(key));
}

std::string nic_value_schema() {
  const Json mapping = {
      {"if", {{"required", {"base"}}}}, {"then", changes_schema()}, {"else", description_schema()}};
  return dump_json(
      Json{{"if", {{"type", "object"}}}, {"then", mapping}, {"else", {{"type", "string"}}}});
}

std::string nic_schema() {
  Json schema = {
      {"$schema", kDraft},
      {"title", "A NIC of Latchlab"},
      {"description", "What is believed about one RNIC: each constant with its source."}};
  schema.update(description_schema());
  return dump_json(schema, 1) + "\n";
}

std::string lock_schema(const std::vector<ProtocolInfo>& protocols) {
  Names names;
  Json rules = Json::array();
  for (const ProtocolInfo& info : protocols) {
    names.push_back(info.name);
    const Json properties = parameters(info);
    Names allowed = {"name", "label"};
    for (const auto& [name, schema] : properties.items()) allowed.push_back(name);
    rules.push_back(
        {{"if", {{"properties", {{"name", {{"const", info.name}}}}}, {"required", {"name"}}}},
         {"then", {{"properties", properties}, {"propertyNames", {{"enum", allowed}}}}}});
  }
  Json lock =
      object({{"profile", reference("protocol.profile")}, {"label", reference("protocol.label")}});
  lock["properties"]["name"] = {{"enum", names}, {"description", "See latchlab list protocols."}};
  lock["allOf"] = rules;
  // The name alone, or a mapping with parameters.
  return dump_json(Json({{"anyOf", {{{"enum", names}}, lock}}}));
}

std::string axes_schema(const std::vector<ProtocolInfo>& protocols) {
  Json properties = Json::object();
  for (const ScenarioKey& key : scenario_keys())
    if (may_be_swept(key.path)) properties[key.path] = axis_of(named_or(key.path));
  for (const NicConstant& constant : nic_constants())
    properties[constant.as_key.path] = axis_of(value_of(constant.as_key));
  Names names;
  Json values = Json::object();
  for (const ProtocolInfo& info : protocols) {
    names.push_back(info.name);
    const Json own = parameters(info);
    for (const auto& [name, schema] : own.items()) values[name]["anyOf"].push_back(schema);
  }
  for (const auto& [name, schema] : values.items())
    properties["protocol." + name] = axis_of(schema);
  properties["protocol"] = axis_of({{"allOf", {reference("lock"), {{"required", {"name"}}}}}});
  properties["protocol.name"] = axis_of({{"enum", names}});
  properties["protocol.profile"] = axis_of({{"type", "string"}});
  Json axes = object(properties);
  axes["patternProperties"] = {
      {"^faults\\.[0-9]+(\\.[a-z_]+)?$", axis_of(true)},
      {"^groups\\.[0-9]+(\\.[a-z0-9_]+)*$", axis_of(true)},
      {"^platform\\.topology\\.[a-z]+\\.[0-9]+$", axis_of({{"type", "integer"}})},
      {"^platform\\.nic\\.scale\\.[a-z0-9_.]+$", axis_of(kind_schema(factor_key()))}};
  axes["additionalProperties"] = false;
  return dump_json(axes);
}

}  // namespace latchlab
