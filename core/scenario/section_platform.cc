#include "core/scenario/nic_file.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

const Keys& clock_keys() {
  static const Keys keys = rows<ClockSpec>({
      {"drift", number(ratio, &ClockSpec::drift_ppb, "0", "10%", Form::ppm), "100ppm",
       "Each node's clock runs fast or slow by at most this, drawn uniformly."},
      {"offset", number(duration, &ClockSpec::offset, "0us", "3600s"), "10us",
       "Each node's clock is ahead by at most this, drawn uniformly."},
      {"nic_drift", number(ratio, &ClockSpec::nic_drift_ppb, "0", "10%", Form::ppm), "50ppm",
       "Each RNIC's clock runs fast or slow against its node's clock by at most this, drawn "
       "uniformly."},
      {"nic_offset", number(duration, &ClockSpec::nic_offset, "0us", "1s"), "1us",
       "Each RNIC's clock is ahead of or behind its node's clock by at most this; 0, and nic_drift "
       "0: RNIC and node share one clock."},
  });
  return keys;
}

namespace {

const Keys& datagram_keys() {
  static const Keys keys = rows<DatagramSpec>({
      {"loss", number(ratio, &DatagramSpec::loss_ppb, "0", "100%"), "0.1%",
       "Share of the messages that are lost."},
      {"reorder", number(ratio, &DatagramSpec::reorder_ppb, "0", "100%"), "1%",
       "Share of the messages that are delayed, so that later ones may overtake them."},
      {"reorder_by", number(duration, &DatagramSpec::reorder_by, "1ns", "1s"), "20us",
       "The longest such delay; delays are uniform."},
  });
  return keys;
}

const Keys& switch_queue_keys() {
  static const Keys keys = rows<SwitchQueueSpec>({
      {"bytes", number(bytes, &SwitchQueueSpec::bytes, "0B", "64MiB"), "256KiB",
       "Bytes of the packets that wait at an output port at most; 0B: without limit."},
      {"full", words({"pause", "drop"}, &SwitchQueueSpec::full), "drop",
       "What happens to a packet for a full queue. pause: the port before it waits, and with it "
       "all that it sends (PFC, or the credits of InfiniBand). drop: the packet is lost, and RC "
       "and DC send it again (see packet_loss)."},
  });
  return keys;
}

const Keys& server_cpu_keys() {
  static const Keys keys = rows<ServerCpuSpec>({
      {"cores", number(count, &ServerCpuSpec::cores, "1", "65536"), "8",
       "Cores of each server that run the lock's server part; null: `server.cores` of the NIC's "
       "file.",
       kNullable},
      {"call_service", number(duration, &ServerCpuSpec::call_service, "0us", "1s"), "500ns",
       "CPU time per call before its handler begins; null: `server.call_service` of the NIC's "
       "file.",
       kNullable},
  });
  return keys;
}

// Written as absent if groups replace them.
Value<PlatformSpec> clients(std::uint32_t PlatformSpec::*field, const char* most) {
  return number<PlatformSpec>(
      count,
      [field](const PlatformSpec& platform) {
        const bool spread = platform.spread_clients > 0;
        const bool given = field == &PlatformSpec::client_nodes
                               ? spread || platform.groups.empty()
                               : !spread && platform.groups.empty();
        return given ? number_of(platform.*field) : std::nullopt;
      },
      [field](PlatformSpec& platform, std::int64_t value) { assign(platform.*field, value); }, "1",
      most);
}

// Read after the rest of the platform.
Value<PlatformSpec> nic() {
  return value_of<PlatformSpec>(
      {.fallback = kUsualNic}, [](const Given&, PlatformSpec&) {},
      [](const ScenarioKey&, const PlatformSpec& platform) {
        return platform.nic.name.empty() ? YamlNode() : write_nic(platform.nic);
      });
}

// The first nodes have one client more than the others.
void spread_clients(const YamlNode& node, PlatformSpec& platform) {
  const YamlNode* const given =
      node.find(platform.client_nodes_per_nic > 1 ? "client_nodes_per_nic" : "clients_per_node");
  if (given)
    reject(given->place,
           "platform.clients spreads clients over the client nodes, one RNIC each, and another key "
           "says how many there are on each node or RNIC; remove clients, or clients_per_node and "
           "client_nodes_per_nic");
  const std::uint32_t nodes = platform.client_nodes;
  const std::uint32_t least = platform.spread_clients / nodes;
  const std::uint32_t more = platform.spread_clients % nodes;
  platform.clients_per_node = least + (more > 0 ? 1 : 0);
  if (more > 0) platform.groups = {{more, least + 1}, {nodes - more, least}};
}

// Sets the number of clients from the groups, if there are any.
void count_clients(const YamlNode* node, const std::vector<GroupSpec>& groups,
                   PlatformSpec& platform) {
  if (groups.empty() && platform.spread_clients > 0) spread_clients(*node, platform);
  if (groups.empty()) return;
  for (const char* key : {"client_nodes", "clients_per_node", "clients"})
    if (const YamlNode* given = node ? node->find(key) : nullptr)
      reject(given->place,
             "platform.{} and groups both say how many clients there are; remove one of them", key);
  platform.client_nodes = 0;
  for (const GroupSpec& group : groups) {
    platform.groups.push_back(group.clients);
    platform.client_nodes += group.clients.nodes;
    platform.clients_per_node = std::max(platform.clients_per_node, group.clients.clients_per_node);
  }
}

void check_threads(const PlatformSpec& platform, const SourceLocation& place) {
  if (platform.cores == 0)
    reject(
        place,
        "platform.core_sharing is threads, and platform.cores does not say how many cores a node "
        "has; add it, for example 'cores: 24'");
  if (platform.clients_per_node > 2 * std::uint64_t{platform.cores})
    reject(place,
           "platform.core_sharing is threads, with {} clients per node on {} cores; a core has two "
           "hardware threads: set platform.cores to {} or more",
           platform.clients_per_node, platform.cores, (platform.clients_per_node + 1) / 2);
  if (platform.qps == QpOwner::core)
    reject(
        place,
        "platform.core_sharing is threads, each of which has QPs of its own, and platform.qps is "
        "core; set it to client, node, pair or duplex");
}

// Checks which clients share RNICs and cores of a client node.
void check_sharing(const PlatformSpec& platform, const YamlNode& node) {
  if (platform.client_nodes_per_nic > 1 && platform.colocated)
    reject(node.find("client_nodes_per_nic")->place,
           "platform.client_nodes_per_nic needs client nodes apart from the servers, which have an "
           "RNIC each; remove it, or set platform.colocated to false");
  if (platform.core_sharing == CoreSharing::threads)
    return check_threads(platform, node.find("core_sharing")->place);
  if (platform.cores > platform.clients_per_node)
    reject(node.find("cores")->place,
           "platform.cores is {} with {} clients per node; at most {} can be used", platform.cores,
           platform.clients_per_node, platform.clients_per_node);
}

void check_size(const PlatformSpec& platform, const SourceLocation& place) {
  if (platform.colocated && platform.client_nodes > platform.servers)
    reject(place,
           "platform.client_nodes is {} with {} servers; with colocated: true each client node is "
           "a server, so at most {} are possible",
           platform.client_nodes, platform.servers, platform.servers);
  const std::int64_t nodes = std::int64_t{platform.servers} +
                             (platform.colocated ? 0 : std::int64_t{platform.client_nodes});
  if (nodes > kMostNodes)
    reject(place, "platform has {} nodes (servers and client nodes); at most {} are possible",
           nodes, kMostNodes);
  std::int64_t clients = platform.groups.empty() ? std::int64_t{platform.client_nodes} *
                                                       std::int64_t{platform.clients_per_node}
                                                 : 0;
  for (const ClientGroup& group : platform.groups)
    clients += std::int64_t{group.nodes} * std::int64_t{group.clients_per_node};
  if (clients > kMostClients)
    reject(place,
           "platform has {} clients (client_nodes x clients_per_node); at most {} are possible",
           clients, kMostClients);
}

}  // namespace

const Keys& platform_keys() {
  using Platform = PlatformSpec;
  static const Keys keys = rows<Platform>({
      {"nic", nic(), "{base: connectx-5, atomic.same_address: 300ns}",
       "The RNIC of every node (groups[].nic: of a group's nodes): a name under models/nics, a "
       "path, or a mapping that changes a `base`: it replaces constants by their dotted names, "
       "multiplies some by `scale`, and may give the result a `name`."},
      {"software", line(&Platform::software), "event_channel",
       "What the CPUs of all nodes run: a name under models/cpu/stacks, whose constants replace "
       "those of the NIC's file (costs of posting, completions, messages and calls). The "
       "scenario's own changes of the NIC stay. null: as the NIC's file has it. On hardware it "
       "says one thing: whether threads poll for completions, or sleep until one raises an event.",
       kNullable | kOmitted},
      {"topology", nested(&Platform::topology, topology_keys, "kind"), "{kind: fat_tree}",
       "The network between the nodes. Sizes that are not given follow from the number of nodes."},
      {"servers", number(count, &Platform::servers, "1", "65535"), "4",
       "Nodes that host lock entries."},
      {"client_nodes", clients(&Platform::client_nodes, "65535"), "5",
       "Nodes on which clients run."},
      {"clients_per_node", clients(&Platform::clients_per_node, "10M"), "48",
       "Clients on each client node; at most 10M clients in all."},
      {"clients", number(count, &Platform::spread_clients, "1", "10M"), "64",
       "Clients in all, in place of clients_per_node: spread over the client nodes as evenly as "
       "possible, one more on the first ones. A node may then have no client."},
      {"client_nodes_per_nic", number(count, &Platform::client_nodes_per_nic, "1", "65535"), "4",
       "How many consecutive client nodes (of one group) share an RNIC and its port, as virtual "
       "nodes of one machine do. Verbs between them loop back."},
      {"colocated", number(boolean, &Platform::colocated), "true",
       "true: client node i is server i, so client_nodes must not exceed servers."},
      {"client_link_latency", number(duration, &Platform::client_link_latency, "0us", "10s"), "1us",
       "Extra one-way latency between client nodes."},
      {"packet_loss", number(ratio, &Platform::packet_loss_ppb, "0", "100%"), "0.01%",
       "Share of the packets that a node's link loses, in either direction (groups[].packet_loss: "
       "the links of a group's nodes). A packet between two nodes crosses the links of both. RC "
       "and "
       "DC send again what is lost: at once if later packets of the QP show the loss, otherwise "
       "after timeout.ack."},
      {"switch_queue", nested(&Platform::switch_queue, switch_queue_keys),
       "{bytes: 256KiB, full: drop}",
       "The queue of each output port of a switch, to a node or to another switch. Long payloads "
       "(bulk) share the ports equally, and do not wait in it.",
       kOmitted},
      {"clocks", nested(&Platform::clocks, clock_keys), "{drift: 100ppm}",
       "Errors of the nodes' clocks. All draws follow from the seed."},
      {"bulk", nested(&Platform::bulk, bulk_keys, "model"), "{model: flows, above: 8KiB}",
       "How the network's bandwidth is shared by long payloads; short ones pass each link one at a "
       "time."},
      {"qps", words({"client", "core", "node", "pair", "duplex"}, &Platform::qps), "core",
       "What has its own QP to each node: a client, a core or a node. The limit of READs and "
       "atomics in flight and the order of execution apply to each QP. pair: as client, but a "
       "client has a QP to each client of a node, its own node and itself included, and uses the "
       "one to the client in whose memory a word lies; the locks of a node are divided equally "
       "among its clients. duplex: as pair, but two clients share one connection for both "
       "directions. A NIC's `qp.cache` depends on the QPs in use, counted at both ends."},
      {"cores", number(count, &Platform::cores, "1", "10M"), "1",
       "Cores that the clients of a client node share, at most as many as clients; null: each "
       "client has its own core.",
       kNullable},
      {"core_sharing", words({"turns", "threads"}, &Platform::core_sharing), "turns",
       "How clients share a core. turns: as coroutines, of which one runs at a time. threads: each "
       "client polls on its own hardware thread, at most two on a core; client i shares its core "
       "with client i + cores, and while both work, CPU work takes local.shared_core times as "
       "long."},
      {"datagrams", nested(&Platform::datagrams, datagram_keys), "{loss: 0.1%, reorder: 1%}",
       "Loss and reordering of messages over UD, which has no acknowledgements; other transports, "
       "and messages within a node, are not affected."},
      {"failure_detection", number(duration, &Platform::failure_detection, "0us", "100s"), "100ms",
       "Time from a crash until the membership service reports it, as a cluster's failure detector "
       "does. The default is assumed; 1ms to 10s are as likely "
       "(models/software/failure-detector.yaml)."},
      {"server_cpu", nested(&Platform::server_cpu, server_cpu_keys),
       "{cores: 8, call_service: 500ns}",
       "The CPU of a server, for locks with a server part: calls and the work of their handlers "
       "queue for its cores. The NIC's file states the source of the defaults.",
       kOmitted},
  });
  return keys;
}

NicOfNode read_nic_of_node(const YamlNode& nic, const YamlNode& platform, const Files& files) {
  YamlNode description = expand_nic(nic, files);
  const YamlNode* const software = platform.find("software");
  const bool by_event =
      software && !software->is_null() && use_software(description, *software, files);
  return {read_nic(description), by_event};
}

void finish_platform(const YamlNode* node, const SourceLocation& place, const Files& files,
                     Point& point) {
  static const YamlNode kNothing = yaml_map();
  const YamlNode& section = node ? *node : kNothing;
  PlatformSpec& platform = point.platform;
  count_clients(node, point.groups, platform);
  check_sharing(platform, section);
  check_size(platform, node ? node->place : place);
  const YamlNode* topology = section.find("topology");
  if (topology) finish_topology(*topology, platform.rnics(), files, platform.topology);
  const YamlNode* bulk = section.find("bulk");
  const bool told = bulk && (bulk->is_scalar() || bulk->find("model"));
  if (!told && platform.topology.kind != TopologyKind::star) platform.bulk.model = BulkModel::flows;
  const YamlNode* nic = section.find("nic");
  auto [model, by_event] = read_nic_of_node(nic ? *nic : default_nic(place), section, files);
  platform.nic = std::move(model);
  platform.by_event = by_event;
}

}  // namespace latchlab
