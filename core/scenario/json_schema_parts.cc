// Locks with their parameters, NICs with their constants, and what a sweep may vary.

#include "core/scenario/json_schema_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/scenario/json_schema.h"
#include "core/scenario/nic_constants.h"

namespace latchlab {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

Json object(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

Json reference(const std::string& name) {
  return {{"$ref", "#/definitions/" + name}};
}

Json parameters(const ProtocolInfo& info) {
  Json properties = Json::object();
  for (const ParamSpec& param : info.params)
    properties[param.name] = Json::parse(value_schema(key_of(param)));
  Names profiles;
  for (const Profile& profile : info.profiles) profiles.push_back(profile.name);
  if (!profiles.empty()) properties["profile"] = {{"enum", profiles}};
  return properties;
}

Json lock_json(const std::vector<ProtocolInfo>& protocols) {
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
  return lock;
}

Json axis_of(Json values) {
  return {{"type", "array"}, {"minItems", 1}, {"items", std::move(values)}};
}

bool may_be_swept(const std::string& path) {
  const Names& sections = section_names();
  return path.find("[]") == std::string::npos &&
         std::find(sections.begin(), sections.end(), path.substr(0, path.find('.'))) !=
             sections.end();
}

Json axes_json(const std::vector<ProtocolInfo>& protocols) {
  Json properties = Json::object();
  for (const ScenarioKey& key : scenario_keys())
    if (may_be_swept(key.path)) properties[key.path] = axis_of(reference(key.path));
  for (const NicConstant& constant : nic_constants())
    properties[constant.as_key.path] = axis_of(Json::parse(value_schema(constant.as_key)));
  Names names;
  for (const ProtocolInfo& info : protocols) {
    names.push_back(info.name);
    const Json own = parameters(info);
    for (const auto& [name, schema] : own.items()) {
      Json& axis = properties["protocol." + name];
      if (axis.is_null() || name == "profile") axis = axis_of({{"anyOf", Json::array()}});
      if (name != "profile") axis["items"]["anyOf"].push_back(schema);
    }
  }
  properties["protocol"] = axis_of({{"allOf", {reference("lock"), {{"required", {"name"}}}}}});
  properties["protocol.name"] = axis_of({{"enum", names}});
  properties["protocol.profile"] = axis_of({{"type", "string"}});
  Json axes = object(properties);
  axes["patternProperties"] = {
      {"^faults\\.[0-9]+(\\.[a-z_]+)?$", axis_of(true)},
      {"^groups\\.[0-9]+(\\.[a-z0-9_]+)*$", axis_of(true)},
      {"^platform\\.topology\\.[a-z]+\\.[0-9]+$", axis_of({{"type", "integer"}})}};
  axes["additionalProperties"] = false;
  return axes;
}

Json value_of(const NicConstant& constant) {
  return Json::parse(value_schema(constant.as_key));
}

// One constant with where it comes from. A range needs no check of its own: its bounds are values.
Json constant_schema(const NicConstant& constant) {
  Json bound = value_of(constant);
  if (constant.as_key.kind == KeyKind::curve) bound = {{"type", {"number", "string"}}};
  return {{"type", "object"},
          {"description", constant.as_key.says},
          {"properties",
           {{"value", value_of(constant)},
            {"source", {{"type", "string"}, {"minLength", 1}}},
            {"status", {{"enum", status_names()}}},
            {"range", {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", bound}}},
            {"overridden", {{"type", "boolean"}}}}},
          {"required", {"value", "source", "status"}},
          {"additionalProperties", false},
          {"if", {{"properties", {{"status", {{"enum", {"fitted", "assumed"}}}}}}}},
          {"then", {{"required", {"range"}}}}};
}

Json description_schema() {
  Json properties = {{"name", {{"type", "string"}}}, {"device", {{"type", "string"}}}};
  std::vector<std::string> required = {"name"};
  for (const std::string& section : nic_sections()) {
    required.push_back(section);
    properties[section] = {{"type", "object"},
                           {"properties", Json::object()},
                           {"required", nic_keys(section)},
                           {"additionalProperties", false}};
  }
  for (const NicConstant& constant : nic_constants())
    properties[constant.section]["properties"][constant.name] = constant_schema(constant);
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

// {base: connectx-5, atomic.window: 48}
Json changes_schema() {
  Json properties = {{"base", {{"type", "string"}, {"description", "The NIC to begin with."}}}};
  for (const NicConstant& constant : nic_constants())
    properties[constant.key()] = value_of(constant);
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

}  // namespace

std::string nic_value_schema() {
  const Json has_sections = {{"type", "object"}, {"required", {"name"}}};
  const Json mapping = {
      {"if", has_sections}, {"then", description_schema()}, {"else", changes_schema()}};
  return Json{{"if", {{"type", "object"}}}, {"then", mapping}, {"else", {{"type", "string"}}}}
      .dump();
}

std::string nic_schema() {
  Json schema = {
      {"$schema", kDraft},
      {"title", "A NIC of Latchlab"},
      {"description", "What is believed about one RNIC: each constant with its source."}};
  schema.update(description_schema());
  return schema.dump(1) + "\n";
}

std::string lock_schema(const std::vector<ProtocolInfo>& protocols) {
  return lock_json(protocols).dump();
}

std::string axes_schema(const std::vector<ProtocolInfo>& protocols) {
  return axes_json(protocols).dump();
}

}  // namespace latchlab
