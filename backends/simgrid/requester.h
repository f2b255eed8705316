#pragma once
// The requester's side of one-sided verbs: QPs, the order in which verbs leave, and their
// completion.
//
//   requester                                   responder
//   post -> (place among the QP's 16 READs and
//   atomics, fence) -> outbound port -> wire -> (order of the QP) -> inbound pipeline, one verb at
//                                               a time -> READ, WRITE: effect
//                                               atomic: window of W, FIFO -> slot by address bits
//                                               3..11, FIFO -> reads, holds, writes: effect
//                                               (pipeline -> PCIe, if the NIC's file limits it)
//   completion  <-------------- wire <--------- reply
//
// Verbs of one QP stay in order. responder.h describes the right half, network.h what is between
// the two. docs/models.md lists all stations and what the model leaves out.

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "backends/simgrid/nodes.h"
#include "backends/simgrid/record.h"
#include "backends/simgrid/sim_operation.h"
#include "core/scenario/topology.h"

namespace latchlab::sim {

class Bulk;
class Cpus;
class Memory;
class Network;
class Resending;
class Responder;

// The parts that it uses.
struct RequesterNeeds {
  Timeline& timeline_;
  Record& record_;
  const Nodes& nodes_;
  Memory& memory_;
  Network& network_;
  Responder& responder_;
  Resending& resending_;
  Bulk& bulk_;
  Cpus& cpus_;
};

class Requester : RequesterNeeds {
 public:
  Requester(const RequesterNeeds& needs, QpOwner owner)
      : RequesterNeeds(needs), owner_(owner), node_qps_(nodes_) {}

  // Gives a new client the QPs of its core or node, if clients have none of their own.
  void share_qps(SimActor& client);
  // The CPU has posted the operation by `date`.
  void post(SimActor& actor, SimOperation& op, Time date);
  // Sends what the QP has held back, as far as it may leave now.
  void release(Qp& qp);
  // Sends lost requests again, ahead of requests that were held back since.
  void leave_again(Qp& qp, const std::vector<SimOperation*>& lost);

  // Event: the CPU sees the completion.
  void completed(SimOperation& op);

 private:
  Qp& qp_of(SimActor& actor, NodeId to);
  bool may_leave(const Qp& qp, const SimOperation& op) const;
  void leave(SimOperation& op, Time date);

  const QpOwner owner_;
  std::deque<Qp> qps_;
  PerNode<QpTable> node_qps_;                // with QpOwner::node
  std::map<const Core*, QpTable> core_qps_;  // with QpOwner::core
};

}  // namespace latchlab::sim
