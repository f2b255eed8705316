#include "tools/latchlab/explain/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/measure/metric_docs.h"
#include "core/protocols/registry.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/quantities.h"
#include "core/scenario/reference.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/suggestions.h"
#include "core/world/table_shape.h"

namespace latchlab::tool {

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

// As names are compared: "Late effects" is late_effects.
std::string lower(std::string text) {
  for (char& c : text)
    c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void add_fact(Facts& facts, const char* name, const std::string& value) {
  if (!value.empty()) facts.emplace_back(name, value);
}

Topic metric_topic(const MetricDoc& doc, const char* group) {
  Topic topic{doc.path, group, doc.says};
  add_fact(topic.facts, "unit", doc.unit);
  add_fact(topic.facts, "good", doc.good);
  return topic;
}

void append(Topics& all, const Topics& part) {
  all.insert(all.end(), part.begin(), part.end());
}

template <class Fits>
Topics among(const Topics& topics, Fits fits) {
  Topics found;
  for (const Topic& topic : topics)
    if (fits(lower(topic.name))) found.push_back(topic);
  return found;
}

// As a path is called here: "faults.0.at" and "faults[].at" are faults.at, a NIC's constants and a
// lock's parameters stand without their mapping.
std::string as_topic(const std::string& path) {
  std::string name;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    std::string part = path.substr(at, end - at);
    if (part.ends_with("[]")) part.resize(part.size() - 2);
    const bool number = part.find_first_not_of("0123456789") == std::string::npos;
    if (!number || name.empty()) name += (name.empty() ? "" : ".") + part;
    at = end + 1;
  }
  if (name.starts_with("platform.nic.")) name.erase(0, std::string("platform.nic.").size());
  return name;
}

Topic parameter_topic(const ProtocolInfo& info, const ParamSpec& param) {
  const ScenarioKey key = key_of(param);
  Topic topic{info.name + "." + param.name, "parameter", param.help + "."};
  add_fact(topic.facts, "allowed", allowed_values(key));
  add_fact(topic.facts, "default", key.fallback);
  for (const Profile& profile : info.profiles)
    for (const auto& [name, value] : profile.values)
      if (name == param.name)
        topic.facts.emplace_back("in profile " + profile.name, text_of(value));
  add_fact(topic.facts, "example",
           fmt::format("protocol: {{name: {}, {}: {}}}", info.name, param.name, key.fallback));
  topic.see = {info.name};
  return topic;
}

}  // namespace

Topics metric_topics() {
  Topics topics;
  for (const MetricDoc& doc : metric_docs()) topics.push_back(metric_topic(doc, "metric"));
  for (const MetricDoc& doc : phase_docs()) {
    Topic topic = metric_topic(doc, "phase");
    topic.says = doc.short_name + ". " + doc.says;
    topic.facts.emplace_back("source", "ShiftLock (FAST'25), Table 2");
    topic.see = {"phases_ns.write", "phases_ns.read", "phases_ns.release"};
    topics.push_back(std::move(topic));
  }
  return topics;
}

Topics nic_topics(const NicModel& nic) {
  Topics topics;
  for (const NicConstant& constant : nic_constants()) {
    Topic topic{constant.key(), "NIC constant", constant.as_key.says};
    add_fact(topic.facts, "allowed", allowed_values(constant.as_key));
    for (const ConstantOrigin& origin : nic.origins) {
      if (origin.key != constant.key()) continue;
      topic.facts.emplace_back("value in " + nic.name, origin.value);
      topic.facts.emplace_back("status", name_of(origin.status));
      if (!origin.low.empty()) topic.facts.emplace_back("range", origin.low + " to " + origin.high);
      topic.facts.emplace_back("source", origin.source);
    }
    topic.facts.emplace_back("change it with", "--set platform.nic." + constant.key() + "=VALUE");
    topics.push_back(std::move(topic));
  }
  for (const NicGroup& group : nic_groups()) {
    Topic topic{"scale." + group.name, "NIC factor", group.says};
    topic.facts = {{"constants", joined(group.keys)},
                   {"2x", group.per_second ? "halves them" : "doubles them"},
                   {"change it with", "--set platform.nic.scale." + group.name + "=2x"}};
    topics.push_back(std::move(topic));
  }
  return topics;
}

// With the default profile.
std::string entry_of(const ProtocolInfo& info) {
  const auto protocol = find_protocol(info.name)->make(info.resolve(info.profiles.front().name));
  const WorldShape shape = table_shape(protocol->limits());
  return fmt::format("{} bytes for {}", protocol->layout(shape_for_protocols(shape)).entry_bytes,
                     text_of(shape));
}

Topics protocol_topics() {
  Topics topics;
  for (const ProtocolInfo& info : protocol_infos()) {
    Topic lock{info.name, "protocol", info.summary + "."};
    add_fact(lock.facts, "source", info.source);
    add_fact(lock.facts, "modes", info.shared_mode ? "exclusive, shared" : "exclusive");
    add_fact(lock.facts, "entry", entry_of(info));
    add_fact(lock.facts, "fairness", info.fairness);
    add_fact(lock.facts, "handover", info.handover);
    add_fact(lock.facts, "survives", info.survives.empty() ? "nothing" : info.survives);
    for (const Profile& profile : info.profiles)
      lock.facts.emplace_back("profile " + profile.name, profile.source);
    for (const ParamSpec& param : info.params) lock.see.push_back(info.name + "." + param.name);
    topics.push_back(std::move(lock));
  }
  for (const ProtocolInfo& info : protocol_infos())
    for (const ParamSpec& param : info.params) topics.push_back(parameter_topic(info, param));
  return topics;
}

Topics key_topics() {
  Topics topics;
  for (const ScenarioKey& key : scenario_keys()) {
    Topic topic{as_topic(key.path), "scenario key", key.says};
    add_fact(topic.facts, "of kind", joined(key.when));
    add_fact(topic.facts, "allowed", allowed_values(key));
    add_fact(topic.facts, "default", key.required ? "none, it is required" : key.fallback);
    add_fact(topic.facts, "example", std::string(key.name()) + ": " + key.example);
    if (!key.supported) topic.facts.emplace_back("note", "not in this build");
    topics.push_back(std::move(topic));
  }
  return topics;
}

Topics all_topics(const NicModel& nic) {
  Topics all;
  for (const Topics& part : {metric_topics(), outcome_topics(), protocol_topics(), key_topics(),
                             nic_topics(nic), glossary_topics()})
    append(all, part);
  return all;
}

Topics find_topics(const Topics& topics, const std::string& given) {
  const std::string name = lower(as_topic(given));
  if (name.empty()) return {};
  Topics found = among(topics, [&](const std::string& each) { return each == lower(given); });
  if (found.empty()) found = among(topics, [&](const std::string& each) { return each == name; });
  const bool exact = !found.empty();
  append(found, among(topics, [&](const std::string& each) { return each.ends_with("." + name); }));
  const auto below = [&](const std::string& each) { return each.starts_with(name + "."); };
  if (!found.empty() && !exact) append(found, among(topics, below));
  if (!found.empty()) return found;
  if (const auto doc = metric_doc(given)) return {metric_topic(*doc, "metric")};
  if (name.starts_with("protocol."))
    return find_topics(topics, name.substr(std::string("protocol.").size()));
  Topics rest = among(topics, below);
  if (!rest.empty()) return rest;
  for (const MetricDoc& doc : metric_docs())
    if (lower(doc.short_name) == lower(given)) rest.push_back(metric_topic(doc, "metric"));
  if (!rest.empty()) return rest;
  return among(topics,
               [&](const std::string& each) { return each.starts_with(lower(given) + " "); });
}

}  // namespace latchlab::tool
