#include "backends/ibverbs/actor_host.h"

#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

// Far longer than a live memory server takes to answer.
constexpr Duration kPatience = seconds(10);

}  // namespace

ActorHost::ActorHost(Worker& worker, LocalNode& node, Directory& directory,
                     std::unique_ptr<FrameExchange> frames, ThreadQueues& queues)
    : worker_(worker),
      node_(node),
      directory_(directory),
      frames_(std::move(frames)),
      queues_(queues),
      dcis_(queues.initiators(*node.device, queue_options(), directory.most_dcis)),
      operations_(*node.device) {
  frames_->set_owner(*this);
  worker_.add_host(*this);
}

IbActor& ActorHost::add_actor(ActorKey key, ActorKind kind, ClientId client, const Rng& rng) {
  actors_.push_back(std::make_unique<IbActor>(*this, key, kind, node_.id, client, rng));
  if (kind == ActorKind::server) server_ = actors_.back().get();
  return *actors_.back();
}

void ActorHost::add_server(ActorKey key, IbActor& first) {
  actors_.push_back(std::make_unique<IbActor>(*this, key, first));
  server_ = actors_.back().get();
}

bool ActorHost::poll() {
  // If the last poll left messages in the CQ, they may have arrived before it: last_poll_ does not
  // advance.
  if (frames_->drained()) last_poll_ = this_poll_;
  this_poll_ = worker_.turn_began();
  const bool any = frames_->poll() > 0;
  return (word_waits_ > 0 && check_words()) || any;
}

// ---- operations ----

void ActorHost::start(IbActor& actor, IbOperation& first) {
  for (Operation* at = &first; at != nullptr; at = at->next) at->life = actor.life;
  switch (first.kind) {
    case OpKind::verb:
      return post_verbs(actor, first);
    case OpKind::send:
      return post_sends(actor, first);
    case OpKind::call:
      return post_call(actor, first);
    default:
      return post_local(actor, first);
  }
}

// The operation is over. Resumes the coroutine that awaits its whole batch, or frees the slot.
void ActorHost::finish(IbOperation& op, VerbStatus status) {
  auto& actor = static_cast<IbActor&>(*op.owner);
  op.completion.status = status;
  if (op.detached) {
    if (status != VerbStatus::ok && actor.detached_error == VerbStatus::ok)
      actor.detached_error = status;
    --actor.detached;
    recycle(op);
    if (actor.detached > 0 || actor.flushing == nullptr) return;
    IbOperation& flush = *std::exchange(actor.flushing, nullptr);
    return finish(flush, std::exchange(actor.detached_error, VerbStatus::ok));
  }
  Operation& first = *op.batch;
  if (--first.remaining == 0) worker_.ready(static_cast<IbOperation&>(first));
}

void ActorHost::count_effect(const IbOperation& op) {
  FirstEffect& first = op.owner->first_effect();
  ++worker_.effects;
  if (first.armed) first.happened(op.owner->client(), worker_.effects);
}

void ActorHost::recycle_batch(IbOperation& first) {
  for (Operation* at = &first; at != nullptr;)
    recycle(static_cast<IbOperation&>(*std::exchange(at, at->next)));
}

// ---- requests to other threads ----

std::uint64_t ActorHost::ask(FrameKind kind, ThreadId of, IbOperation* op, Connection* connection) {
  asks_.emplace(next_ask_, Ask{kind, of, op, connection, worker_.now(), next_ask_});
  return next_ask_++;
}

std::optional<ActorHost::Ask> ActorHost::answered(std::uint64_t ticket) {
  const auto found = asks_.find(ticket);
  if (found == asks_.end()) return std::nullopt;  // failed before
  const Ask ask = found->second;
  asks_.erase(found);
  return ask;
}

// No answer will come.
void ActorHost::fail(const Ask& ask) {
  switch (ask.kind) {
    case FrameKind::connect: {
      ConnectAnswerBody none;
      none.status = VerbStatus::peer_failed;
      return connected(*ask.connection, none);
    }
    case FrameKind::region: {
      RegionAnswerBody none;
      none.status = VerbStatus::peer_failed;
      return located(*ask.connection, ask.ticket, none);
    }
    case FrameKind::evict:  // of a lost node: no verb takes effect there
      if (--ask.op->pieces == 0) finish(*ask.op, VerbStatus::ok);
      return;
    case FrameKind::allocate:
      return finish(*ask.op, VerbStatus::peer_failed);
    case FrameKind::call:
      ask.op->call.reply = {};
      ask.op->call.reply.status = VerbStatus::peer_failed;
      [[fallthrough]];
    default:  // an agent's verb may have several outstanding pieces
      if (ask.op->pieces > 0) --ask.op->pieces;
      if (ask.op->pieces == 0) verb_over(*ask.op, VerbStatus::peer_failed);
      return;
  }
}

template <class Pred>
void ActorHost::fail_asks(const Pred& lost) {
  std::vector<Ask> failed;
  std::erase_if(asks_, [&](const auto& entry) {
    const bool gone = lost(entry.second);
    if (gone) failed.push_back(entry.second);
    return gone;
  });
  for (const Ask& ask : failed) fail(ask);
}

void ActorHost::peer_is_gone(ThreadId peer) {
  // Not evictions: a node that cannot be reached from here may be reachable for the victim.
  fail_asks([peer](const Ask& ask) { return ask.of == peer && ask.kind != FrameKind::evict; });
}

void ActorHost::node_is_gone(NodeId node) {
  gone_.insert(node);
  frames_->node_is_gone(node);
  fail_asks([node](const Ask& ask) { return ask.of.node == node; });
}

void ActorHost::sweep(Time now) {
  const std::string trouble = node_.device->trouble();
  LATCHLAB_CHECK(trouble.empty(), node_.device->facts().name + ": " + trouble);
  fail_asks([&](const Ask& ask) {
    if (ask.since + kPatience >= now) return false;
    LATCHLAB_CHECK(ask.kind != FrameKind::evict,
                   "a node that lives does not answer an eviction: its memory may be written to");
    return ask.kind != FrameKind::call;
  });
  // A call may take long: the thread is probed instead.
  std::set<ThreadId> called;
  for (const auto& [ticket, ask] : asks_)
    if (ask.since + kPatience < now) called.insert(ask.of);
  for (const ThreadId thread : called) frames_->probe(thread);
}

void ActorHost::frame_came(const FrameHead& head, std::span<const std::byte> body) {
  FrameReader reader(body);
  if (head.kind == FrameKind::proxy_answer) return proxy_answered(reader);
  if (MessageBody came; head.kind == FrameKind::message && reader.take(came))
    return message_came(head, came);
  if (CallBody came; head.kind == FrameKind::call && reader.take(came))
    return call_came(head, came);
  if (EvictBody dead; head.kind == FrameKind::gone && reader.take(dead)) {
    if (dead.client < alive_.size()) membership_changed({ClientId{dead.client}});
    return;
  }
  const std::optional<Ask> asked = answered(head.ticket);
  if (!asked) return;
  if (AnswerBody came; head.kind == FrameKind::message_answer && reader.take(came))
    return answered(*asked->op, came);
  if (CallAnswerBody came; head.kind == FrameKind::call_answer && reader.take(came)) {
    asked->op->call.reply = came.reply;
    return verb_over(*asked->op, came.reply.status);
  }
  if (ConnectAnswerBody came; head.kind == FrameKind::connect_answer && reader.take(came))
    return connected(*asked->connection, came);
  if (AnswerBody came; head.kind == FrameKind::evict_answer && reader.take(came)) {
    if (--asked->op->pieces == 0) finish(*asked->op, VerbStatus::ok);
    return;
  }
  RegionAnswerBody came;
  if (head.kind != FrameKind::region_answer || !reader.take(came)) return fail(*asked);
  if (came.status == VerbStatus::ok)
    regions_[asked->of.node][came.offset] = {came.offset, came.bytes, 0, came.key, came.address};
  if (asked->connection != nullptr) return located(*asked->connection, asked->ticket, came);
  asked->op->verb.addr = {asked->of.node, came.offset};
  finish(*asked->op, came.status);
}

}  // namespace latchlab::ib
