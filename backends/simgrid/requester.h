#pragma once
// The requester's side of one-sided verbs: QPs, the order in which verbs leave, and their
// completion.
//
//   post -> (place among the QP's READs and atomics, fence) -> transfer.h
//   completion <- transfer.h
//
// Verbs of one QP stay in order. responder.h describes the other side. docs/models.md lists all
// stations and what the model leaves out.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "backends/simgrid/memory.h"
#include "backends/simgrid/qp.h"
#include "backends/simgrid/resending.h"
#include "backends/simgrid/station.h"
#include "backends/simgrid/transfer.h"
#include "core/base/lookup.h"
#include "core/scenario/topology.h"

namespace latchlab::sim {

class Requester : Station {
 public:
  Requester(SimContext& context, const WorldPlan& plan, Memory& memory, Transfer& transfer,
            Resending& resending, QpOwner owner)
      : Station(context),
        memory_(memory),
        transfer_(transfer),
        resending_(resending),
        owner_(owner),
        client_at_(plan.client_at),
        node_qps_(nodes_),
        paired_(nodes_) {}

  // Gives a new client the QPs of its core or node, if clients have none of their own.
  void share_qps(SimActor& client, const Core* core);
  // The CPU has posted the operation by `date`.
  void post(SimActor& actor, SimOperation& op, Time date);

  // ---- gates ----
  // Sends what the QP has held back, as far as it may leave now.
  void release(Qp& qp);
  // Sends again what the QP has lost, ahead of requests that were held back since.
  void resend(Qp& qp);
  void completed(SimOperation& op);  // the CPU sees the completion

 private:
  // A client's QPs to the clients of a node count from its first verb there: one to each client of
  // which any word has been used.
  struct PairedNode {
    std::vector<const SimActor*> users;
    std::vector<std::uint32_t> owners;
    Lookup<bool> known;  // the owners
  };

  Qp& qp_of(SimActor& actor, NodeId to);
  // Whether the actor has QPs to clients. Only their number is modelled: its verbs to one node take
  // one Qp.
  bool has_pairs(const SimActor& actor) const;
  // Counts the QPs to the client that has the word, if it is the first of its words that is used.
  void note_owner(RemoteAddr word);
  void connect(const SimActor& user, NodeId to, std::uint32_t owner);
  bool may_leave(const Qp& qp, const SimOperation& op) const;
  void leave(SimOperation& op, Time date);

  Memory& memory_;
  Transfer& transfer_;
  Resending& resending_;
  const QpOwner owner_;
  const std::function<std::optional<ClientId>(RemoteAddr)> client_at_;
  std::deque<Qp> qps_;
  PerNode<QpTable> node_qps_;                // with QpOwner::node
  std::map<const Core*, QpTable> core_qps_;  // with QpOwner::core
  PerNode<PairedNode> paired_;               // with QpOwner::pair and duplex
  Lookup<bool> pairs_;                       // connections of two clients that are in use
};

}  // namespace latchlab::sim
