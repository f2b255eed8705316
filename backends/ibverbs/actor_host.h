#pragma once
// What one worker thread does on one node: executes the operations of the actors there. Its parts
// have files of their own: verbs (on RC QPs of each actor, or by a node's software-atomics proxy,
// the agent), messages and calls (frames between threads), waits, and operations on the own node.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/ibverbs/actor.h"
#include "backends/ibverbs/connection_cache.h"
#include "backends/ibverbs/frame_exchange.h"
#include "backends/ibverbs/mailbox.h"
#include "backends/ibverbs/memory.h"
#include "backends/ibverbs/memory_server.h"
#include "backends/ibverbs/native_atomics.h"
#include "backends/ibverbs/node_descriptor.h"
#include "backends/ibverbs/pools.h"
#include "backends/ibverbs/worker.h"

namespace latchlab::ib {

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

// What all hosts of a process know of the run.
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
  // The last of a node's threads, which runs its memory server.
  ThreadId memory_server_of(NodeId node) const {
    return {node, static_cast<std::uint8_t>(of(node).threads - 1)};
  }
};

class ActorHost final : public FrameExchange::Owner {
 public:
  ActorHost(Worker& worker, LocalNode& node, Directory& directory,
            std::unique_ptr<FrameExchange> frames, ThreadQueues& queues);

  Worker& worker() { return worker_; }
  LocalNode& node() { return node_; }
  FrameExchange& frames() { return *frames_; }
  IbActor& add_actor(ActorKey key, ActorKind kind, ClientId client, const Rng& rng);
  // Adds the server part of `first` for calls that arrive at this thread.
  void add_server(ActorKey key, IbActor& first);
  void serve_calls(CallHandler& handler) { server_->handler = &handler; }
  bool has_server() const { return server_ != nullptr; }
  bool poll();
  // Whether an answer is pending that may wake an actor.
  bool busy() const { return !asks_.empty(); }

  // ---- for actors ----
  EndpointAddr open_endpoint(IbActor& actor, std::uint32_t recv_depth, Transport transport);
  void start(IbActor& actor, IbOperation& first);
  IbOperation& take_operation() { return operations_.take(); }
  void recycle(IbOperation& op) { operations_.give(op); }
  void recycle_batch(IbOperation& first);
  IbWait& take_wait() { return waits_.take(); }
  void recycle_wait(IbWait& wait) { waits_.give(wait); }
  void start_wait(IbActor& actor, IbWait& wait);
  void reply(const PendingCall& pending, const Reply& reply);
  Membership membership() const { return {membership_version_, &alive_}; }

  // ---- for the worker and the backend ----
  void connect_clients(NodeId to);
  void deadline_came(IbActor& actor, IbWait& wait);
  void kill(IbActor& actor, CrashKind kind);
  void kill_all();
  void membership_changed(const std::vector<ClientId>& gone);
  // Tells the worker threads of other nodes that the client is dead.
  void tell_others(ClientId gone);
  void set_clients(std::uint32_t clients) { alive_.assign(clients, true); }
  // The node is lost: fails everything that waits for it.
  void node_is_gone(NodeId node);
  // Called about once per second: fails requests other than calls that have had no answer for 10 s,
  // probes the threads that have not answered a call for that long, and checks the device for
  // errors.
  void sweep(Time now);
  // After the run: takes completions of outstanding verbs without resuming coroutines. False: some
  // verbs are still outstanding.
  bool drain();
  // After drain(): leaves the QPs that are in order to the next run. Appends to `confirmed` the
  // numbers of their ends at each node, four bytes each.
  void give_back(std::map<NodeId, std::string>& confirmed);

  void frame_came(const FrameHead& head, std::span<const std::byte> body) override;
  void peer_is_gone(ThreadId peer) override;
  void verb_done(const Done& done) override;

 private:
  struct Endpoint {
    IbActor* owner = nullptr;
    std::uint32_t free_recvs = 0;
    Transport transport = Transport::dc;
    bool gone = false;
    std::deque<Message> queue;
  };
  // A request that another thread will answer.
  struct Ask {
    FrameKind kind = FrameKind::message;
    ThreadId of;
    IbOperation* op = nullptr;         // or
    Connection* connection = nullptr;  // the one of the two that made the request
    Time since;
    std::uint64_t ticket = 0;
  };

  // verbs (actor_host_verbs.cc)
  void post_verbs(IbActor& actor, IbOperation& first);
  bool valid(const IbActor& actor, const Verb& verb) const;
  QpOptions queue_options() const;
  Connection& connection(IbActor& actor, NodeId to);
  void pump(Connection& connection);
  void ask_for_qp(Connection& connection);
  void connected(Connection& connection, const ConnectAnswerBody& answer);
  void post_ready(Connection& connection);
  std::optional<WorkRequest> request_for(IbOperation& op);
  std::optional<Region> region_of(RemoteAddr addr) const;
  Endpoint* endpoint_at(EndpointAddr own);  // null: there is none
  void ask_for_region(Connection& connection, const IbOperation& op);
  void located(Connection& connection, std::uint64_t ticket, const RegionAnswerBody& answer);
  void retire(Connection& connection, VerbStatus status);
  static void show_words(IbOperation& op);
  void fail_waiting(Connection& connection, VerbStatus status);
  void reset_when_drained(Connection& connection);
  void verb_over(IbOperation& op, VerbStatus status);
  // DC initiators (actor_host_dc.cc)
  bool aim(Connection& connection);
  void take_dci(Connection& connection);
  void give_back_dci(Connection& connection);
  void settle(Connection& connection);
  void recover_dci(Connection& connection);
  void break_off(Connection& connection);
  // from one run to the next (actor_host_kept.cc)
  QueuePair queue_pair_for(const Connection& connection);
  void forget(const Done& done);
  // agents (actor_host_agents.cc)
  void ask_proxy(IbActor& actor, IbOperation& first, IbOperation* end);
  void put_proxy_verb(FrameWriter& frame, IbOperation& op, std::uint32_t at, std::uint32_t bytes);
  void proxy_answered(FrameReader& reader);
  // messages and calls (actor_host_messages.cc)
  void post_sends(IbActor& actor, IbOperation& first);
  IbOperation* next_send(IbOperation& op);
  void transmit(IbOperation& op);
  void answered(IbOperation& op, const AnswerBody& answer);
  void message_came(const FrameHead& head, const MessageBody& body);
  void post_call(IbActor& actor, IbOperation& op);
  void call_came(const FrameHead& head, const CallBody& body);
  void check_messages(IbActor& actor);
  // waits (actor_host_waits.cc)
  bool try_satisfy(IbActor& actor, IbWait& wait);
  void satisfied(IbActor& actor, IbWait& wait);
  bool check_words();
  // operations on the own node (actor_host_local.cc)
  void post_local(IbActor& actor, IbOperation& op);
  void compute(IbActor& actor, Duration length);
  void access_memory(IbOperation& op);
  void load_words(IbOperation& op);
  void post_evict(IbOperation& op);
  void post_allocate(IbOperation& op);
  // shared (actor_host.cc)
  std::uint64_t ask(FrameKind kind, ThreadId of, IbOperation* op, Connection* connection);
  std::optional<Ask> answered(std::uint64_t ticket);
  void fail(const Ask& ask);
  void finish(IbOperation& op, VerbStatus status);
  void count_effect(const IbOperation& op);
  template <class Pred>
  void fail_asks(const Pred& lost);

  Worker& worker_;
  LocalNode& node_;
  Directory& directory_;
  std::unique_ptr<FrameExchange> frames_;
  ThreadQueues& queues_;
  DciPool& dcis_;
  OperationPool operations_;
  WaitPool waits_;
  std::vector<std::unique_ptr<IbActor>> actors_;
  std::deque<Endpoint> endpoints_;
  IbActor* server_ = nullptr;
  std::map<std::uint64_t, Ask> asks_;
  std::uint64_t next_ask_ = 1;
  std::uint64_t calls_made_ = 0;
  std::map<NodeId, Regions> regions_;  // outside the nodes' tables
  std::set<NodeId> gone_;
  std::vector<bool> alive_;  // by client
  std::uint64_t membership_version_ = 0;
  std::uint32_t word_waits_ = 0;       // armed waits for words
  std::vector<WorkRequest> requests_;  // being built
  std::uint32_t outstanding_ = 0;      // requests on all QPs
  std::deque<Connection*> stalled_;
  std::deque<Connection*> in_line_;  // connections that wait for a DCI
  Time last_poll_;
  Time this_poll_;
};

}  // namespace latchlab::ib
