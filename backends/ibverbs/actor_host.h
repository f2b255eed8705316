#pragma once
// What one worker thread does on one node: runs the actors there. It hands their operations to its
// engines, and to the engines what other threads send: verbs (verb_engine.h), messages and calls
// (message_engine.h), and operations on the own node (local_engine.h).

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/ibverbs/engine_context.h"
#include "backends/ibverbs/local_engine.h"
#include "backends/ibverbs/message_engine.h"
#include "backends/ibverbs/verb_engine.h"

namespace latchlab::ib {

class ActorHost final : public FrameExchange::Owner, public ThreadRequests::Owner {
 public:
  ActorHost(Worker& worker, LocalNode& node, const Directory& directory,
            std::unique_ptr<FrameExchange> frames, ThreadQueues& queues, std::uint32_t clients);

  Worker& worker() { return context_.worker; }
  FrameExchange& frames() { return *frames_; }
  EngineContext& context() { return context_; }
  VerbEngine& verbs() { return verbs_; }
  MessageEngine& messages() { return messages_; }
  LocalEngine& local() { return local_; }

  IbActor& add_actor(ActorKey key, ActorKind kind, ClientId client, const Rng& rng);
  // Adds the server part of `first` for calls that arrive at this thread.
  void add_server(ActorKey key, IbActor& first);
  void start(IbActor& actor, IbOperation& first);

  bool poll();
  // Whether an answer is pending that may wake an actor.
  bool busy() const { return !context_.requests.empty(); }
  // Before its thread sleeps, as for CompletionQueue.
  void arm();
  // Whether an actor waits for a word in memory, which changes without an event.
  bool awaits_words() const { return local_.awaits_words(); }
  // Called about once per second: fails requests without an answer, probes threads that have not
  // answered a call, and checks the device for errors.
  void sweep(Time now);

  // Connects all clients to the node.
  void connect_clients(NodeId to);
  void kill(IbActor& actor, CrashKind kind);
  void kill_all();
  // Tells the worker threads of other nodes that the client is dead.
  void tell_others(ClientId gone);
  // The node is lost: fails everything that waits for it.
  void node_is_gone(NodeId node);

  void frame_came(const FrameHead& head, std::span<const std::byte> body) override;
  void peer_is_gone(ThreadId peer) override { context_.requests.peer_is_gone(peer); }
  void request_failed(const ThreadRequest& request) override;

 private:
  void answered(const ThreadRequest& request, FrameKind kind, FrameReader& reader);

  std::unique_ptr<FrameExchange> frames_;
  EngineContext context_;
  VerbEngine verbs_;
  MessageEngine messages_;
  LocalEngine local_;
  // Destroyed first: its coroutines give back their slots.
  std::vector<std::unique_ptr<IbActor>> actors_;
};

}  // namespace latchlab::ib
