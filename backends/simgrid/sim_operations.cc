// Operations: the slots they live in, their start and their end, and what is fetched ahead of both.

#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/prefetch.h"

namespace latchlab::sim {

SimOperation& Simulator::take_operation() {
  SimOperation& op = operations_.take();
  op.clear();
  op.retries = op.attempts = 0;
  op.state = {};
  if (op.carried) op.carried->clear();
  return op;
}

void Simulator::recycle(SimOperation& op) {
  if (op.state.timed_out) {  // still under way
    op.state.forgotten = true;
    return;
  }
  operations_.give(op);
}

void Simulator::start(SimActor& actor, SimOperation& first) {
  const bool queues = actor.core != nullptr && is_remote(first.kind);
  const Time date = queues ? work(actor, actor.nic.post) : now_ + actor.nic.post;
  for (Operation* at = &first; at != nullptr; at = at->next) {
    auto& op = static_cast<SimOperation&>(*at);
    op.life = actor.life;
    op.actor = actor.index;
    op.from = actor.node();
    switch (op.kind) {
      case OpKind::verb:
        if (op.detached) ++actor.detached;
        post_verb(actor, op, date);
        break;
      case OpKind::send:
        post_send(actor, op, date);
        break;
      case OpKind::call:
        post_call(actor, op, date);
        break;
      default:
        post_local(actor, op);
    }
  }
}

// The operation is over; wakes whoever waits for it (for all of its batch), or frees the slot.
void Simulator::finish_operation(SimOperation& op) {
  SimActor& actor = owner(op);
  if (op.detached) {
    if (!op.completion.ok() && actor.detached_error == VerbStatus::ok)
      actor.detached_error = op.completion.status;
    --actor.detached;
    recycle(op);
    if (actor.detached == 0 && actor.flushing != nullptr) {
      SimOperation& flush = *std::exchange(actor.flushing, nullptr);
      flush.completion.status = std::exchange(actor.detached_error, VerbStatus::ok);
      finish_operation(flush);
    }
    return;
  }
  Operation& first = *op.batch;
  if (--first.remaining > 0) return;
  auto& whole = static_cast<SimOperation&>(first);
  if (actor.core == nullptr) return hand_over(actor, whole);
  queue_completion(op, whole);
}

// Fetches what the next event will touch while this one is handled.
void Simulator::prepare_for(const Event& next) const {
  const auto kind = next.kind();
  if (kind == EventKind::complete || kind == EventKind::local) {
    const auto* op = static_cast<const SimOperation*>(next.subject);
    if (op->owner == nullptr || op->batch == nullptr) return;
    prepare_for(owner(*op), op->batch->waiter);
    if (op->qp != nullptr) prefetch(*op->qp);
  } else if (kind == EventKind::wake_up) {
    const auto* sleep = static_cast<const SimSleep*>(next.subject);
    prepare_for(*sleep->actor, sleep->waiter);
  } else if (kind == EventKind::woken) {
    const auto* wait = static_cast<const SimWait*>(next.subject);
    if (wait->owner == nullptr) return;
    prepare_for(static_cast<const SimActor&>(*wait->owner), wait->waiter);
  } else if (kind == EventKind::arrive || kind == EventKind::served) {
    const auto* op = static_cast<const SimOperation*>(next.subject);
    if (op->qp != nullptr) prefetch(*op->qp);
    if (op->kind != OpKind::send) return;
    const Endpoint* const endpoint = find_endpoint(op->target);
    if (endpoint != nullptr) prefetch(*endpoint->owner);
  }
}

// It may wait for long: by then those who await it have left the cache, too, and asking one after
// the other for the next would cost a miss each.
void Simulator::note_frames(SimWait& wait) {
  wait.frames = {};
  std::size_t count = 0;
  for (auto at = wait.waiter; at && count < wait.frames.size(); at = awaiting(at))
    wait.frames[count++] = at.address();
}

void Simulator::prepare_for(const SimActor& actor, const SimWait& wait) const {
  for (const void* const frame : wait.frames) {
    if (frame == nullptr) break;
    prefetch_bytes(frame, 3 * kFrameBytes);
  }
  prepare_for(actor, wait.waiter);
}

void Simulator::prepare_for(const SimActor& actor, std::coroutine_handle<> waiter) const {
  prefetch(actor);
  prefetch_bytes(waiter.address(), kFrameBytes);
  if (actor.kind() == ActorKind::client && announce_) announce_(actor.client());
}

}  // namespace latchlab::sim
