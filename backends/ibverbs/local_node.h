#pragma once
// What the threads of a process share: the state of each node that the process hosts, and the
// directory of all nodes of the run.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/ibverbs/connection_cache.h"
#include "backends/ibverbs/mailbox.h"
#include "backends/ibverbs/memory.h"
#include "backends/ibverbs/memory_server.h"
#include "backends/ibverbs/native_atomics.h"
#include "backends/ibverbs/node_descriptor.h"
#include "backends/ibverbs/wire.h"

namespace latchlab::ib {

class ActorHost;

// Calls to a node's server part that are not answered yet, from all of its threads. Accessed only
// in the turn of the server part (IbActor::turn).
struct PendingCalls {
  struct Held {
    ThreadId asker;
    std::uint64_t ticket = 0;
  };
  std::mutex turn;
  std::map<std::uint64_t, Held> held;
  std::uint64_t next = 1;
};

// State of a node that all threads of its process share.
struct LocalNode {
  NodeId id;
  std::unique_ptr<NodeParts> parts;  // may be kept for the next run; owns the next two members
  const Device* device = nullptr;
  AhCache* paths = nullptr;  // address handles of the peers' DC targets
  NativeAtomics atomics;
  std::unique_ptr<Memory> memory;
  std::unique_ptr<Mailbox> mailbox;
  std::unique_ptr<MemoryServer> memory_server;
  std::vector<std::unique_ptr<ActorHost>> hosts;  // by worker
  std::mutex state;                               // held while an on_node visit runs
  PendingCalls calls;
  std::uint64_t descriptor_bytes = 0;
  bool dead = false;
  bool quiet = false;  // after the run: none of its verbs is outstanding
};

// What all threads of a process know of the run.
struct Directory {
  std::vector<NodeDescriptor> nodes;  // by NodeId - 1
  bool software_atomics = false;      // proxies execute all verbs on memory
  std::uint32_t atomics = 0;          // that RNICs execute: NativeAtomics::kinds
  bool dc = false;                    // verbs use the DC transport
  std::uint32_t most_dcis = 0;        // DC initiators of a thread, at most
  std::uint32_t server_threads = 1;   // threads of a server that take calls
  Duration synchronisation_error;
  const NodeDescriptor& of(NodeId node) const { return nodes[node.value - 1]; }
  bool exists(NodeId node) const { return node.value >= 1 && node.value <= nodes.size(); }
  // The thread of a server that takes the caller's `number`-th call.
  ThreadId call_thread_of(NodeId node, std::uint64_t number) const {
    const std::uint32_t takers = std::min(server_threads, of(node).threads - 1);
    return {node, static_cast<std::uint8_t>(number % takers)};
  }
  // The last of a node's threads.
  ThreadId memory_server_of(NodeId node) const {
    return {node, static_cast<std::uint8_t>(of(node).threads - 1)};
  }
};

}  // namespace latchlab::ib
