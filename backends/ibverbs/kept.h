#pragma once
// What a process keeps of a node from one world to the next, so that a run of many repeats makes it
// once: the opened device with its protection domain, the domains and CQs of the node's threads, DC
// initiators and address handles, and the clients' QPs, at both ends. Memory, its keys, lanes and
// the DC target are every world's own (docs/decisions/0017).
//
// That no verb of one world lands in the next, or completes there:
//  1. After a run each thread takes completions until all that it has posted has come back. A verb
//     that has come back has been executed or never will be. A node on which something stays under
//     way keeps nothing.
//  2. Only then do the nodes tell each other that they are done, and each says to each the numbers
//     of those ends there whose verbs are all back (it *vouches* for them). A node keeps of its
//     ends those, and destroys all others before it has a new world. If one node is lost, nobody
//     keeps anything.
//  3. Not kept, and so not vouched for, is a QP that was in error, or of a client that crashed; nor
//     is, at the other end, that of a client that was evicted. They are made anew.
//  4. In the next world an end that was kept is used when both say that they have kept it: who asks
//     for a connection names both ends, and is told if the other is not there, or has another peer.
//  5. Memory is registered anew, so that a verb with a key of before would be refused.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/ibverbs/dc.h"
#include "backends/ibverbs/device.h"
#include "backends/ibverbs/queues.h"
#include "backends/ibverbs/thread_domain.h"
#include "backends/ibverbs/wire.h"

namespace latchlab::ib {

// Whose QP it is, and the node of its other end; 0: a memory server's end of it.
using EndName = std::pair<ActorKey, NodeId>;

// Of one thread of a node.
struct ThreadQueues {
  std::unique_ptr<ThreadDomain> domain;  // of all QPs that the thread posts to
  CompletionQueue cq;
  std::unique_ptr<DciPool> dcis;      // of a worker
  std::map<EndName, QueuePair> ends;  // kept, and not asked for yet in this world
  // Made at the first call.
  DciPool& initiators(const Device& device, const QpOptions& options, std::uint32_t most) {
    if (!dcis) dcis = std::make_unique<DciPool>(device, cq, options, most);
    return *dcis;
  }
};

// Of one node.
struct NodeParts {
  std::string made_for;  // what they were made for, in words
  std::unique_ptr<Device> device;
  std::unique_ptr<AhCache> paths;
  std::vector<ThreadQueues> threads;  // the memory server's is the last; stays where it is
};

class Kept {
 public:
  // Null: nothing is kept of this node that was made for the same, or its device has changed.
  std::unique_ptr<NodeParts> take(NodeId node, const std::string& made_for) {
    auto kept = std::exchange(nodes_[node], nullptr);
    const bool fits = kept && kept->made_for == made_for && kept->device->is_as_opened();
    return fits ? std::move(kept) : nullptr;
  }
  void give(NodeId node, std::unique_ptr<NodeParts> parts) { nodes_[node] = std::move(parts); }
  // Empty: of none.
  std::string device_name(NodeId node) const {
    const auto found = nodes_.find(node);
    return found != nodes_.end() && found->second ? found->second->device->facts().name : "";
  }

 private:
  std::map<NodeId, std::unique_ptr<NodeParts>> nodes_;
};

}  // namespace latchlab::ib
