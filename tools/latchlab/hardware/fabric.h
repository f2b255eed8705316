#pragma once
// `latchlab doctor --fabric`: what the nodes of a cluster tell of themselves and of the ways
// between them (backends/ibverbs/fabric_probe.h), and what of it is wrong.
//
//   every node: its facts -> cards to all -> connect -> { all together: try the way to the r-th
//   node after mine } for r = 1 to N-1 -> its report
//
// So each node is asked by one other at a time, and asks one.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/fabric_probe.h"
#include "backends/ibverbs/native_atomics.h"
#include "core/launch/member.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/health.h"

namespace latchlab::tool {

// What nodes are asked to do, in place of a run.
struct FabricJob {
  ib::PathOptions path;
  ib::ProbeOptions probe;
};
std::string write_fabric_job(const FabricJob& job);
// nullopt: the job is another one.
std::optional<FabricJob> read_fabric_job(const std::string& text);

// A node's part; what it finishes with, as read_fabric_node() takes it.
std::string be_probed(launch::Member& member, const HardwareArguments& hardware,
                      const FabricJob& job);
// The first node broadcasts this when a round of ways begins.
std::string round_text(std::uint32_t round);
std::optional<std::uint32_t> round_in(const std::string& text);

struct FabricNode {
  std::uint32_t node = 0;  // from 1
  std::string host;
  std::string trouble;  // why it has no port to try; the rest is what is known all the same
  std::string device, firmware, board, kernel, library;
  std::string software;    // what the device is if no hardware
  std::string link_layer;  // "InfiniBand", "RoCE v2"
  std::string gid;
  std::uint32_t gid_index = 0;
  std::uint32_t port = 1;
  std::uint32_t mtu_bytes = 0;  // of the path, as the port is now
  std::uint16_t pkey = 0;       // the one in use
  std::vector<std::uint16_t> pkeys;
  NativeAtomics atomics;
  std::int64_t memlock_bytes = -1;  // -1: no limit, or none that holds for this process
  std::string clock, governor;      // empty: the kernel does not say
  std::map<std::string, std::uint64_t> counters;  // what loss_counters() grew by
  std::vector<ib::WayReport> ways;                // by node; the own place is empty
};
// As JSON. What is not there, or of another kind, stays as it is in an empty one.
std::string json_of(const FabricNode& node);
FabricNode read_fabric_node(const std::string& text);

// What all nodes have in common.
NativeAtomics atomics_of(const std::vector<FabricNode>& nodes);
// `by_agents`: the locks that need agents with those.
Lines judge_fabric(const std::vector<FabricNode>& nodes, const std::string& by_agents);
// The ways that are not fine, those alike in one line.
Lines judge_ways(const std::vector<FabricNode>& nodes);
// "node 2", "nodes 1-3,5".
std::string text_of_nodes(const std::vector<int>& nodes);

}  // namespace latchlab::tool
