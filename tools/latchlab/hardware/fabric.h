#pragma once
// `latchlab doctor --fabric`: collects facts about the nodes of a cluster and the paths between
// them (backends/ibverbs/fabric_probe.h), and reports problems. Every node:
//
//   1. sends its facts;
//   2. exchanges connection descriptors with all nodes and connects;
//   3. in each round r = 1 to N-1, which all nodes begin together, probes the path to the r-th node
//      after itself;
//   4. sends its report.
//
// In a round, each node probes one node and is probed by one node.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/fabric_probe.h"
#include "backends/ibverbs/native_atomics.h"
#include "core/launch/member.h"
#include "tools/latchlab/doctor.h"

namespace latchlab::tool {

// The job that the coordinator sends in place of a run.
struct FabricJob {
  ib::PathOptions path;
  ib::ProbeOptions probe;
};
std::string write_fabric_job(const FabricJob& job);
// nullopt: the text is not a fabric job.
std::optional<FabricJob> read_fabric_job(const std::string& text);

// A node's part. Returns its report, in the format of read_fabric_node().
std::string be_probed(launch::Member& member, const HardwareArguments& hardware,
                      const FabricJob& job);
// The first node broadcasts this text at the begin of each round.
std::string round_text(std::uint32_t round);
std::optional<std::uint32_t> round_in(const std::string& text);

struct FabricNode {
  std::uint32_t node = 0;  // from 1
  std::string host;
  std::string trouble;  // why it has no usable port; the other fields may still be set
  std::string device, firmware, board, kernel, library;
  std::string software;    // the software that implements the device; empty: real hardware
  std::string link_layer;  // "InfiniBand", "RoCE v2"
  std::string gid;
  std::uint32_t gid_index = 0;
  std::uint32_t port = 1;
  std::uint32_t mtu_bytes = 0;  // active path MTU of the port
  std::uint16_t pkey = 0;       // in use
  std::vector<std::uint16_t> pkeys;
  NativeAtomics atomics;
  std::int64_t memlock_bytes = -1;  // -1: no limit, or none that applies to this process
  std::string clock, governor;      // empty: the kernel does not report it
  std::map<std::string, std::uint64_t> counters;  // increase of loss_counters()
  std::vector<ib::WayReport> ways;                // by target node; unused for the node itself
};
// As JSON. A field that is missing or has the wrong type keeps its default value.
std::string json_of(const FabricNode& node);
FabricNode read_fabric_node(const std::string& text);

// The native atomics that all nodes have in common.
NativeAtomics atomics_of(const std::vector<FabricNode>& nodes);
// `by_software`: the locks that need software atomics given those atomics.
Lines judge_fabric(const std::vector<FabricNode>& nodes, const std::string& by_software);
// The paths with problems; one line covers several paths with the same problem.
Lines judge_ways(const std::vector<FabricNode>& nodes);
// "node 2", "nodes 1-3,5".
std::string text_of_nodes(const std::vector<int>& nodes);

}  // namespace latchlab::tool
