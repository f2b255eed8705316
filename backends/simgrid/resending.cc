#include "backends/simgrid/resending.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "backends/simgrid/calls.h"
#include "backends/simgrid/messages.h"
#include "backends/simgrid/requester.h"
#include "backends/simgrid/responder.h"

namespace latchlab::sim {

void Resending::push(SimOperation& op, Duration after, EventKind kind) {
  timeline_.push(timeline_.now() + after, op.actor, kind, &op);
}

// ---- on a QP ----

void Resending::retry_after(Qp& qp, const SimOperation& op, Duration wait) {
  if (std::exchange(qp.losses.recovering_, true)) return;
  // By then all requests under way have arrived, and were lost or refused too.
  const Time after = std::max(timeline_.now() + wait, qp.receiver.last_arrival() + picoseconds(1));
  timeline_.push(after, op.actor, EventKind::resend, &qp);
}

void Resending::refuse(SimOperation& op, Duration pause) {
  QpLosses& losses = op.qp->losses;
  if (!losses.lists_) losses.lists_ = std::make_unique<QpLosses::Lists>();
  losses.lists_->requests.push_back(&op);
  retry_after(*op.qp, op, pause);
}

void Resending::lose_request(SimOperation& op) {
  refuse(op, owner(op).nic.ack_timeout);
}

void Resending::lose_answer(SimOperation& op) {
  QpLosses& losses = op.qp->losses;
  if (!losses.lists_) losses.lists_ = std::make_unique<QpLosses::Lists>();
  losses.lists_->answers.push_back(&op);
  retry_after(*op.qp, op, owner(op).nic.ack_timeout);
}

// The responder accepts nothing that is behind a lost request.
bool Resending::lost_on_qp(SimOperation& op) {
  const Qp& qp = *op.qp;
  if (!qp.is_current(op)) return false;  // its QP has failed: the responder will refuse it
  if (!qp.losses.any_request() && !network_.cut(op.from, qp.to)) return false;
  lose_request(op);
  return true;
}

bool Resending::answer_lost_on_qp(SimOperation& op) {
  const Qp& qp = *op.qp;
  if (!qp.is_current(op)) {
    op.completion.status = VerbStatus::flushed;
    return false;
  }
  const bool behind = qp.losses.lists_ && !qp.losses.lists_->answers.empty();
  if (!behind && !network_.cut(qp.to, op.from)) return false;
  lose_answer(op);
  return true;
}

void Resending::resend(Qp& qp) {
  QpLosses::Lists& lost = *qp.losses.lists_;
  Operations done = std::exchange(lost.answers, {});
  Operations again = std::exchange(lost.requests, {});
  const auto in_place = [](const SimOperation* a, const SimOperation* b) {
    return a->place < b->place;
  };
  std::sort(done.begin(), done.end(), in_place);
  std::sort(again.begin(), again.end(), in_place);
  const SimOperation& first = done.empty() ? *again.front() : *done.front();
  const NicModel& nic = owner(first).nic;
  const bool over = lost.attempts >= nic.ack_retries || !qp.is_current(first);
  if (!over && network_.cut(first.from, qp.to)) {
    ++lost.attempts;
    lost.answers = std::move(done);
    lost.requests = std::move(again);
    return timeline_.push(timeline_.now() + nic.ack_timeout, first.actor, EventKind::resend, &qp);
  }
  qp.losses.recovering_ = false;
  lost.attempts = 0;
  if (over) return fail_all(qp, done, again);
  for (SimOperation* op : done) {
    const Duration there = network_.wire(op->from, qp.to);
    qp.messages ? messages_.acknowledge(*op, there) : responder_.answer(*op, there);
  }
  qp.messages ? messages_.leave_again(qp, again) : requester_.leave_again(qp, again);
}

void Resending::fail_all(Qp& qp, const Operations& done, const Operations& again) {
  VerbStatus status = VerbStatus::peer_failed;
  qp.fail();
  for (const auto* list : {&done, &again}) {
    for (SimOperation* op : *list) {
      op->completion.status = qp.is_current(*op) ? status : VerbStatus::flushed;
      status = VerbStatus::flushed;
      timeline_.push(qp.completes(timeline_.now()), op->actor, EventKind::complete, op);
    }
  }
}

// ---- messages without a connection, and calls ----

bool Resending::lost_alone(SimOperation& op) {
  if (!network_.cut(op.from, responder_of(op))) {
    op.attempts = 0;
    return false;
  }
  if (op.state.datagram)
    operations_.recycle(op);
  else
    push(op, owner(op).nic.ack_timeout, EventKind::send_again);
  return true;
}

bool Resending::answer_lost_alone(SimOperation& op) {
  if (!network_.cut(responder_of(op), op.from)) return false;
  op.state.landed = true;
  push(op, owner(op).nic.ack_timeout, EventKind::send_again);
  return true;
}

void Resending::send_again(SimOperation& op) {
  const NicModel& nic = owner(op).nic;
  if (op.attempts >= nic.ack_retries) {
    if (!op.state.timed_out) op.completion.status = VerbStatus::peer_failed;
    return push(op, {}, EventKind::complete);
  }
  ++op.attempts;
  if (!op.state.landed)
    return op.kind == OpKind::send ? messages_.transmit(op) : calls_.transmit(op, timeline_.now());
  const NodeId to = responder_of(op);
  if (network_.cut(op.from, to)) return push(op, nic.ack_timeout, EventKind::send_again);
  push(op, network_.wire(op.from, to) * 2 + nic.completion, EventKind::complete);
}

}  // namespace latchlab::sim
