// Locks with their parameters, and what a sweep may vary.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/scenario/json_schema_parts.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/value_schema.h"

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

}  // namespace

std::string lock_schema(const std::vector<ProtocolInfo>& protocols) {
  return lock_json(protocols).dump();
}

std::string axes_schema(const std::vector<ProtocolInfo>& protocols) {
  return axes_json(protocols).dump();
}

}  // namespace latchlab
