#pragma once
// Long payloads: WRITEs on their way there, READs on their way back. They share the network with
// each other, by shared ports or as SimGrid's flows, and do not delay short ones, whose packets go
// in between. On one QP everything stays in order: what is posted after a long WRITE leaves after
// it, and what is answered after a long READ returns after it.

#include "backends/simgrid/nodes.h"
#include "backends/simgrid/shared_port.h"
#include "backends/simgrid/sim_actor.h"
#include "backends/simgrid/timeline.h"
#include "core/scenario/topology.h"

namespace latchlab::sim {

class Network;
class Requester;
class Resending;
class Responder;

// The parts that it asks.
struct BulkNeeds {
  Timeline& timeline_;
  const Nodes& nodes_;
  OperationPool& operations_;
  Platform& platform_;
  Network& network_;
  Requester& requester_;
  Responder& responder_;
  Resending& resending_;
};

class Bulk : BulkNeeds {
 public:
  Bulk(const BulkNeeds& needs, const BulkSpec& spec)
      : BulkNeeds(needs), spec_(spec), ports_(nodes_) {}

  // Whether the operation's payload is such a one.
  bool carries(const SimOperation& op) const {
    return op.kind == OpKind::verb && op.verb.bytes > spec_.above_bytes &&
           !is_atomic(op.verb.kind) && !nodes_.loops_back(op.from, op.verb.addr.node);
  }
  // A WRITE leaves; the responder will expect it in its time.
  void send(SimOperation& op, Time date);
  // Whether the answer, which could leave at `date`, is long itself or waits behind one that is. It
  // is taken care of then.
  bool answers(SimOperation& op, Time date) {
    return (op.qp->bulk.answering_ || op.verb.bytes > spec_.above_bytes) && takes_answer(op, date);
  }
  // Paths have been cut, or nodes died: what is under way there stops.
  void stop_cut();

  // ---- events ----
  void begin_or_stop(SimOperation& op);
  void port_done(SharedPort& port);
  void done(SimOperation& op);
  // SimGrid tells that a flow has ended.
  void flow_done(SimOperation& op, Time date);

 private:
  struct PortPair {
    SharedPort egress, ingress;
  };

  NodeId source(const SimOperation& op) const;
  NodeId target(const SimOperation& op) const;
  bool is_stopped(const SimOperation& op) const;
  bool takes_answer(SimOperation& op, Time date);
  void wait_until(SimOperation& op, Time date);
  void push_event(SimOperation& op, Time date);
  void watch(SharedPort& port);
  void release_answers(Qp& qp);
  void take_off(SimOperation& op);
  void give_up(SimOperation& op);

  const BulkSpec& spec_;
  PerNic<PortPair> ports_;
};

}  // namespace latchlab::sim
