#pragma once
// Calls: requests to a node's server part, which its CPU handles, and their deadlines. Who has
// given up waiting is told at the deadline; the call goes its way, and its slot is free again when
// the answer that nobody hears has come.

#include <cstdint>
#include <vector>

#include "backends/simgrid/nodes.h"
#include "backends/simgrid/record.h"
#include "backends/simgrid/sim_operation.h"

namespace latchlab::sim {

class Clocks;
class Cpus;
class Network;
class Resending;
class Responder;

// Fires at a call's deadline, if that call is still the one with this number.
struct CallTimer {
  SimOperation* op = nullptr;
  std::uint64_t call = 0;
};

// The parts that it asks.
struct CallsNeeds {
  Timeline& timeline_;
  Record& record_;
  const Nodes& nodes_;
  const Clocks& clocks_;
  Network& network_;
  Responder& responder_;
  Resending& resending_;
  OperationPool& operations_;
  Cpus& cpus_;
};

class Calls : CallsNeeds {
 public:
  explicit Calls(const CallsNeeds& needs) : CallsNeeds(needs), servers_(nodes_) {}

  // Who answers calls to the node of this actor.
  void serve(SimActor& server, CallHandler& handler);
  void post(SimOperation& op, Time date);
  void transmit(SimOperation& op, Time date);
  void reply(const PendingCall& pending, const Reply& reply);

  void arrived(SimOperation& op);  // through the responder's pipeline
  void handle(SimOperation& op);   // when a core has time for it

  // ---- events ----
  void completed(SimOperation& op);
  void deadline(CallTimer& timer);

  // ---- what others tell ----
  void clock_moved(NodeId node);
  void node_died(NodeId server);
  // Destroys what it was doing for its callers.
  void forget(const SimActor& server);

 private:
  struct Server {
    SimActor* actor = nullptr;  // null: nobody answers here
    CallHandler* handler = nullptr;
    std::vector<Task<void>> calls;  // under way
  };
  struct Handled {                 // by the lower half of its ticket
    SimOperation* op = nullptr;    // null: free
    std::uint32_t generation = 0;  // the ticket's upper half, never 0
  };
  std::uint64_t take_ticket(SimOperation& op);
  SimOperation& give_back(std::uint64_t ticket);
  void fail(SimOperation& op, VerbStatus status);
  void set_deadline(SimOperation& op);

  PerNode<Server> servers_;
  std::vector<Handled> handled_;     // no reply yet
  std::vector<std::uint32_t> free_;  // of these
  Slots<CallTimer> timers_;
  std::uint64_t deadlines_ = 0;  // so far
};

}  // namespace latchlab::sim
