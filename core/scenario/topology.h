#pragma once
// The network between the nodes, as data. Plain numbers: backends may include this header.
//
// Node i of the scenario (servers first, then client nodes, from 0) is host i of the topology. A
// fat tree and a dragonfly number their hosts leaf switch by leaf switch, a torus along its first
// dimension first. With a platform file, the scenario may name the host of each node; otherwise
// hosts are sorted by name, with numbers in names compared as numbers (node-2 before node-10).
// There may be more hosts than nodes. Nodes that share an RNIC share one host and count as one node
// here.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace latchlab {

enum class TopologyKind : std::uint8_t { star, fat_tree, dragonfly, torus, file };

struct TopologySpec {
  TopologyKind kind = TopologyKind::star;

  // fat_tree: one number per level, from the hosts up. A switch at level i has down[i] children; a
  // child has up[i] parents, with parallel[i] links to each. A host has one port, so up[0] and
  // parallel[0] are 1. The number of hosts is the product of `down`.
  std::vector<std::int64_t> down, up, parallel;

  // dragonfly: groups of chassis of routers, each router with some hosts. All routers of a chassis
  // are connected, so are the routers of equal number in the chassis of a group, and each pair of
  // groups has one link. SimGrid requires groups <= routers.
  std::int64_t groups = 0, chassis = 0, routers = 0, hosts = 0;

  // torus: nodes in each dimension; each node has its own router.
  std::vector<std::int64_t> dimensions;

  // file: a SimGrid platform. The latency of a route there is its latency beyond one switch; the
  // NIC's one_way covers the rest.
  std::string file;
  std::string checksum;            // of the file's bytes
  std::vector<std::string> nodes;  // the host of each node, possibly more; empty: by name

  // fat_tree, dragonfly, torus: latency that each switch beyond the first adds to a route. Assumed,
  // 100 to 270 ns: a QM9700 reseller states below 150 ns port to port; an SX6030 in Ethernet mode
  // measures 269 ns (half the difference of two round trips); no figure was found for the QM8790.
  Duration hop_latency = nanoseconds(130);
};

// How long payloads share the network. Short payloads queue at each link.
enum class BulkModel : std::uint8_t {
  shared_ports,  // equal shares of each port; only ports limit bandwidth
  flows,         // SimGrid's flows: max-min fair shares of every link of the route
};

inline constexpr std::uint64_t kLeastBulkBytes = 256;

struct BulkSpec {
  BulkModel model = BulkModel::shared_ports;
  // Payloads longer than this are bulk. A choice of the model: at 100 Gb/s, 8 KiB take 0.66 us,
  // less than half a round trip, so that sharing hardly affects shorter payloads.
  std::uint64_t above_bytes = 8'192;
};

// What a switch does with a packet for an output port whose queue is full.
enum class QueueFull : std::uint8_t {
  pause,  // it pauses the port before it, which holds up all that it sends (PFC, InfiniBand's
          // credits)
  drop,   // the packet is lost
};

// The queue of each output port of a switch: to a node, or to another switch.
struct SwitchQueueSpec {
  std::int64_t bytes = 0;  // 0: without limit
  QueueFull full = QueueFull::pause;

  bool operator==(const SwitchQueueSpec&) const = default;
};

// What the network does to unacknowledged messages (UD). All draws follow from the seed.
struct DatagramSpec {
  std::int64_t loss_ppb = 0;              // this fraction is lost
  std::int64_t reorder_ppb = 0;           // this fraction is delayed ...
  Duration reorder_by = microseconds(5);  // ... by up to this, uniformly, and may be overtaken

  bool operator==(const DatagramSpec&) const = default;
};

}  // namespace latchlab
