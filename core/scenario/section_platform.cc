#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/scenario/nic_file.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

constexpr Duration kLongestLink = seconds(10);
constexpr Duration kLongestService = seconds(1);
constexpr std::int64_t kMostServerCores = 65'536;

// Who shares what of a client node.
void read_sharing(MapReader& reader, PlatformSpec& platform) {
  platform.client_nodes_per_nic =
      static_cast<std::uint32_t>(reader.count("client_nodes_per_nic", 1, 1, kMostNodes));
  if (platform.client_nodes_per_nic > 1 && platform.colocated)
    reject(reader.find("client_nodes_per_nic")->place,
           "platform.client_nodes_per_nic needs client nodes apart from the servers, which have an "
           "RNIC each; remove it, or set platform.colocated to false");
  platform.qps = static_cast<QpOwner>(reader.choice("qps", 0, {"client", "core", "node"}));
  const YamlNode* cores = reader.find_or_null("cores");
  if (cores)
    platform.cores =
        static_cast<std::uint32_t>(read_count(*cores, "platform.cores", 1, kMostClients));
  if (platform.cores > platform.clients_per_node)
    reject(cores->place,
           fmt::format("platform.cores is {} with {} clients per node; at most {} can be used",
                       platform.cores, platform.clients_per_node, platform.clients_per_node));
}

DatagramSpec read_datagrams(const YamlNode* node, const Place& place) {
  constexpr std::int64_t kAllPpb = 1'000'000'000;
  MapReader reader(node, "platform.datagrams", place);
  DatagramSpec spec;
  spec.loss_ppb = reader.ratio_ppb("loss", 0, 0, kAllPpb);
  spec.reorder_ppb = reader.ratio_ppb("reorder", 0, 0, kAllPpb);
  spec.reorder_by = reader.duration("reorder_by", spec.reorder_by, nanoseconds(1), seconds(1));
  reader.finish();
  return spec;
}

ServerCpuSpec read_server_cpu(const YamlNode* node, const Place& place) {
  MapReader reader(node, "platform.server_cpu", place);
  ServerCpuSpec cpu;
  if (const YamlNode* cores = reader.find_or_null("cores"))
    cpu.cores = static_cast<std::uint32_t>(
        read_count(*cores, reader.path_of("cores"), 1, kMostServerCores));
  if (const YamlNode* service = reader.find_or_null("call_service"))
    cpu.call_service =
        read_duration(*service, reader.path_of("call_service"), Duration{0}, kLongestService);
  reader.finish();
  return cpu;
}

// How many clients there are, from the groups or from the two keys that they stand for.
void read_clients(MapReader& reader, const std::vector<GroupSpec>& groups, PlatformSpec& platform) {
  for (const char* key : {"client_nodes", "clients_per_node"})
    if (const YamlNode* given = groups.empty() ? nullptr : reader.find(key))
      reject(given->place, fmt::format("platform.{} and groups both say how many clients there "
                                       "are; remove one of them",
                                       key));
  if (groups.empty()) {
    platform.client_nodes =
        static_cast<std::uint32_t>(reader.count("client_nodes", 1, 1, kMostNodes));
    platform.clients_per_node =
        static_cast<std::uint32_t>(reader.count("clients_per_node", 1, 1, kMostClients));
    return;
  }
  platform.client_nodes = 0;
  for (const GroupSpec& group : groups) {
    platform.groups.push_back(group.clients);
    platform.client_nodes += group.clients.nodes;
    platform.clients_per_node = std::max(platform.clients_per_node, group.clients.clients_per_node);
  }
}

void check_size(const PlatformSpec& platform, const MapReader& reader) {
  if (platform.colocated && platform.client_nodes > platform.servers)
    reject(reader.place(),
           fmt::format("platform.client_nodes is {} with {} servers; with colocated: true each "
                       "client node is a server, so at most {} are possible",
                       platform.client_nodes, platform.servers, platform.servers));
  const std::int64_t nodes = std::int64_t{platform.servers} +
                             (platform.colocated ? 0 : std::int64_t{platform.client_nodes});
  if (nodes > kMostNodes)
    reject(reader.place(), fmt::format("platform has {} nodes (servers and client nodes); at most "
                                       "{} are possible",
                                       nodes, kMostNodes));
  std::int64_t clients = platform.groups.empty() ? std::int64_t{platform.client_nodes} *
                                                       std::int64_t{platform.clients_per_node}
                                                 : 0;
  for (const ClientGroup& group : platform.groups)
    clients += std::int64_t{group.nodes} * std::int64_t{group.clients_per_node};
  if (clients > kMostClients)
    reject(reader.place(), fmt::format("platform has {} clients (client_nodes x clients_per_node); "
                                       "at most {} are possible",
                                       clients, kMostClients));
}

}  // namespace

ClockSpec read_clocks(const YamlNode* node, const std::string& path, const Place& place) {
  MapReader reader(node, path, place);
  ClockSpec clocks;
  clocks.drift_ppb = reader.ratio_ppb("drift", 0, 0, 100'000'000);
  clocks.offset = reader.duration("offset", Duration{0}, Duration{0}, seconds(3600));
  clocks.nic_drift_ppb = reader.ratio_ppb("nic_drift", 0, 0, 100'000'000);
  clocks.nic_offset = reader.duration("nic_offset", Duration{0}, Duration{0}, seconds(1));
  reader.finish();
  return clocks;
}

PlatformSpec read_platform(const YamlNode* node, const Place& place, const std::string& directory,
                           const DataDirs& data, const std::vector<GroupSpec>& groups) {
  MapReader reader(node, "platform", place);
  reader.know_only(keys_of("platform"));
  PlatformSpec platform;
  platform.servers = static_cast<std::uint32_t>(reader.count("servers", 1, 1, kMostNodes));
  read_clients(reader, groups, platform);
  platform.colocated = reader.boolean("colocated", false);
  platform.client_link_latency =
      reader.duration("client_link_latency", Duration{0}, Duration{0}, kLongestLink);
  platform.clocks = read_clocks(reader.find("clocks"), "platform.clocks", reader.place());
  read_sharing(reader, platform);
  platform.datagrams = read_datagrams(reader.find("datagrams"), reader.place());
  platform.server_cpu = read_server_cpu(reader.find("server_cpu"), reader.place());
  check_size(platform, reader);
  platform.topology =
      read_topology(reader.find("topology"), reader.place(), platform.rnics(), directory, data);
  platform.bulk = read_bulk(reader.find("bulk"), reader.place(), platform.topology.kind);
  const YamlNode* nic = reader.find("nic");
  platform.nic = read_nic(expand_nic(nic ? *nic : default_nic(reader.place()), directory, data));
  return platform;
}

}  // namespace latchlab
