#pragma once
// What a process keeps of a node from one run to the next, so that a run of many repeats makes it
// once: the opened device with its protection domain, the domains and CQs of the node's threads, DC
// initiators and address handles, and both ends of the clients' QPs. Memory, its keys, channel QPs
// and the DC target belong to one run (docs/decisions/0017).
//
// Why no verb of one run takes effect in the next, or completes there:
//  1. After a run each thread takes completions until all that it posted has come back. A verb that
//     has come back was executed or never will be. A node with outstanding verbs keeps nothing.
//  2. Only then do the nodes tell each other that they are done. Each confirms to each other node
//     the numbers of the ends there whose verbs are all back (`confirm_drained`). A node keeps the
//     confirmed ends, and destroys all others before the next run. If a node is lost, no node keeps
//     anything.
//  3. A QP that was in error, or of a client that crashed, is not confirmed and not kept; nor is,
//     at the other end, that of a client that was evicted. They are made anew.
//  4. In the next run a kept end is used only if both ends were kept: the request for a connection
//     names both, and is refused if the other end is not there or has another peer.
//  5. Memory is registered anew, so that a verb with an earlier key would be refused.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/device.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/wire.h"

namespace latchlab::ib {

// The owner of a QP, and the node of its other end; node 0: a memory server's end.
using EndName = std::pair<ActorKey, NodeId>;

// The queues of one thread of a node.
struct ThreadQueues {
  // The most outstanding requests on the QPs that use `cq`: an error brings a completion for each,
  // and the CQ has room for no more.
  static constexpr std::uint32_t kMostVerbs = 8000;

  std::unique_ptr<ThreadDomain> domain;  // for all QPs that the thread posts to
  CompletionQueue cq;
  std::unique_ptr<DciPool> dcis;      // of a worker
  std::map<EndName, QueuePair> ends;  // kept, and not used yet in this run
  // Makes CQ and domain if they do not exist. A memory server posts no verbs.
  Status make(const Device& device, bool posts_verbs);
  // Made at the first call.
  DciPool& initiators(const Device& device, const QpOptions& options, std::uint32_t most) {
    if (!dcis) dcis = std::make_unique<DciPool>(device, cq, options, most);
    return *dcis;
  }
};

// What is kept of one node.
struct NodeParts {
  std::string made_for;  // the configuration that they were made for, as text
  std::unique_ptr<Device> device;
  std::unique_ptr<AhCache> paths;
  std::vector<ThreadQueues> threads;  // the memory server's is the last; never resized
};

class ConnectionCache {
 public:
  // Null: nothing was kept of this node for the same configuration, or its device has changed.
  std::unique_ptr<NodeParts> take(NodeId node, const std::string& made_for) {
    auto kept = std::exchange(nodes_[node], nullptr);
    const bool fits = kept && kept->made_for == made_for && kept->device->is_as_opened();
    return fits ? std::move(kept) : nullptr;
  }
  void give(NodeId node, std::unique_ptr<NodeParts> parts) { nodes_[node] = std::move(parts); }
  // Empty: nothing was kept.
  std::string device_name(NodeId node) const {
    const auto found = nodes_.find(node);
    return found != nodes_.end() && found->second ? found->second->device->facts().name : "";
  }

 private:
  std::map<NodeId, std::unique_ptr<NodeParts>> nodes_;
};

}  // namespace latchlab::ib
