#pragma once
// Calls: requests to a node's server part, which its CPU handles, and their deadlines. A caller
// whose deadline passes gets `timed_out`, while the call itself goes on: its slot is free again
// when the reply, which is dropped, has come back.

#include <cstdint>
#include <vector>

#include "backends/simgrid/cpus.h"
#include "backends/simgrid/network.h"
#include "backends/simgrid/station.h"

namespace latchlab::sim {

// Fires at a call's deadline. Has no effect if the slot belongs to a later call by then.
struct CallTimer {
  SimOperation* op = nullptr;
  std::uint64_t call = 0;
};

class Calls : Station {
 public:
  Calls(SimContext& context, Network& network, Cpus& cpus)
      : Station(context), network_(network), cpus_(cpus), servers_(nodes_) {}

  // `handler` answers the calls to this actor's node.
  void serve(SimActor& server, CallHandler& handler);
  void post(SimOperation& op, Time date);
  void reply(const PendingCall& pending, const Reply& reply);

  // ---- gates ----
  void transmit(SimOperation& op) { transmit_at(op, timeline_.now()); }
  void arrived(SimOperation& op);  // has left the responder's pipeline
  void handle(SimOperation& op);   // a core has time for it
  void completed(SimOperation& op);
  void deadline(CallTimer& timer);

  // ---- faults ----
  void clock_moved(NodeId node);
  void node_died(NodeId server);
  // Destroys the coroutines of calls that the server part handles.
  void forget(const SimActor& server);

 private:
  struct Server {
    SimActor* actor = nullptr;  // null: the node has no server part
    CallHandler* handler = nullptr;
    std::vector<Task<void>> calls;  // calls being handled
  };
  struct Handled {                 // indexed by the lower half of its ticket
    SimOperation* op = nullptr;    // null: free
    std::uint32_t generation = 0;  // the ticket's upper half, never 0
  };
  void transmit_at(SimOperation& op, Time date);
  std::uint64_t take_ticket(SimOperation& op);
  SimOperation& give_back(std::uint64_t ticket);
  void fail(SimOperation& op, VerbStatus status);
  void set_deadline(SimOperation& op);

  Network& network_;
  Cpus& cpus_;
  PerNode<Server> servers_;
  std::vector<Handled> handled_;     // calls that are handled and not answered yet
  std::vector<std::uint32_t> free_;  // free entries of handled_
  Slots<CallTimer> timers_;
  std::uint64_t deadlines_ = 0;  // counts the deadlines set so far
};

}  // namespace latchlab::sim
