#pragma once
// The network between the nodes, as data. Plain numbers: backends may include this header.
//
// Node i of the scenario (servers first, then client nodes, from 0) is host i of the topology. In
// a fat tree and a dragonfly hosts are counted leaf switch by leaf switch, in a torus along its
// first dimension first. In a platform file the scenario may name the host of each node; else hosts
// are sorted by name, numbers in names as numbers (node-2 before node-10). Hosts may be left over.
// Nodes that share an RNIC have one host, and count as one here.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace latchlab {

enum class TopologyKind : std::uint8_t { star, fat_tree, dragonfly, torus, file };

struct TopologySpec {
  TopologyKind kind = TopologyKind::star;

  // fat_tree: one number per level, from the hosts up. At level i a switch has down[i] children; a
  // child has up[i] parents, with parallel[i] links to each. A host has one port: up[0] and
  // parallel[0] are 1. Hosts: the product of `down`.
  std::vector<std::int64_t> down, up, parallel;

  // dragonfly: groups of chassis of routers, each with some hosts. Routers of a chassis are all
  // connected, so are equal routers of a group's chassis, and each two groups by one link. SimGrid
  // needs groups <= routers.
  std::int64_t groups = 0, chassis = 0, routers = 0, hosts = 0;

  // torus: nodes in each dimension. Each node has a router of its own.
  std::vector<std::int64_t> dimensions;

  // file: a SimGrid platform. The latency of a route there is what it has beyond one switch: the
  // NIC's one_way holds the rest.
  std::string file;
  std::string checksum;            // of its bytes
  std::vector<std::string> nodes;  // the host of each node, or more of them; empty: by name

  // fat_tree, dragonfly, torus: what each switch beyond the first adds to a route. Assumed, 100 to
  // 270 ns: a QM9700 reseller states below 150 ns port to port; an SX6030 in Ethernet mode
  // measures 269 ns (half the difference of two round trips); none for the QM8790.
  Duration hop_latency = nanoseconds(130);
};

// How long payloads share the network. Short ones always take their turn at the sender's port.
enum class BulkModel : std::uint8_t {
  shared_ports,  // equal shares of each port; the network between ports is never the bottleneck
  flows,         // SimGrid's flows: max-min shares of every link on the way
};

inline constexpr std::uint64_t kLeastBulkBytes = 256;

struct BulkSpec {
  BulkModel model = BulkModel::shared_ports;
  // Payloads longer than this are bulk. A choice of the model: 8 KiB last 0.66 us at 100 Gb/s, less
  // than half a round trip, so that sharing hardly shows below.
  std::uint64_t above_bytes = 8'192;
};

// What the network does to messages that nobody acknowledges (UD). All draws follow from the seed.
struct DatagramSpec {
  std::int64_t loss_ppb = 0;              // this share never arrives
  std::int64_t reorder_ppb = 0;           // this share takes longer than its way does ...
  Duration reorder_by = microseconds(5);  // ... by up to this, uniform, and may so be overtaken

  bool operator==(const DatagramSpec&) const = default;
};

}  // namespace latchlab
