#include "backends/ibverbs/actor_host.h"

#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

ActorHost::ActorHost(Worker& worker, LocalNode& node, const Directory& directory,
                     std::unique_ptr<FrameExchange> frames, ThreadQueues& queues,
                     std::uint32_t clients)
    : frames_(std::move(frames)),
      context_{worker,
               node,
               directory,
               *frames_,
               actors_,
               OperationPool(*node.device),
               ThreadRequests(*this)},
      verbs_(context_, queues),
      messages_(context_),
      local_(context_, messages_, clients) {
  frames_->set_owner(*this);
  worker.add_host(*this);
}

IbActor& ActorHost::add_actor(ActorKey key, ActorKind kind, ClientId client, const Rng& rng) {
  actors_.push_back(std::make_unique<IbActor>(*this, key, kind, context_.node.id, client, rng));
  if (kind == ActorKind::server) messages_.set_server(*actors_.back());
  return *actors_.back();
}

void ActorHost::add_server(ActorKey key, IbActor& first) {
  actors_.push_back(std::make_unique<IbActor>(*this, key, first));
  messages_.set_server(*actors_.back());
}

void ActorHost::start(IbActor& actor, IbOperation& first) {
  for (Operation* at = &first; at != nullptr; at = at->next) at->life = actor.life;
  switch (first.kind) {
    case OpKind::verb:
      return verbs_.post(actor, first);
    case OpKind::send:
      return messages_.send(actor, first);
    case OpKind::call:
      return messages_.call(actor, first);
    default:
      return local_.start(actor, first);
  }
}

// ---- polling ----

bool ActorHost::poll() {
  messages_.poll_begins();
  const bool any_verb = verbs_.poll();
  const bool any_frame = frames_->poll() > 0;
  return local_.check_words() || any_verb || any_frame;
}

void ActorHost::arm() {
  verbs_.arm();
  frames_->arm();
}

void ActorHost::sweep(Time now) {
  const Device& device = *context_.node.device;
  const std::string trouble = device.trouble();
  LATCHLAB_CHECK(trouble.empty(), device.facts().name + ": " + trouble);
  // A call may take long: the thread is probed instead.
  for (const ThreadId thread : context_.requests.expire(now)) frames_->probe(thread);
}

// ---- frames ----

void ActorHost::frame_came(const FrameHead& head, std::span<const std::byte> body) {
  FrameReader reader(body);
  if (head.kind == FrameKind::proxy_answer) return verbs_.proxy().answered(reader);
  if (MessageBody came; head.kind == FrameKind::message && reader.take(came)) {
    IbActor* const receiver = messages_.message_came(head, came);
    if (receiver != nullptr) local_.check_messages(*receiver);
    return;
  }
  if (CallBody came; head.kind == FrameKind::call && reader.take(came))
    return messages_.call_came(head, came);
  if (ClientId dead; head.kind == FrameKind::gone && reader.take(dead)) {
    if (dead.value < local_.membership().alive->size()) local_.clients_gone({dead});
    return;
  }
  if (const std::optional<ThreadRequest> asked = context_.requests.take(head.ticket))
    answered(*asked, head.kind, reader);
}

void ActorHost::answered(const ThreadRequest& request, FrameKind kind, FrameReader& reader) {
  if (AnswerBody came; kind == FrameKind::message_answer && reader.take(came))
    return messages_.message_answered(*request.op, came);
  if (Reply came; kind == FrameKind::call_answer && reader.take(came))
    return messages_.call_answered(*request.op, came);
  if (ConnectAnswerBody came; kind == FrameKind::connect_answer && reader.take(came))
    return verbs_.connected(*request.connection, came);
  if (AnswerBody came; kind == FrameKind::evict_answer && reader.take(came))
    return local_.evicted_there(*request.op);
  RegionAnswerBody came;
  if (kind != FrameKind::region_answer || !reader.take(came)) return request_failed(request);
  if (came.status == VerbStatus::ok) verbs_.add_region(request.to.node, came);
  if (request.connection != nullptr)
    return verbs_.located(*request.connection, request.ticket, came);
  request.op->verb.addr = {request.to.node, came.offset};
  context_.finish(*request.op, came.status);
}

void ActorHost::request_failed(const ThreadRequest& request) {
  switch (request.kind) {
    case FrameKind::connect: {
      ConnectAnswerBody none;
      none.status = VerbStatus::peer_failed;
      return verbs_.connected(*request.connection, none);
    }
    case FrameKind::region: {
      RegionAnswerBody none;
      none.status = VerbStatus::peer_failed;
      return verbs_.located(*request.connection, request.ticket, none);
    }
    case FrameKind::evict:  // of a lost node: no verb takes effect there
      return local_.evicted_there(*request.op);
    case FrameKind::allocate:
      return context_.finish(*request.op, VerbStatus::peer_failed);
    case FrameKind::call:
      return messages_.call_answered(*request.op, MessageEngine::failed_call());
    case FrameKind::message:
      return messages_.sent(*request.op, VerbStatus::peer_failed);
    default:
      return verbs_.proxy().failed(*request.op);
  }
}

void ActorHost::node_is_gone(NodeId node) {
  local_.node_is_gone(node);
  frames_->node_is_gone(node);
  context_.requests.node_is_gone(node);
}

// ---- clients ----

void ActorHost::connect_clients(NodeId to) {
  for (const auto& actor : actors_)
    if (actor->kind() == ActorKind::client) verbs_.connect(*actor, to);
}

void ActorHost::kill(IbActor& actor, CrashKind kind) {
  if (kind != CrashKind::client) {
    messages_.close_endpoints(actor);
    verbs_.break_off(actor);
  }
  if (!std::exchange(actor.alive, false)) return;
  ++actor.life;
  if (actor.kind() == ActorKind::client && actor.root.valid() && !actor.root.done())
    worker().client_ended();
  local_.drop_waits(actor);
  if (actor.flushing != nullptr) context_.operations.give(*std::exchange(actor.flushing, nullptr));
  actor.root.reset();
  actor.serving.clear();
}

void ActorHost::kill_all() {
  for (const auto& actor : actors_) kill(*actor, CrashKind::node);
}

void ActorHost::tell_others(ClientId gone) {
  for (const NodeDescriptor& node : context_.directory.nodes)
    for (std::uint8_t i = 0; node.node != context_.node.id && i + 1U < node.threads; ++i)
      if (const ThreadId thread{node.node, i}; frames_->reaches(thread))
        frames_->send(thread, FrameKind::gone, 0, gone);
}

// ---- IbActor ----

void IbActor::check_thread() const {
  LATCHLAB_CHECK(
      turn == nullptr || host_.worker().running() == this,
      "with several threads, each call to a server part uses the verbs that it is given");
}

EndpointAddr IbActor::open(std::uint32_t recv_depth, Transport transport) {
  check_thread();
  return host_.messages().open(*this, recv_depth, transport);
}
void IbActor::reply(const PendingCall& pending, const Reply& reply) {
  check_thread();
  host_.messages().reply(pending, reply);
}
Time IbActor::now() const {
  return host_.worker().now();
}
Membership IbActor::membership() const {
  return host_.local().membership();
}
Operation& IbActor::take_operation() {
  check_thread();
  return host_.context().operations.take();
}
void IbActor::start(Operation& first) {
  host_.start(*this, static_cast<IbOperation&>(first));
}
void IbActor::recycle(Operation& op) {
  host_.context().operations.give(static_cast<IbOperation&>(op));
}
void IbActor::start_sleep(SleepAwait& sleep, std::coroutine_handle<> waiter) {
  check_thread();
  const Time until = saturating_add(now(), sleep.length);
  if (until != kNever) host_.worker().sleep(*this, until, waiter);
}
WaitOperation& IbActor::take_wait() {
  check_thread();
  return host_.local().take_wait();
}
void IbActor::start_wait(WaitOperation& op) {
  host_.local().start_wait(*this, static_cast<IbWait&>(op));
}
void IbActor::recycle_wait(WaitOperation& op) {
  host_.local().recycle_wait(static_cast<IbWait&>(op));
}

}  // namespace latchlab::ib
