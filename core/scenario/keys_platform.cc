// The keys of platform: nodes, network, clocks.

#include "core/scenario/scenario_keys.h"

namespace latchlab {
namespace {

std::vector<ScenarioKey> topology_keys() {
  const std::vector<std::string> tree = {"fat_tree"};
  const std::vector<std::string> fly = {"dragonfly"};
  const auto shape = [](const char* path, std::vector<std::string> when, const char* example,
                        const char* says) {
    return ScenarioKey{.path = std::string("platform.topology.") + path,
                       .kind = example[0] == '[' ? KeyKind::counts : KeyKind::count,
                       .min = "1",
                       .max = "65535",
                       .example = example,
                       .says = says,
                       .when = std::move(when)};
  };
  return {
      {.path = "platform.topology",
       .kind = KeyKind::map,
       .example = "{kind: fat_tree}",
       .says = "The network between the nodes. What is not given of its shape follows from the "
               "number of nodes.",
       .short_for = "kind"},
      {.path = "platform.topology.kind",
       .kind = KeyKind::choice,
       .fallback = "star",
       .choices = {"star", "fat_tree", "dragonfly", "torus"},
       .example = "star",
       .says = "star: one switch between all nodes. The others are as in SimGrid's manual.",
       .when = {"star", "fat_tree", "dragonfly", "torus"},
       .required = true},
      {.path = "platform.topology.hop_latency",
       .kind = KeyKind::duration,
       .fallback = "130ns",
       .min = "0us",
       .max = "1s",
       .example = "250ns",
       .says = "What each switch beyond the first adds to a route. Assumed: 100 to 270 ns.",
       .when = {"fat_tree", "dragonfly", "torus"}},
      shape("down", tree, "[4, 4]",
            "Children of a switch, one number per level from the hosts up; multiplied: hosts."),
      shape("up", tree, "[1, 4]", "Parents of a child, per level; begins with 1."),
      shape("parallel", tree, "[1, 2]", "Links to each parent, per level; begins with 1."),
      shape("groups", fly, "2", "Groups, each two of which share one link; at most `routers`."),
      shape("chassis", fly, "2", "Chassis of a group."),
      shape("routers", fly, "2", "Routers of a chassis, all connected."),
      shape("hosts", fly, "2", "Hosts of a router."),
      shape("dimensions", {"torus"}, "[4, 4, 4]", "Nodes in each dimension, 1 to 6 of them."),
      {.path = "platform.topology.file",
       .example = "platform.xml",
       .says = "A SimGrid platform, in place of a kind; a relative path begins at the scenario.",
       .when = {"file"},
       .required = true},
      {.path = "platform.topology.checksum",
       .example = "fnv1a-0123456789abcdef",
       .says = "Of the platform file, as resolved scenarios write it: refused once it has changed.",
       .when = {"file"}},
  };
}

std::vector<ScenarioKey> clock_keys() {
  const auto clock = [](const char* name, KeyKind kind, const char* fallback, const char* max,
                        const char* example, const char* says) {
    return ScenarioKey{.path = std::string("platform.clocks.") + name,
                       .kind = kind,
                       .fallback = fallback,
                       .min = kind == KeyKind::ratio ? "0" : "0us",
                       .max = max,
                       .example = example,
                       .says = says};
  };
  return {
      {.path = "platform.clocks",
       .kind = KeyKind::map,
       .example = "{drift: 100ppm}",
       .says = "How far the nodes' clocks are off. All draws follow from the seed."},
      clock("drift", KeyKind::ratio, "0ppm", "10%", "100ppm",
            "Each node's clock runs too fast or slow by up to this much, drawn uniformly."),
      clock("offset", KeyKind::duration, "0us", "3600s", "10us",
            "Each node's clock is ahead by up to this much, drawn uniformly."),
      clock("nic_drift", KeyKind::ratio, "0ppm", "10%", "50ppm",
            "The same of the RNIC's own clock against its node's."),
      clock("nic_offset", KeyKind::duration, "0us", "1s", "1us",
            "The RNIC's clock is off by up to this much either way; 0 with nic_drift: one clock."),
  };
}

std::vector<ScenarioKey> bulk_keys() {
  return {
      {.path = "platform.bulk",
       .kind = KeyKind::map,
       .example = "{model: flows, above: 8KiB}",
       .says = "How long payloads share the network; short ones take turns at the sender's port.",
       .short_for = "model"},
      {.path = "platform.bulk.model",
       .kind = KeyKind::choice,
       .fallback = "shared_ports",
       .choices = {"shared_ports", "flows"},
       .example = "flows",
       .says = "shared_ports: equal shares of each port, the default of a star. flows: SimGrid's "
               "max-min shares of every link, the default of all other topologies."},
      {.path = "platform.bulk.above",
       .kind = KeyKind::bytes,
       .fallback = "8KiB",
       .min = "256B",
       .example = "8KiB",
       .says = "Payloads longer than this are bulk."},
  };
}

std::vector<ScenarioKey> datagram_keys() {
  return {
      {.path = "platform.datagrams",
       .kind = KeyKind::map,
       .example = "{loss: 0.1%, reorder: 1%}",
       .says = "What the network does to messages over UD, which nobody acknowledges; other "
               "transports, and messages within a node, are not touched."},
      {.path = "platform.datagrams.loss",
       .kind = KeyKind::ratio,
       .fallback = "0%",
       .min = "0",
       .max = "100%",
       .example = "0.1%",
       .says = "This share never arrives."},
      {.path = "platform.datagrams.reorder",
       .kind = KeyKind::ratio,
       .fallback = "0%",
       .min = "0",
       .max = "100%",
       .example = "1%",
       .says = "This share is late, and may be overtaken."},
      {.path = "platform.datagrams.reorder_by",
       .kind = KeyKind::duration,
       .fallback = "5us",
       .min = "1ns",
       .max = "1s",
       .example = "20us",
       .says = "By how much at the most; uniform."},
  };
}

std::vector<ScenarioKey> server_cpu_keys() {
  return {
      {.path = "platform.server_cpu",
       .kind = KeyKind::map,
       .example = "{cores: 8, call_service: 500ns}",
       .says = "The CPU of a server, for locks with a server part: calls and whatever their "
               "handlers compute queue for its cores. Where the defaults come from stands in "
               "the NIC's file."},
      {.path = "platform.server_cpu.cores",
       .kind = KeyKind::count,
       .min = "1",
       .max = "65536",
       .example = "8",
       .says = "Cores of each server that run its part; null: `server.cores` of the NIC's file.",
       .nullable = true},
      {.path = "platform.server_cpu.call_service",
       .kind = KeyKind::duration,
       .min = "0us",
       .max = "1s",
       .example = "500ns",
       .says = "CPU time per call before its handler begins; null: `server.call_service` of the "
               "NIC's file.",
       .nullable = true},
  };
}

std::vector<ScenarioKey> node_keys() {
  return {
      {.path = "platform.servers",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "65535",
       .example = "4",
       .says = "Nodes that host lock entries."},
      {.path = "platform.client_nodes",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "65535",
       .example = "5",
       .says = "Nodes that clients run on."},
      {.path = "platform.clients_per_node",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "10M",
       .example = "48",
       .says = "Clients on each of them; at most 10M clients in all."},
      {.path = "platform.client_nodes_per_nic",
       .kind = KeyKind::count,
       .fallback = "1",
       .min = "1",
       .max = "65535",
       .example = "4",
       .says = "Client nodes in a row (of one group) that share an RNIC and its port, as virtual "
               "nodes of one machine do. Between them verbs loop back."},
      {.path = "platform.colocated",
       .kind = KeyKind::boolean,
       .fallback = "false",
       .example = "true",
       .says = "true: client node i is server i, so client_nodes must not exceed servers."},
      {.path = "platform.client_link_latency",
       .kind = KeyKind::duration,
       .fallback = "0us",
       .min = "0us",
       .max = "10s",
       .example = "1us",
       .says = "Extra one-way latency between client nodes."},
  };
}

}  // namespace

std::vector<ScenarioKey> platform_keys() {
  std::vector<ScenarioKey> keys = {
      {.path = "platform",
       .kind = KeyKind::map,
       .example = "{servers: 1, client_nodes: 5, clients_per_node: 48}",
       .says = "The nodes, their NICs and the network between them."},
      {.path = "platform.nic",
       .fallback = "connectx-5",
       .example = "{base: connectx-5, atomic.same_address: 300ns}",
       .says = "The RNIC of every node (groups[].nic: of some): a name under models/nics, a path, "
               "or a mapping that "
               "replaces constants of a `base` by their dotted names."},
  };
  const auto add = [&](std::vector<ScenarioKey> part) {
    keys.insert(keys.end(), part.begin(), part.end());
  };
  add(topology_keys());
  add(node_keys());
  add(clock_keys());
  add(bulk_keys());
  add({{.path = "platform.qps",
        .kind = KeyKind::choice,
        .fallback = "client",
        .choices = {"client", "core", "node"},
        .example = "core",
        .says = "Who has a QP of its own to each node: with it come the limit of READs and atomics "
                "in flight, and execution in order."},
       {.path = "platform.cores",
        .kind = KeyKind::count,
        .min = "1",
        .max = "10M",
        .example = "1",
        .says = "Cores of a client node that its clients share, at most as many as clients; null: "
                "each client has its own.",
        .nullable = true}});
  add(datagram_keys());
  add(server_cpu_keys());
  return keys;
}

}  // namespace latchlab
