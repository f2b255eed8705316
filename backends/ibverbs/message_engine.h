#pragma once
// Messages between endpoints and calls to a server part, for one thread on one node. An endpoint's
// engine counts its RECVs: it accepts a message or answers that there is no RECV, so that
// receiver-not-ready concerns one endpoint although all messages of a thread arrive on the same
// QPs.

#include <cstdint>
#include <deque>

#include "backends/ibverbs/engine_context.h"

namespace latchlab::ib {

class MessageEngine {
 public:
  struct Endpoint {
    IbActor* owner = nullptr;
    std::uint32_t free_recvs = 0;
    Transport transport = Transport::dc;
    bool gone = false;
    std::deque<Message> queue;
  };

  explicit MessageEngine(EngineContext& context) : context_(context) {}

  EndpointAddr open(IbActor& actor, std::uint32_t recv_depth, Transport transport);
  Endpoint* endpoint_at(EndpointAddr own);  // null: there is none
  // The actor's process is dead: messages to its endpoints fail.
  void close_endpoints(const IbActor& actor);
  void count_unreceived(Unreceived& found) const;

  void send(IbActor& actor, IbOperation& first);
  // The message is over: answered, or without an answer.
  void sent(IbOperation& op, VerbStatus status);
  void message_answered(IbOperation& op, const AnswerBody& answer);
  // Returns the actor that has one more message now; null: none has.
  IbActor* message_came(const FrameHead& head, const MessageBody& body);

  // The server part that takes the calls that arrive at this thread; null: there is none.
  void set_server(IbActor& server) { server_ = &server; }
  IbActor* server() { return server_; }
  void call(IbActor& actor, IbOperation& op);
  void call_came(const FrameHead& head, const CallBody& body);
  void call_answered(IbOperation& op, const Reply& reply);
  static Reply failed_call();  // the reply to a call that gets none
  void reply(const PendingCall& pending, const Reply& reply);

  // The thread polls its CQs now; for the times at which messages arrived.
  void poll_begins();

 private:
  IbOperation* next_send(IbOperation& op);
  void transmit(IbOperation& op);

  EngineContext& context_;
  std::deque<Endpoint> endpoints_;
  IbActor* server_ = nullptr;
  std::uint64_t calls_made_ = 0;
  Time last_poll_;
  Time this_poll_;
};

}  // namespace latchlab::ib
