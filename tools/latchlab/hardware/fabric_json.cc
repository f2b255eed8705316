// JSON of a fabric probe, for exchange between nodes and for other programs.

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <type_traits>

#include "core/base/json.h"
#include "tools/latchlab/hardware/fabric.h"

namespace latchlab::tool {

namespace {
using End = ib::WayReport::End;

constexpr std::array<const char*, 5> kEnds = {"not tried", "ok", "lossy", "wrong data",
                                              "unreachable"};
constexpr std::string_view kRound = "round ";

// Leaves `into` unchanged if the key is missing or its value has the wrong type.
template <class T>
void take(const Json& from, const char* key, T& into) {
  const auto found = from.find(key);
  if (found == from.end()) return;
  if constexpr (std::is_integral_v<T>) {
    if (found->is_number_integer()) into = found->template get<T>();
  } else {
    if (found->is_string()) into = found->template get<T>();
  }
}

Json json_of(const ib::WayReport& way, std::size_t to) {
  return {{"to", to},
          {"state", kEnds.at(static_cast<std::size_t>(way.end))},
          {"why", way.why},
          {"verbs", way.verbs},
          {"lost", way.lost},
          {"min_ns", way.min_ns},
          {"median_ns", way.median_ns},
          {"max_ns", way.max_ns}};
}

ib::WayReport read_way(const Json& json) {
  ib::WayReport way;
  std::string state;
  take(json, "state", state);
  for (std::size_t i = 0; i < kEnds.size(); ++i)
    if (state == kEnds.at(i)) way.end = static_cast<End>(i);
  take(json, "why", way.why);
  take(json, "verbs", way.verbs);
  take(json, "lost", way.lost);
  take(json, "min_ns", way.min_ns);
  take(json, "median_ns", way.median_ns);
  take(json, "max_ns", way.max_ns);
  return way;
}

}  // namespace

std::string write_fabric_job(const FabricJob& job) {
  const Json json = {{"fabric",
                      {{"pkey", job.path.pkey},
                       {"sl", job.path.sl},
                       {"traffic_class", job.path.traffic_class},
                       {"tries", job.probe.tries},
                       {"timeout", job.probe.timeout},
                       {"retries", job.probe.retries}}}};
  return dump_json(json);
}

std::optional<FabricJob> read_fabric_job(const std::string& text) {
  const Json json = parse_json(text);
  if (!json.is_object() || !json.contains("fabric") || !json["fabric"].is_object())
    return std::nullopt;
  const Json& asked = json["fabric"];
  FabricJob job;
  take(asked, "pkey", job.path.pkey);
  take(asked, "sl", job.path.sl);
  take(asked, "traffic_class", job.path.traffic_class);
  take(asked, "tries", job.probe.tries);
  take(asked, "timeout", job.probe.timeout);
  take(asked, "retries", job.probe.retries);
  return job;
}

std::string round_text(std::uint32_t round) {
  return fmt::format("{}{}", kRound, round);
}

std::optional<std::uint32_t> round_in(const std::string& text) {
  if (!text.starts_with(kRound)) return std::nullopt;
  std::uint32_t round = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + kRound.size(), end, round);
  if (error != std::errc() || stop != end) return std::nullopt;
  return round;
}

std::string json_of(const FabricNode& node) {
  Json json = {{"node", node.node},
               {"host", node.host},
               {"trouble", node.trouble},
               {"device", node.device},
               {"firmware", node.firmware},
               {"board", node.board},
               {"software", node.software},
               {"kernel", node.kernel},
               {"library", node.library},
               {"link_layer", node.link_layer},
               {"gid", node.gid},
               {"gid_index", node.gid_index},
               {"port", node.port},
               {"mtu_bytes", node.mtu_bytes},
               {"pkey", node.pkey},
               {"pkeys", node.pkeys},
               {"atomics", node.atomics.kinds},
               {"lacking", node.atomics.lacking},
               {"memlock_bytes", node.memlock_bytes},
               {"clock", node.clock},
               {"governor", node.governor},
               {"counters", node.counters},
               {"ways", Json::array()}};
  for (std::size_t i = 0; i < node.ways.size(); ++i)
    if (i + 1 != node.node) json["ways"].push_back(json_of(node.ways[i], i + 1));
  return dump_json(json);
}

FabricNode read_fabric_node(const std::string& text) {
  const Json json = parse_json(text);
  FabricNode node;
  if (!json.is_object()) return node;
  take(json, "node", node.node);
  take(json, "host", node.host);
  take(json, "trouble", node.trouble);
  take(json, "device", node.device);
  take(json, "firmware", node.firmware);
  take(json, "board", node.board);
  take(json, "software", node.software);
  take(json, "kernel", node.kernel);
  take(json, "library", node.library);
  take(json, "link_layer", node.link_layer);
  take(json, "gid", node.gid);
  take(json, "gid_index", node.gid_index);
  take(json, "port", node.port);
  take(json, "mtu_bytes", node.mtu_bytes);
  take(json, "pkey", node.pkey);
  take(json, "atomics", node.atomics.kinds);
  take(json, "lacking", node.atomics.lacking);
  take(json, "memlock_bytes", node.memlock_bytes);
  take(json, "clock", node.clock);
  take(json, "governor", node.governor);
  if (json.contains("pkeys") && json["pkeys"].is_array())
    for (const Json& pkey : json["pkeys"])
      if (pkey.is_number_unsigned()) node.pkeys.push_back(pkey.get<std::uint16_t>());
  if (json.contains("counters") && json["counters"].is_object())
    for (const auto& [name, count] : json["counters"].items())
      if (count.is_number_unsigned()) node.counters[name] = count.get<std::uint64_t>();
  if (json.contains("ways") && json["ways"].is_array())
    for (const Json& way : json["ways"]) {
      std::size_t to = 0;
      if (way.is_object()) take(way, "to", to);
      if (to == 0 || to > 0xffff) continue;
      if (node.ways.size() < to) node.ways.resize(to);
      node.ways[to - 1] = read_way(way);
    }
  return node;
}

}  // namespace latchlab::tool
