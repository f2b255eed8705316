#pragma once
// Long payloads: WRITE requests and READ replies of more than BulkSpec::above_bytes. They share the
// bandwidth with each other (by shared ports or as SimGrid's flows) and do not delay short
// payloads, whose packets pass between theirs. A QP keeps its order: what is posted after a long
// WRITE leaves after it, and what is answered after a long READ returns after it.

#include "backends/simgrid/nodes.h"
#include "backends/simgrid/shared_port.h"
#include "backends/simgrid/sim_actor.h"
#include "backends/simgrid/event_queue.h"
#include "core/scenario/topology.h"

namespace latchlab::sim {

class Network;
class Requester;
class Resending;
class Responder;

// The parts that it uses.
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

  // Whether the operation has a long payload.
  bool carries(const SimOperation& op) const {
    return op.kind == OpKind::verb && op.verb.bytes > spec_.above_bytes &&
           !is_atomic(op.verb.kind) && !nodes_.loops_back(op.from, op.verb.addr.node);
  }
  // Sends a long WRITE. When the payload has left, the responder is told when it arrives.
  void send(SimOperation& op, Time date);
  // True if the answer, which could leave at `date`, is long itself or waits behind a long one:
  // then this part sends it.
  bool answers(SimOperation& op, Time date) {
    return (op.qp->bulk.answering_ || op.verb.bytes > spec_.above_bytes) && takes_answer(op, date);
  }
  // After a path was cut or a node died: stops the payloads that use it.
  void stop_cut();

  // ---- events ----
  void begin_or_stop(SimOperation& op);
  void port_done(SharedPort& port);
  void done(SimOperation& op);
  // A flow of SimGrid has ended.
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
