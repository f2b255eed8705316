#pragma once
// One process of a run: its nodes, the threads that serve them, and what it knows of the run.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/ibverbs/actor_host.h"
#include "backends/ibverbs/cores.h"
#include "backends/ibverbs/ibverbs_backend.h"
#include "backends/ibverbs/local_node.h"
#include "backends/ibverbs/worker.h"

namespace latchlab::ib {

struct Process {
  // Makes the workers, but no nodes.
  Process(const WorldPlan& world_plan, const IbverbsOptions& all_options);

  WorldPlan plan;
  IbverbsOptions options;
  Directory directory;
  CoreAssignment cores;
  std::atomic<std::uint32_t> live_clients = 0;
  std::atomic<bool> stop = false;
  std::vector<std::unique_ptr<Worker>> workers;
  std::map<NodeId, std::unique_ptr<LocalNode>> nodes;
  std::map<ClientId, IbActor*> clients;  // of these nodes

  // The number of a node's threads without that of its memory server.
  std::uint32_t threads_of(NodeId node) const;
  // As Directory::memory_server_of(), before the descriptors are known.
  ThreadId memory_server_of(NodeId node) const {
    return {node, static_cast<std::uint8_t>(threads_of(node))};
  }
  LocalNode* find(NodeId node);
  // Sends the same text to every node of the run.
  Result<std::vector<std::string>> tell_all(const std::string& text) const;
};

// node_setup.cc: makes a node of this process, with its device, memory and threads, which are not
// connected yet.
Status make_node(Process& process, NodeId id);

// connection_cache.cc: ends the run, and leaves to the next what can be kept. `is_up`: set-up was
// complete; `began_together`: so did the other processes, and all end the run together.
void end_run(Process& process, bool is_up, bool began_together);

}  // namespace latchlab::ib
