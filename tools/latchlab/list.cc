#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/protocols/registry.h"
#include "core/scenario/scenario_keys.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/explain/topics.h"

namespace latchlab::tool {

namespace {

using Json = nlohmann::ordered_json;

std::string range_of(const ParamSpec& spec) {
  switch (spec.kind) {
    case ParamKind::integer:
      return fmt::format("{}..{}", spec.min, spec.max);
    case ParamKind::duration:
      return format_duration({spec.min}) + ".." + format_duration({spec.max});
    case ParamKind::boolean:
      return "true | false";
    case ParamKind::choice:
      break;
  }
  std::string all;
  for (const std::string& choice : spec.choices) all += (all.empty() ? "" : " | ") + choice;
  return all;
}

Json describe(const ProtocolInfo& info) {
  Json json;
  json["name"] = info.name;
  json["summary"] = info.summary;
  json["source"] = info.source;
  json["shared_mode"] = info.shared_mode;
  json["entry_bytes"] = info.entry_bytes;
  json["profiles"] = Json::array();
  for (const Profile& profile : info.profiles) {
    Json values = Json::object();
    for (const auto& [name, value] : profile.values) values[name] = text_of(value);
    json["profiles"].push_back(
        {{"name", profile.name}, {"source", profile.source}, {"values", values}});
  }
  json["parameters"] = Json::array();
  for (const ParamSpec& spec : info.params)
    json["parameters"].push_back({{"name", spec.name},
                                  {"default", text_of(spec.fallback)},
                                  {"range", range_of(spec)},
                                  {"help", spec.help}});
  return json;
}

void print_protocols(bool as_json) {
  Json all = Json::array();
  for (const ProtocolInfo& info : protocol_infos()) all.push_back(describe(info));
  if (as_json) {
    fmt::print("{}\n", all.dump(1));
    return;
  }
  for (const ProtocolInfo& info : protocol_infos()) {
    fmt::print("{}: {}\n  source: {}\n  modes: {}; entry: {} bytes\n", info.name, info.summary,
               info.source, info.shared_mode ? "exclusive, shared" : "exclusive", info.entry_bytes);
    for (const Profile& profile : info.profiles)
      fmt::print("  profile {}{}: {}\n", profile.name,
                 &profile == &info.profiles.front() ? " (default)" : "", profile.source);
    for (const ParamSpec& spec : info.params)
      fmt::print("  {} = {}  [{}]\n      {}\n", spec.name, text_of(spec.fallback), range_of(spec),
                 spec.help);
    fmt::print("\n");
  }
}

void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs, bool as_json) {
  Json all = Json::array();
  std::size_t width = 0;
  for (const auto& [name, help] : pairs) width = std::max(width, name.size());
  for (const auto& [name, help] : pairs) {
    if (as_json) {
      all.push_back({{"name", name}, {"help", help}});
    } else {
      fmt::print("{:<{}}  {}\n", name, width, help);
    }
  }
  if (as_json) fmt::print("{}\n", all.dump(1));
}

void print_nics(const DataDirs& data, bool as_json) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& name : names_below("models/nics", data)) {
    auto nic = load_nic(name, ".", data);
    pairs.emplace_back(name, nic ? nic.value().device : nic.error().text());
  }
  print_pairs(pairs, as_json);
}

void print_scenarios(const std::string& extra, bool as_json) {
  const DataDirs data = data_dirs(extra);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& name : names_below("scenarios", data)) {
    ScenarioArguments arguments;
    arguments.scenario = name;
    arguments.data = extra;
    auto scenario = load(arguments);
    pairs.emplace_back(name, scenario ? scenario.value().description : scenario.error().text());
  }
  print_pairs(pairs, as_json);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

const Pairs& workloads() {
  static const Pairs all = {
      {"micro", "each client draws a lock and a mode, acquires, holds, releases, thinks"}};
  return all;
}

Pairs checks() {
  Pairs all;
  for (const Topic& topic : outcome_topics())
    if (topic.group == "check") all.emplace_back(topic.name, topic.says);
  return all;
}

}  // namespace

int list(const std::string& what, const std::string& data, bool json) {
  if (what == "protocols") print_protocols(json);
  if (what == "nics") print_nics(data_dirs(data), json);
  if (what == "scenarios") print_scenarios(data, json);
  if (what == "workloads") print_pairs(workloads(), json);
  if (what == "checks") print_pairs(checks(), json);
  return kFine;
}

int list_names(const std::string& what, const std::string& data) {
  std::vector<std::string> names;
  if (what == "protocols")
    for (const ProtocolInfo& info : protocol_infos()) names.push_back(info.name);
  if (what == "nics") names = names_below("models/nics", data_dirs(data));
  if (what == "scenarios") names = names_below("scenarios", data_dirs(data));
  if (what == "workloads")
    for (const auto& [name, help] : workloads()) names.push_back(name);
  if (what == "checks")
    for (const auto& [name, help] : checks()) names.push_back(name);
  for (const std::string& name : names) fmt::print("{}\n", name);
  return kFine;
}

int list_markdown(const std::string& what) {
  if (what != "protocols") return complain({"--markdown is for protocols alone", {}});
  fmt::print("| lock | what | readers | source |\n|---|---|---|---|\n");
  for (const ProtocolInfo& info : protocol_infos())
    fmt::print("| `{}` | {} | {} | {} |\n", info.name, info.summary,
               info.shared_mode ? "shared" : "exclusive", info.source);
  return kFine;
}

}  // namespace latchlab::tool
