#include "tools/latchlab/list.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/base/json.h"
#include "core/measure/metric_docs.h"
#include "core/protocols/registry.h"
#include "core/scenario/json_schema.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/reference.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/suggestions.h"
#include "tools/latchlab/explain/topics.h"
#include "tools/latchlab/load.h"

namespace latchlab::tool {

namespace {
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
  if (as_json) fmt::print("{}\n", dump_json(all, 1));
}

// The names in a folder of models, each with what `describe` says of it or with its error.
void print_models(const std::string& folder, const DataDirs& data, bool as_json,
                  const std::function<Result<std::string>(const std::string&)>& describe) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& name : names_below(folder, data)) {
    auto says = describe(name);
    pairs.emplace_back(name, says ? says.value() : says.error().text());
  }
  print_pairs(pairs, as_json);
}

void print_nics(const DataDirs& data, bool as_json) {
  print_models("models/nics", data, as_json, [&](const std::string& name) -> Result<std::string> {
    auto nic = load_nic(name, ".", data);
    if (!nic) return nic.error();
    return nic.value().device;
  });
}

void print_software(const DataDirs& data, bool as_json) {
  print_models("models/cpu/stacks", data, as_json,
               [&](const std::string& name) { return what_software_is(name, data); });
}

// The scenarios below a folder of scenarios/.
void print_scenarios(const std::string& folder, const std::string& extra, bool as_json) {
  const DataDirs data = data_dirs(extra);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& name : names_below("scenarios/" + folder, data)) {
    ScenarioArguments arguments;
    arguments.scenario = folder + name;
    arguments.data = extra;
    auto scenario = load(arguments);
    pairs.emplace_back(name, scenario ? scenario.value().description : scenario.error().text());
  }
  print_pairs(pairs, as_json);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

const Pairs& workloads() {
  static const Pairs all = {
      {"micro", "each client repeats: draw a lock and a mode, acquire, hold, release, think"},
      {"range", "as micro, but each section acquires a random range of units of a lock's object"},
      {"file_io",
       "the file accesses of BT-IO, Filebench OLTP and ior-hard-write, with one lock per file"}};
  return all;
}

Pairs checks() {
  Pairs all;
  for (const Topic& topic : outcome_topics())
    if (topic.group == "check") all.emplace_back(topic.name, topic.says);
  return all;
}

Pairs profiles() {
  Pairs all;
  for (const ProtocolInfo& info : protocol_infos())
    for (const Profile& profile : info.profiles)
      all.emplace_back(profile.name, info.name + ": " + profile.source);
  return all;
}

Pairs metrics() {
  Pairs all;
  for (const MetricDoc& metric : metric_docs())
    all.emplace_back(metric.path, fmt::format("[{}] {}", metric.unit, metric.says));
  return all;
}

// The paths that --set accepts, except items of lists, which are numbered.
Pairs paths() {
  Pairs all;
  for (const ScenarioKey& key : scenario_keys())
    if (key.supported && key.path.find("[]") == std::string::npos)
      all.emplace_back(key.path, key.says);
  for (const NicConstant& constant : nic_constants())
    all.emplace_back(constant.as_key.path, constant.as_key.says);
  for (const NicGroup& group : nic_groups())
    all.emplace_back("platform.nic.scale." + group.name, group.says);
  for (const ProtocolInfo& info : protocol_infos())
    for (const ParamSpec& param : info.params)
      all.emplace_back("protocol." + param.name, info.name + ": " + param.help);
  return all;
}

Pairs topics(const DataDirs& data) {
  Pairs all;
  const auto nic = load_nic(ExplainArguments().nic, ".", data);
  for (const Topic& topic : all_topics(nic ? nic.value() : NicModel()))
    all.emplace_back(topic.name, topic.says);
  return all;
}

// The lists that need no reading of single files.
Pairs pairs_of(const std::string& what, const DataDirs& data) {
  if (what == "workloads") return workloads();
  if (what == "checks") return checks();
  if (what == "profiles") return profiles();
  if (what == "metrics") return metrics();
  if (what == "paths") return paths();
  return what == "topics" ? topics(data) : Pairs();
}

// The names of experiments and of their papers.
std::set<std::string> experiments(const DataDirs& data) {
  std::set<std::string> names;
  for (const std::string& name : names_below("scenarios/papers", data))
    names.insert({name, name.substr(0, name.find('/'))});
  return names;
}

int print_names(const std::string& what, const std::string& data) {
  std::vector<std::string> names;
  if (what == "protocols")
    for (const ProtocolInfo& info : protocol_infos()) names.push_back(info.name);
  if (what == "nics") names = names_below("models/nics", data_dirs(data));
  if (what == "software") names = names_below("models/cpu/stacks", data_dirs(data));
  if (what == "scenarios") names = names_below("scenarios", data_dirs(data));
  if (what == "experiments")
    for (const std::string& name : experiments(data_dirs(data))) names.push_back(name);
  for (const auto& [name, help] : pairs_of(what, data_dirs(data)))
    if (!contains(names, name)) names.push_back(name);
  for (const std::string& name : names) fmt::print("{}\n", name);
  return kFine;
}

}  // namespace

int list(const ListArguments& arguments) {
  const auto& [what, data, json, names, markdown] = arguments;
  if (markdown) return list_markdown(what);
  if (names) return print_names(what, data);
  if (what == "protocols") list_protocols(json);
  if (what == "nics") print_nics(data_dirs(data), json);
  if (what == "software") print_software(data_dirs(data), json);
  if (what == "scenarios") print_scenarios("", data, json);
  if (what == "experiments") print_scenarios("papers/", data, json);
  const Pairs pairs = pairs_of(what, data_dirs(data));
  if (!pairs.empty()) print_pairs(pairs, json);
  return kFine;
}

int schema(const SchemaArguments& arguments) {
  if (arguments.markdown)
    fmt::print("{}", scenario_reference(protocol_infos()));
  else
    fmt::print("{}", arguments.nic ? nic_schema() : scenario_schema(protocol_infos()));
  return kFine;
}

}  // namespace latchlab::tool
