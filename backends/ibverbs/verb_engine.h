#pragma once
// READs, WRITEs and atomics of the actors of one thread on one node. Each actor has an RC QP to
// each node that it reaches, connected at first use and again after an error; with the DC
// transport it leases an initiator while verbs are posted (dc.h). With software atomics a proxy at
// the memory's node executes all verbs instead.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/ibverbs/engine_context.h"

namespace latchlab::ib {

// Sends verbs to a node's software-atomics proxy, its memory-server thread.
class ProxyClient {
 public:
  explicit ProxyClient(EngineContext& context) : context_(context) {}
  // Sends the verbs from `first` up to, but not including, `end`: in each frame as many as fit, and
  // as their results fit into its answer.
  void post(IbActor& actor, IbOperation& first, const IbOperation* end);
  void answered(FrameReader& reader);
  // One of the verb's pieces gets no answer.
  void failed(IbOperation& op);

 private:
  void put(FrameWriter& frame, IbOperation& op, std::uint32_t at, std::uint32_t bytes);

  EngineContext& context_;
};

class VerbEngine {
 public:
  // `queues`: of the thread.
  VerbEngine(EngineContext& context, ThreadQueues& queues);

  void post(IbActor& actor, IbOperation& first);
  // Handles completions; false: there was none.
  bool poll();
  // As CompletionQueue::arm().
  void arm() { queues_.cq.arm(); }
  ProxyClient& proxy() { return proxy_; }

  // Connects the actor to a node before its first verb.
  void connect(IbActor& actor, NodeId to);
  // Answers to requests of connections.
  void connected(Connection& connection, const ConnectAnswerBody& answer);
  void located(Connection& connection, std::uint64_t ticket, const RegionAnswerBody& answer);
  // Learns of a region outside the node's table.
  void add_region(NodeId node, const RegionAnswerBody& region);
  // The actor's process is dead: its outstanding verbs come back; those that have not been answered
  // are flushed.
  void break_off(IbActor& actor);

  // After the run: takes completions of outstanding verbs without resuming coroutines. False: some
  // verbs are still outstanding.
  bool drain();
  // After drain(): leaves the QPs that are in order to the next run. Appends to `confirmed` the
  // numbers of their ends at each node, four bytes each.
  void give_back(std::map<NodeId, std::string>& confirmed);

 private:
  // posting and completing (verb_engine.cc)
  bool valid(const IbActor& actor, const Verb& verb) const;
  void pump(Connection& connection);
  void post_ready(Connection& connection);
  std::optional<WorkRequest> request_for(IbOperation& op);
  std::optional<Region> region_of(RemoteAddr addr) const;
  void ask_for_region(Connection& connection, const IbOperation& op);
  void completed(const Done& done);
  void retire(Connection& connection, VerbStatus status);
  // Ends the waiting verbs of a batch, the first of them with `status`.
  void end_batch(Connection& connection, const Operation* batch, VerbStatus status);
  void fail_waiting(Connection& connection, VerbStatus status);

  // connections (verb_connections.cc)
  QpOptions queue_options() const;
  Connection& connection(IbActor& actor, NodeId to);
  QueuePair queue_pair_for(const Connection& connection);
  void ask_for_qp(Connection& connection);
  void reset_when_drained(Connection& connection);
  bool aim(Connection& connection);
  void take_dci(Connection& connection);
  void give_back_dci(Connection& connection);
  void settle(Connection& connection);
  void forget(const Done& done);

  EngineContext& context_;
  ThreadQueues& queues_;
  DciPool& dcis_;
  ProxyClient proxy_;
  std::map<NodeId, Regions> regions_;  // outside the nodes' tables
  std::vector<WorkRequest> requests_;  // being built
  std::uint32_t outstanding_ = 0;      // requests on all QPs
  std::deque<Connection*> stalled_;
  std::deque<Connection*> in_line_;  // connections that wait for a DCI
};

}  // namespace latchlab::ib
