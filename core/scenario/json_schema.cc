#include "core/scenario/json_schema.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/json.h"
#include "core/scenario/json_schema_parts.h"
#include "core/scenario/scenario_keys.h"

namespace latchlab {
namespace {
using Names = std::vector<std::string>;

constexpr const char* kTopology = "platform.topology";

Json object(Json properties, const Names& required = {}) {
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Json reference(const std::string& name) {
  return {{"$ref", "#/definitions/" + name}};
}

// The path as a name that a JSON reference can hold without escapes.
std::string definition_of(std::string path) {
  for (std::size_t at = path.find("[]"); at != std::string::npos; at = path.find("[]"))
    path.replace(at, 2, ".item");
  return path;
}

Json is_kind(const std::string& mapping, const std::string& kind) {
  if (kind == "file") return {{"required", {"file"}}};
  Json rule = {{"properties", {{"kind", {{"const", kind}}}}}, {"required", {"kind"}}};
  if (mapping == kTopology) rule["not"] = {{"required", {"file"}}};
  return rule;
}

// Without a kind: keys that every kind requires.
Names required_keys(const std::string& mapping, const std::string& kind = "") {
  Names names;
  for (const ScenarioKey& key : scenario_keys())
    if (key.mapping() == mapping && key.required && key.fits(kind)) names.emplace_back(key.name());
  return names;
}

// For each kind of a mapping: its keys, and the value schema of each key that differs between
// kinds.
Json kind_rules(const std::string& mapping) {
  Json rules = Json::array();
  for (const std::string& kind : kinds_of(mapping)) {
    Json own = Json::object();
    for (const ScenarioKey& key : scenario_keys())
      if (key.mapping() == mapping && key.fits(kind) && find_scenario_keys(key.path).size() > 1)
        own[std::string(key.name())] = parse_json(value_schema(key));
    Json then = {{"propertyNames", {{"enum", keys_of(mapping, kind)}}}};
    if (!own.empty()) then["properties"] = own;
    rules.push_back({{"if", is_kind(mapping, kind)}, {"then", then}});
  }
  return rules;
}

Json mapping_schema(const std::string& mapping) {
  Json properties = Json::object();
  for (const std::string& name : keys_of(mapping))
    properties[name] = reference(definition_of(mapping.empty() ? name : mapping + "." + name));
  Json schema = object(properties);
  schema["additionalProperties"] = false;
  if (Json rules = kind_rules(mapping); !rules.empty()) schema["allOf"] = rules;
  return schema;
}

// Faults whose time or target may be given by one of several keys.
Json alternatives(const std::string& mapping, const std::string& kind) {
  const auto one_of = [](const Names& names) {
    Json choices = Json::array();
    for (const std::string& name : names) choices.push_back({{"required", {name}}});
    return choices;
  };
  if (mapping != "faults[]") return Json::object();
  if (kind == "pause") return {{"oneOf", one_of({"at", "rate"})}};
  if (kind == "drift")
    return {{"oneOf", one_of({"client_node", "server"})}, {"anyOf", one_of({"jump", "drift"})}};
  return Json::object();
}

// The required keys. Separate from the other rules, because a sweep may supply them.
Json completeness(const std::string& mapping) {
  Json rules = Json::array();
  for (const std::string& kind : kinds_of(mapping)) {
    Json then = alternatives(mapping, kind);
    then["required"] = required_keys(mapping, kind);
    rules.push_back({{"if", is_kind(mapping, kind)}, {"then", then}});
  }
  if (rules.empty()) return {{"required", required_keys(mapping)}};
  Json whole = {{"allOf", rules}};
  if (mapping == kTopology)
    whole["anyOf"] = {{{"required", {"kind"}}}, {{"required", {"file"}}}};
  else
    whole["required"] = {"kind"};
  return {{"if", {{"type", "object"}}}, {"then", whole}};
}

// Schemas of mappings and lists with the user's own names, and of keys that are defined elsewhere.
const Json& own_schema(const std::string& path) {
  static const Json scalar = {{"type", {"string", "number", "boolean"}}};
  static const Json scalars = {{"type", "object"}, {"additionalProperties", scalar}};
  static const Json order = {
      {"type", "array"},
      {"minItems", 2},
      {"items", {{"anyOf", {scalar, {{"type", "array"}, {"items", scalar}}}}}}};
  static const Json nic = parse_json(nic_value_schema());
  static const std::map<std::string, Json> schemas = {
      {"platform.nic", nic},
      {"platform.topology.nodes", {{"type", "array"}, {"items", scalar}}},
      {"groups[].nic", nic},
      {"groups[].workload", reference("workload")},
      {"groups[].clocks", reference("platform.clocks")},
      {"protocol", reference("lock")},
      {"sweep.grid", reference("axes")},
      {"sweep.zip", {{"type", "array"}, {"items", reference("axes")}}},
      {"expect[].order", order},
      {"expect[].columns", {{"type", "object"}, {"minProperties", 1}}},
      {"expect[].rows",
       {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", {{"type", "array"}}}}},
      {"expect[].profile", {{"type", "object"}, {"additionalProperties", scalars}}},
      {"expect[].where", scalars},
      {"known[].where", scalars}};
  static const Json none;
  const auto found = schemas.find(path);
  return found == schemas.end() ? none : found->second;
}

// Schema of a key's value with all keys below it.
Json whole_schema(const ScenarioKey& key) {
  Json schema = parse_json(value_schema(key));
  const std::string& path = key.path;
  Json docs = Json::object();
  for (const char* word : {"description", "default"})
    if (schema.contains(word)) {
      docs[word] = schema[word];
      schema.erase(word);
    }
  std::vector<Json> choices;
  if (const Json& own = own_schema(path); !own.is_null()) {
    choices.push_back(own);
  } else if (!keys_of(path + "[]").empty()) {
    choices.push_back({{"type", "array"}, {"items", reference(definition_of(path + "[]"))}});
  } else {
    const bool keys = !keys_of(path).empty();
    if (keys) choices.push_back(mapping_schema(path));
    if (keys && !key.short_for.empty()) choices.push_back(reference(path + "." + key.short_for));
    if (!keys || key.kind != KeyKind::map) choices.push_back(schema);
  }
  if (path == "expect[].profile") choices.push_back(schema);  // or a name alone
  if (key.nullable && key.supported) choices.push_back({{"type", "null"}});
  Json whole = choices.size() == 1 ? choices.front() : Json{{"anyOf", choices}};
  if (whole.contains("$ref")) whole = {{"allOf", {whole}}};  // a $ref must not have siblings
  whole.update(docs);
  return whole;
}

// ---- values from a sweep ----

// True for a scenario whose sweep has an axis that matches the pattern.
Json sweeps(const std::string& pattern) {
  const Json names = {{"type", "object"},
                      {"not", {{"propertyNames", {{"not", {{"pattern", pattern}}}}}}}};
  const Json grid = object({{"grid", names}}, {"grid"});
  const Json zip = object({{"zip", {{"type", "array"}, {"contains", names}}}}, {"zip"});
  return object({{"sweep", {{"anyOf", {grid, zip}}}}}, {"sweep"});
}

// Schema of a range, which may replace an axis's list of values.
Json range_schema() {
  const Json end = {{"type", {"string", "number"}}};
  Json range = object({{"from", end},
                       {"to", end},
                       {"steps", {{"type", "integer"}, {"minimum", 2}, {"maximum", 10'000}}},
                       {"scale", {{"enum", {"linear", "log"}}}}},
                      {"from", "to", "steps"});
  range["additionalProperties"] = false;
  return range;
}

// Applies a rule to the value at a path from the top of the scenario.
Json at_path(const std::string& path, Json rule) {
  const std::size_t dot = path.rfind('.');
  std::string name = path.substr(dot == std::string::npos ? 0 : dot + 1);
  if (name.ends_with("[]")) {
    name.resize(name.size() - 2);
    rule = {{"items", std::move(rule)}};
  }
  rule = {{"properties", {{name, std::move(rule)}}}};
  return dot == std::string::npos ? rule : at_path(path.substr(0, dot), std::move(rule));
}

Json scenario_rules() {
  Json rules = Json::array();
  std::set<std::string> done;
  for (const ScenarioKey& key : scenario_keys()) {
    const std::string mapping(key.mapping());
    if (mapping.empty() || required_keys(mapping).empty() || !done.insert(mapping).second) continue;
    const std::string prefix = mapping.substr(0, mapping.find("[]"));
    std::string pattern = "^";
    for (const char c : prefix) pattern += c == '.' ? std::string("\\.") : std::string(1, c);
    rules.push_back({{"if", sweeps(pattern + "(\\.|$)")},
                     {"then", true},
                     {"else", at_path(mapping, completeness(mapping))}});
  }
  rules.push_back({{"if", sweeps("^protocol(\\.name)?$")},
                   {"then", true},
                   {"else", {{"required", {"protocol"}}}}});
  return rules;
}

}  // namespace

std::string scenario_schema(const std::vector<ProtocolInfo>& protocols) {
  Json schema = {{"$schema", kDraft},
                 {"title", "A scenario of Latchlab"},
                 {"description", "What to simulate: nodes, locks, workload, protocol and sweep."}};
  schema.update(mapping_schema(""));
  schema["required"] = {"schema", "name"};
  schema["allOf"] = scenario_rules();
  Json definitions = {{"lock", parse_json(lock_schema(protocols))},
                      {"axes", parse_json(axes_schema(protocols))},
                      {"range", range_schema()}};
  for (const ScenarioKey& key : scenario_keys()) {
    const std::string name = definition_of(key.path);
    Json whole = whole_schema(key);
    if (!definitions.contains(name)) {
      definitions[name] = std::move(whole);
      continue;
    }
    Json either = {{"anyOf", {definitions[name], std::move(whole)}}};
    either["description"] = definitions[name]["description"];
    definitions[name] = std::move(either);
  }
  for (const char* mapping : {"workload.arrivals.list[]", "groups[]", "faults[]", "expect[]",
                              "known[]", "report.figures[]"})
    definitions[definition_of(mapping)] = mapping_schema(mapping);
  schema["definitions"] = std::move(definitions);
  return dump_json(schema, 1) + "\n";
}

}  // namespace latchlab
