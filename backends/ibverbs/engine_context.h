#pragma once
// What the engines of one thread on one node share (actor_host.h): the thread and node that they
// run on, the slots of operations, the requests to other threads, and how an operation ends.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "backends/ibverbs/actor.h"
#include "backends/ibverbs/frame_exchange.h"
#include "backends/ibverbs/local_node.h"
#include "backends/ibverbs/pools.h"
#include "backends/ibverbs/worker.h"

namespace latchlab::ib {

// A request that another thread will answer.
struct ThreadRequest {
  FrameKind kind = FrameKind::message;
  ThreadId to;
  IbOperation* op = nullptr;         // or
  Connection* connection = nullptr;  // the one of the two that made the request
  Time since;
  std::uint64_t ticket = 0;
};

// The requests of one thread that are not answered yet.
class ThreadRequests {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // No answer will come.
    virtual void request_failed(const ThreadRequest& request) = 0;
  };

  explicit ThreadRequests(Owner& owner) : owner_(owner) {}

  // Returns the new request's ticket.
  std::uint64_t add(ThreadRequest request);
  // Ends the request. nullopt: it has ended before.
  std::optional<ThreadRequest> take(std::uint64_t ticket);
  bool empty() const { return pending_.empty(); }
  // Fails the requests to a thread that is not reachable from here.
  void peer_is_gone(ThreadId peer);
  // Fails the requests to a node that is lost.
  void node_is_gone(NodeId node);
  // Fails requests other than calls that have had no answer for far longer than a live memory
  // server takes. Returns the threads that have not answered a call for that long.
  std::set<ThreadId> expire(Time now);

 private:
  template <class Pred>
  void fail_if(const Pred& lost);

  Owner& owner_;
  std::map<std::uint64_t, ThreadRequest> pending_;
  std::uint64_t next_ = 1;
};

struct EngineContext {
  Worker& worker;
  LocalNode& node;
  const Directory& directory;
  FrameExchange& frames;
  const std::vector<std::unique_ptr<IbActor>>& actors;  // of the host
  OperationPool operations;
  ThreadRequests requests;

  std::uint64_t add_request(FrameKind kind, ThreadId to, IbOperation* op, Connection* connection) {
    return requests.add({kind, to, op, connection, worker.now()});
  }
  // Sends a request that `op` or `connection` makes.
  template <class Body>
  void ask(FrameKind kind, ThreadId to, IbOperation* op, Connection* connection, const Body& body) {
    frames.send(to, kind, add_request(kind, to, op, connection), body);
  }
  // A verb, message or call begins.
  void begin(IbActor& actor, const IbOperation& op);
  // A verb or call, which begin() has counted, is over.
  void end(IbOperation& op, VerbStatus status);
  // The parts of end(), of which a message needs some.
  void count_end(VerbStatus status);
  void count_effect(const IbOperation& op);
  // Resumes the coroutine that awaits the operation's whole batch, or frees the slot.
  void finish(IbOperation& op, VerbStatus status);
  void recycle_batch(IbOperation& first);
};

}  // namespace latchlab::ib
