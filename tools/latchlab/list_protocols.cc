// `latchlab list protocols`: the description of every lock, for people, programs and docs/locks.md.

#include <fmt/format.h>

#include <algorithm>

#include "core/base/json.h"
#include "core/protocols/registry.h"
#include "core/scenario/scenario_keys.h"
#include "core/world/table_shape.h"
#include "tools/latchlab/list.h"
#include "tools/latchlab/load.h"

namespace latchlab::tool {

namespace {
struct Lock {
  explicit Lock(const ProtocolEntry& entry)
      : info(entry.info),
        protocol(entry.make(info.resolve(info.profiles.front().name))),
        limits(protocol->limits()),
        shape(table_shape(limits)),
        layout(protocol->layout(shape_for_protocols(shape))) {}

  const ProtocolInfo& info;
  std::unique_ptr<Protocol> protocol;  // with the default profile
  Limits limits;
  WorldShape shape;
  Layout layout;
};

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

std::vector<std::string> modes_of(const ProtocolInfo& info) {
  std::vector<std::string> modes = {"exclusive"};
  if (info.shared_mode) modes.emplace_back("shared");
  if (info.update_mode) modes.emplace_back("update");
  return modes;
}

struct Situation {
  const char* key;
  const char* says;
  CostPair Costs::*costs;
  bool readers;  // involves readers
};
constexpr Situation kSituations[] = {
    {"free_x", "writer, free", &Costs::free_exclusive, false},
    {"free_s", "reader, free", &Costs::free_shared, true},
    {"x_after_x", "writer after writer", &Costs::exclusive_after_exclusive, false},
    {"s_after_x", "reader after writer", &Costs::shared_after_exclusive, true},
    {"x_after_s", "writer after reader", &Costs::exclusive_after_shared, true}};

Json describe(const Cost& cost) {
  return {{"verbs", cost.verbs},
          {"messages", cost.messages},
          {"calls", cost.calls},
          {"trips", cost.half_trips / 2.0},
          {"at_least", cost.at_least}};
}

Json describe_costs(const ProtocolInfo& info) {
  Json json;
  json["profile"] = info.profiles.front().name;
  const CostShape shape = cost_shape(info);
  json["shape"] = {{"clients", 2},
                   {"client_nodes", 2},
                   {"wanted", shape.extent.whole() ? "object" : "unit"},
                   {"units", shape.units ? Json(*shape.units) : Json()}};
  for (const Situation& situation : kSituations) {
    const CostPair& costs = info.costs.*situation.costs;
    if (info.shared_mode || !situation.readers)
      json[situation.key] = {{"acquire", describe(costs.acquire)},
                             {"release", describe(costs.release)}};
  }
  return json;
}

// null: no limit.
Json limit(std::uint64_t most) {
  return most == ~0ULL ? Json() : Json(most);
}

Json describe_limits(const Limits& limits) {
  return {{"clients", limit(limits.max_clients)}, {"client_nodes", limit(limits.max_nodes)},
          {"locks", limit(limits.max_locks)},     {"held_at_once", limit(limits.held_at_once)},
          {"abortable", limits.abortable},        {"released_by_time", limits.released_by_time}};
}

Json describe_example(const Lock& lock) {
  const Layout& layout = lock.layout;
  return {{"clients", lock.shape.clients()},
          {"client_nodes", lock.shape.client_nodes},
          {"locks", lock.shape.locks.count},
          {"qps_per_client", 1 + (layout.client_endpoint.recvs > 0 ? 1 : 0)},
          {"recvs_per_client", layout.client_endpoint.recvs},
          {"recvs_per_node", layout.node_endpoint.recvs},
          {"bytes_per_client", layout.client_bytes},
          {"bytes_per_node", layout.node_bytes},
          {"bytes_per_node_and_lock", layout.node_lock_bytes},
          {"bytes_on_server", layout.server_bytes}};
}

// What the lock may lose with its default parameters, and by which faults: faults that cost the
// same stand together, in the order of the kinds of faults.
std::vector<std::pair<std::string, std::vector<std::string>>> losses(const ProtocolInfo& info) {
  const Claims claims = info.claims_of(info.resolve(info.profiles.front().name));
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (std::size_t i = 0; i < kMishaps; ++i) {
    const auto mishap = static_cast<Mishap>(i);
    std::vector<std::string_view> lost;
    for (std::size_t k = 0; k < kKept; ++k)
      if (const auto what = static_cast<Keeps>(k); !claims.keeps(mishap, what))
        lost.push_back(name_of(what));
    if (lost.empty()) continue;
    const std::string what = fmt::format("{}", fmt::join(lost, ", "));
    const auto found =
        std::ranges::find_if(all, [&what](const auto& entry) { return entry.first == what; });
    auto& faults = found == all.end() ? all.emplace_back(what, std::vector<std::string>{}).second
                                      : found->second;
    faults.emplace_back(name_of(mishap));
  }
  return all;
}

Json describe(const ProtocolEntry& entry) {
  const Lock lock(entry);
  const ProtocolInfo& info = lock.info;
  Json json;
  json["name"] = info.name;
  json["summary"] = info.summary;
  json["source"] = info.source;
  json["modes"] = modes_of(info);
  json["ranges"] = info.ranges;
  json["fairness"] = info.fairness;
  json["handover"] = info.handover;
  json["survives"] = info.survives;
  json["may_lose"] = Json::object();
  for (const auto& [what, faults] : losses(info)) json["may_lose"][what] = faults;
  json["printed"] = info.printed;
  json["entry_bytes"] = lock.layout.entry_bytes;
  json["entry_shape"] = {{"profile", info.profiles.front().name},
                         {"clients", lock.shape.clients()},
                         {"client_nodes", lock.shape.client_nodes}};
  json["costs"] = describe_costs(info);
  json["needs"] = Json::array();
  for (const Capability needed : lock.protocol->needs())
    json["needs"].push_back(std::string(name_of(needed)));
  json["limits"] = describe_limits(lock.limits);
  json["example"] = describe_example(lock);
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

std::string or_nothing(const std::string& text) {
  return text.empty() ? "nothing" : text;
}

void print(const ProtocolEntry& entry) {
  const Lock lock(entry);
  const ProtocolInfo& info = lock.info;
  fmt::print("{}: {}\n  source: {}\n  modes: {}\n  entry, {}: {} bytes\n", info.name, info.summary,
             info.source, fmt::join(modes_of(info), ", "), text_of(lock.shape),
             lock.layout.entry_bytes);
  fmt::print("  fairness: {}\n  handover: {}\n  survives: {}\n", info.fairness, info.handover,
             or_nothing(info.survives));
  for (const auto& [what, faults] : losses(info))
    fmt::print("  may lose {}: {}\n", what, fmt::join(faults, ", "));
  if (!info.printed.empty())
    fmt::print("  claims nothing with {}\n", fmt::join(info.printed, ", "));
  fmt::print("  cost, of {}:\n", text_of(cost_shape(info)));
  for (const Situation& situation : kSituations) {
    const CostPair& costs = info.costs.*situation.costs;
    if (info.shared_mode || !situation.readers)
      fmt::print("    {}: {}; release: {}\n", situation.says, text_of(costs.acquire),
                 text_of(costs.release));
  }
  for (const Profile& profile : info.profiles)
    fmt::print("  profile {}{}: {}\n", profile.name,
               &profile == &info.profiles.front() ? " (default)" : "", profile.source);
  for (const ParamSpec& spec : info.params)
    fmt::print("  {} = {}  [{}]\n      {}\n", spec.name, text_of(spec.fallback), range_of(spec),
               spec.help);
  fmt::print("\n");
}

std::string brief(const Cost& cost) {
  if (cost == Cost{}) return "0";
  std::string text = cost.at_least ? "≥ " : "";
  const auto add = [&](std::uint32_t count, const char* unit) {
    if (count > 0) text += fmt::format("{}{} ", count, unit);
  };
  add(cost.verbs, "v");
  add(cost.messages, "m");
  add(cost.calls, "c");
  return text + fmt::format("{}t", cost.half_trips / 2.0);
}

}  // namespace

void list_protocols(bool as_json) {
  Json all = Json::array();
  for (const ProtocolEntry& entry : protocol_registry()) {
    if (as_json)
      all.push_back(describe(entry));
    else
      print(entry);
  }
  if (as_json) fmt::print("{}\n", dump_json(all, 1));
}

int list_markdown(const std::string& what) {
  if (what != "protocols") return complain({"--markdown is for protocols alone", {}});
  fmt::print("| lock | what | modes | source |\n|---|---|---|---|\n");
  for (const ProtocolInfo& info : protocol_infos())
    fmt::print("| `{}` | {} | {} | {} |\n", info.name, info.summary,
               fmt::join(modes_of(info), ", "), info.source);
  fmt::print(
      "\nSizes and costs, with the default profile. bytes: size of an entry in a run of 64\n"
      "clients, on 8 nodes if the lock supports several. of: what each of two clients, on a node\n"
      "each, acquires in the test that counts the costs. A cost is that of an acquisition and,\n"
      "after the slash, of its release: v verbs to memory of other nodes, m messages to clients,\n"
      "c calls to the server's CPU, t round trips; ≥: more, the longer the client waits.\n"
      "*A after B*: A acquires a lock that B holds; round trips are counted from the start of B's\n"
      "release, whose cost follows.\n\n| lock | bytes | of");
  std::string rule = "\n|---|---|---";
  for (const Situation& situation : kSituations) {
    fmt::print(" | {}", situation.says);
    rule += "|---";
  }
  fmt::print(" | handover | fairness | survives |{}|---|---|---|\n", rule);
  for (const ProtocolEntry& entry : protocol_registry()) {
    const Lock lock(entry);
    const ProtocolInfo& info = lock.info;
    fmt::print("| `{}` | {} | {}", info.name, lock.layout.entry_bytes, text_of(cost_shape(info)));
    for (const Situation& situation : kSituations) {
      const CostPair& costs = info.costs.*situation.costs;
      if (info.shared_mode || !situation.readers)
        fmt::print(" | {} / {}", brief(costs.acquire), brief(costs.release));
      else
        fmt::print(" | -");
    }
    fmt::print(" | {} | {} | {} |\n", info.handover, info.fairness, or_nothing(info.survives));
  }
  return kFine;
}

}  // namespace latchlab::tool
