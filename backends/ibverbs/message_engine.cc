#include "backends/ibverbs/message_engine.h"

#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr std::uint32_t kTries = 7;                // as many as an RC QP's rnr_retry allows
constexpr Duration kRnrDelay = microseconds(640);  // as min_rnr_timer 12 of an RC QP

}  // namespace

EndpointAddr MessageEngine::open(IbActor& actor, std::uint32_t recv_depth, Transport transport) {
  LATCHLAB_CHECK(recv_depth > 0, "an endpoint needs at least one RECV");
  Endpoint& endpoint = endpoints_.emplace_back();
  endpoint.owner = &actor;
  endpoint.free_recvs = recv_depth;
  endpoint.transport = transport;
  LATCHLAB_CHECK(endpoints_.size() < (1U << kThreadShift),
                 "a thread has fewer than 2^16 endpoints");
  return endpoint_address(context_.frames.id(), static_cast<std::uint32_t>(endpoints_.size()));
}

void MessageEngine::count_unreceived(Unreceived& found) const {
  for (const Endpoint& each : endpoints_)
    if (each.owner->alive) found.count(each.queue.size(), each.free_recvs);
}

MessageEngine::Endpoint* MessageEngine::endpoint_at(EndpointAddr own) {
  const std::uint32_t place = own.number & ((1U << kThreadShift) - 1);
  return place >= 1 && place <= endpoints_.size() ? &endpoints_[place - 1] : nullptr;
}

void MessageEngine::close_endpoints(const IbActor& actor) {
  for (Endpoint& endpoint : endpoints_)
    if (endpoint.owner == &actor) endpoint.gone = true;
}

void MessageEngine::poll_begins() {
  // If the last poll left messages in the CQ, they may have arrived before it: last_poll_ does not
  // advance.
  if (context_.frames.drained()) last_poll_ = this_poll_;
  this_poll_ = context_.worker.turn_began();
}

// ---- SEND ----

// Messages from one sender to one endpoint are sent one after the other: otherwise, after the first
// was refused, the second could get the next RECV.
void MessageEngine::send(IbActor& actor, IbOperation& first) {
  for (Operation* at = &first; at != nullptr;) {
    auto& op = static_cast<IbOperation&>(*at);
    at = at->next;  // a detached one that cannot be sent frees its slot
    LATCHLAB_CHECK(context_.directory.exists(op.target.node),
                   "message to a node that does not exist");
    context_.begin(actor, op);
    const auto [last, alone] = actor.sending.try_emplace(op.target.packed(), &op);
    if (alone)
      transmit(op);
    else
      std::exchange(last->second, &op)->behind = &op;
  }
}

// The next message to the same endpoint, after this one. Null: there is none.
IbOperation* MessageEngine::next_send(IbOperation& op) {
  if (op.behind != nullptr) return std::exchange(op.behind, nullptr);
  static_cast<IbActor&>(*op.owner).sending.erase(op.target.packed());
  return nullptr;
}

void MessageEngine::transmit(IbOperation& op) {
  const ThreadId to{op.target.node, static_cast<std::uint8_t>(op.target.number >> kThreadShift)};
  if (to >= context_.directory.memory_server_of(op.target.node) || !context_.frames.reaches(to))
    return sent(op, VerbStatus::peer_failed);
  const MessageBody body{static_cast<IbActor&>(*op.owner).key, op.target, op.message};
  context_.ask(FrameKind::message, to, &op, nullptr, body);
}

void MessageEngine::sent(IbOperation& op, VerbStatus status) {
  context_.count_end(status);
  if (!op.detached) context_.count_effect(op);
  IbOperation* const behind = next_send(op);
  context_.finish(op, status);  // frees the slot of a detached operation
  if (behind != nullptr) transmit(*behind);
}

void MessageEngine::message_answered(IbOperation& op, const AnswerBody& answer) {
  if (!answer.may_retry) return sent(op, answer.status);
  if (!answer.patient && ++op.retries > kTries) return sent(op, VerbStatus::receiver_not_ready);
  const std::uint64_t ticket = OperationPool::ticket_of(op);
  context_.worker.at(context_.worker.now() + kRnrDelay, [this, ticket] {
    if (IbOperation* again = context_.operations.find(ticket)) transmit(*again);
  });
}

IbActor* MessageEngine::message_came(const FrameHead& head, const MessageBody& body) {
  AnswerBody answer;
  Endpoint* const endpoint = endpoint_at(body.target);
  const bool gone = endpoint == nullptr || endpoint->gone;
  const bool datagram = endpoint != nullptr && is_datagram(endpoint->transport);
  bool taken = false;
  if (context_.node.memory_server->evicted(body.from)) {
    answer.status = VerbStatus::flushed;
  } else if (gone) {
    answer.status = datagram ? VerbStatus::ok : VerbStatus::peer_failed;
  } else if (endpoint->free_recvs == 0) {
    answer.may_retry = !datagram;
    answer.patient = is_patient(endpoint->transport);
  } else {
    taken = true;
  }
  if (taken) {
    --endpoint->free_recvs;
    Message& message = endpoint->queue.emplace_back(body.message);
    message.received_earliest = last_poll_;  // it had not arrived at that poll
    message.received_latest = context_.worker.now();
  }
  context_.frames.send({NodeId{head.node}, head.thread}, FrameKind::message_answer, head.ticket,
                       answer);
  return taken && endpoint->owner->alive ? endpoint->owner : nullptr;
}

// ---- calls ----

void MessageEngine::call(IbActor& actor, IbOperation& op) {
  LATCHLAB_CHECK(context_.directory.exists(op.server), "call to a node that does not exist");
  context_.begin(actor, op);
  const ThreadId to = context_.directory.call_thread_of(op.server, calls_made_++);
  if (!context_.frames.reaches(to)) return call_answered(op, failed_call());
  const CallBody body{actor.key, op.call.request};
  const std::uint64_t ticket = context_.add_request(FrameKind::call, to, &op, nullptr);
  context_.frames.send(to, FrameKind::call, ticket, body);
  if (op.deadline == kNever) return;
  context_.worker.at(op.deadline, [this, ticket] {  // a later reply is dropped
    if (const std::optional<ThreadRequest> late = context_.requests.take(ticket))
      context_.end(*late->op, VerbStatus::timed_out);
  });
}

Reply MessageEngine::failed_call() {
  Reply none;
  none.status = VerbStatus::peer_failed;
  return none;
}

void MessageEngine::call_answered(IbOperation& op, const Reply& reply) {
  op.call.reply = reply;
  context_.end(op, reply.status);
}

void MessageEngine::call_came(const FrameHead& head, const CallBody& body) {
  const ThreadId asker{NodeId{head.node}, head.thread};
  if (server_ == nullptr || server_->handler == nullptr ||
      context_.node.memory_server->evicted(body.from)) {
    Reply answer;
    answer.status = VerbStatus::access_error;
    return context_.frames.send(asker, FrameKind::call_answer, head.ticket, answer);
  }
  context_.worker.run_as(*server_, [&] {
    PendingCalls& calls = context_.node.calls;
    const PendingCall pending{body.request, calls.next++};
    calls.held.emplace(pending.ticket, PendingCalls::Held{asker, head.ticket});
    std::vector<Task<void>>& serving = server_->serving;
    std::erase_if(serving, [](const Task<void>& task) { return task.done(); });
    serving.push_back(server_->handler->serve(*server_, pending));
    serving.back().start();
  });
}

void MessageEngine::reply(const PendingCall& pending, const Reply& reply) {
  std::map<std::uint64_t, PendingCalls::Held>& calls = context_.node.calls.held;
  const auto found = calls.find(pending.ticket);
  LATCHLAB_CHECK(found != calls.end(), "reply to a call that is not pending");
  const PendingCalls::Held held = found->second;
  calls.erase(found);
  context_.frames.send(held.asker, FrameKind::call_answer, held.ticket, reply);
}

}  // namespace latchlab::ib
