// Messages between endpoints and calls to a server part. An endpoint's host counts its RECVs: it
// accepts a message or answers that there is no RECV, so that receiver-not-ready concerns one
// endpoint although all messages of a thread arrive on the same QPs.

#include <algorithm>
#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr std::uint32_t kTries = 7;                // as many as an RC QP's rnr_retry allows
constexpr Duration kRnrTimer = microseconds(640);  // as min_rnr_timer 12 of an RC QP

}  // namespace

EndpointAddr ActorHost::open_endpoint(IbActor& actor, std::uint32_t recv_depth,
                                      Transport transport) {
  LATCHLAB_CHECK(recv_depth > 0, "an endpoint needs at least one RECV");
  Endpoint& endpoint = endpoints_.emplace_back();
  endpoint.owner = &actor;
  endpoint.free_recvs = recv_depth;
  endpoint.transport = transport;
  LATCHLAB_CHECK(endpoints_.size() < (1U << kThreadShift),
                 "a thread has fewer than 2^16 endpoints");
  return endpoint_address(frames_->id(), static_cast<std::uint32_t>(endpoints_.size()));
}

ActorHost::Endpoint* ActorHost::endpoint_at(EndpointAddr own) {
  const std::uint32_t place = own.number & ((1U << kThreadShift) - 1);
  return place >= 1 && place <= endpoints_.size() ? &endpoints_[place - 1] : nullptr;
}

// ---- SEND ----

// Messages from one sender to one endpoint are sent one after the other: otherwise, after the first
// was refused, the second could get the next RECV.
void ActorHost::post_sends(IbActor& actor, IbOperation& first) {
  for (Operation* at = &first; at != nullptr;) {
    auto& op = static_cast<IbOperation&>(*at);
    at = at->next;  // a detached one that cannot be sent frees its slot
    LATCHLAB_CHECK(directory_.exists(op.target.node), "message to a node that does not exist");
    ++worker_.census.posted;
    ++worker_.census.in_flight;
    if (op.detached) ++actor.detached;
    const auto [last, alone] = actor.sending.try_emplace(op.target.packed(), &op);
    if (alone)
      transmit(op);
    else
      std::exchange(last->second, &op)->behind = &op;
  }
}

// The next message to the same endpoint, after this one. Null: there is none.
IbOperation* ActorHost::next_send(IbOperation& op) {
  if (op.behind != nullptr) return std::exchange(op.behind, nullptr);
  static_cast<IbActor&>(*op.owner).sending.erase(op.target.packed());
  return nullptr;
}

void ActorHost::transmit(IbOperation& op) {
  const ThreadId to{op.target.node, static_cast<std::uint8_t>(op.target.number >> kThreadShift)};
  if (to >= directory_.memory_server_of(op.target.node) || !frames_->reaches(to))
    return verb_over(op, VerbStatus::peer_failed);
  const MessageBody body{static_cast<IbActor&>(*op.owner).key, op.target, op.message};
  frames_->send(to, FrameKind::message, ask(FrameKind::message, to, &op, nullptr), body);
}

void ActorHost::answered(IbOperation& op, const AnswerBody& answer) {
  if (!answer.may_retry) return verb_over(op, answer.status);
  if (!answer.patient && ++op.retries > kTries)
    return verb_over(op, VerbStatus::receiver_not_ready);
  const std::uint64_t ticket = OperationPool::ticket_of(op);
  worker_.at(worker_.now() + kRnrTimer, [this, ticket] {
    if (IbOperation* again = operations_.find(ticket)) transmit(*again);
  });
}

void ActorHost::message_came(const FrameHead& head, const MessageBody& body) {
  AnswerBody answer;
  Endpoint* const endpoint = endpoint_at(body.target);
  const bool gone = endpoint == nullptr || endpoint->gone;
  const bool datagram = endpoint != nullptr && is_datagram(endpoint->transport);
  bool taken = false;
  if (node_.memory_server->evicted(body.from)) {
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
    message.received_latest = worker_.now();
  }
  frames_->send({NodeId{head.node}, head.thread}, FrameKind::message_answer, head.ticket, answer);
  if (taken && endpoint->owner->alive) check_messages(*endpoint->owner);
}

void ActorHost::check_messages(IbActor& actor) {
  const std::vector<IbWait*> armed = actor.waits;
  for (IbWait* wait : armed)
    if (wait->armed && wait->set.message_count > 0 && try_satisfy(actor, *wait))
      satisfied(actor, *wait);
}

// ---- calls ----

void ActorHost::post_call(IbActor& actor, IbOperation& op) {
  LATCHLAB_CHECK(directory_.exists(op.server), "call to a node that does not exist");
  ++worker_.census.posted;
  ++worker_.census.in_flight;
  const ThreadId to = directory_.call_thread_of(op.server, calls_made_++);
  if (!frames_->reaches(to)) return fail({FrameKind::call, to, &op, nullptr, {}, 0});
  const CallBody body{actor.key, op.call.request};
  const std::uint64_t ticket = ask(FrameKind::call, to, &op, nullptr);
  frames_->send(to, FrameKind::call, ticket, body);
  if (op.deadline == kNever) return;
  worker_.at(op.deadline, [this, ticket] {  // a later reply is dropped
    if (const std::optional<Ask> late = answered(ticket))
      verb_over(*late->op, VerbStatus::timed_out);
  });
}

void ActorHost::call_came(const FrameHead& head, const CallBody& body) {
  const ThreadId asker{NodeId{head.node}, head.thread};
  if (server_ == nullptr || server_->handler == nullptr ||
      node_.memory_server->evicted(body.from)) {
    CallAnswerBody answer;
    answer.reply.status = VerbStatus::access_error;
    return frames_->send(asker, FrameKind::call_answer, head.ticket, answer);
  }
  worker_.run_as(*server_, [&] {
    const PendingCall pending{body.request, node_.calls.next++};
    node_.calls.held.emplace(pending.ticket, PendingCalls::Held{asker, head.ticket});
    std::vector<Task<void>>& serving = server_->serving;
    std::erase_if(serving, [](const Task<void>& task) { return task.done(); });
    serving.push_back(server_->handler->serve(*server_, pending));
    serving.back().start();
  });
}

void ActorHost::reply(const PendingCall& pending, const Reply& reply) {
  std::map<std::uint64_t, PendingCalls::Held>& calls = node_.calls.held;
  const auto found = calls.find(pending.ticket);
  LATCHLAB_CHECK(found != calls.end(), "reply to a call that is not pending");
  const PendingCalls::Held held = found->second;
  calls.erase(found);
  frames_->send(held.asker, FrameKind::call_answer, held.ticket, CallAnswerBody{reply});
}

}  // namespace latchlab::ib
