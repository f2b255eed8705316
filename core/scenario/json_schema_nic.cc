#include <nlohmann/json.hpp>

#include "core/scenario/json_schema.h"
#include "core/scenario/json_schema_parts.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/value_schema.h"

namespace latchlab {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const NicConstant& constant) {
  return Json::parse(value_schema(constant.as_key));
}

// One constant with where it comes from. A range needs no check of its own: its bounds are values.
Json constant_schema(const NicConstant& constant) {
  Json bound = value_of(constant);
  if (constant.unit == NicUnit::curve) bound = {{"type", {"number", "string"}}};
  return {{"type", "object"},
          {"description", constant.says},
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

}  // namespace latchlab
