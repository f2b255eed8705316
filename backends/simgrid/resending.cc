#include "backends/simgrid/resending.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace latchlab::sim {

void Resending::push(SimOperation& op, Duration after, Gate gate) {
  timeline_.push(timeline_.now() + after, op.actor, gate, &op);
}

// ---- on a QP ----

void Resending::retry_after(Qp& qp, const SimOperation& op, Duration wait) {
  if (std::exchange(qp.losses.recovering_, true)) return;
  // By then all requests under way have arrived, and were lost or refused too.
  const Time after = std::max(timeline_.now() + wait, qp.last_arrival() + picoseconds(1));
  timeline_.push(after, op.actor, Gate::resend, &qp);
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

std::optional<Resending::Lost> Resending::take_due(Qp& qp) {
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
    timeline_.push(timeline_.now() + nic.ack_timeout, first.actor, Gate::resend, &qp);
    return std::nullopt;
  }
  qp.losses.recovering_ = false;
  lost.attempts = 0;
  if (!over) return Lost{std::move(done), std::move(again), network_.wire(first.from, qp.to)};
  fail_all(qp, done, again);
  return std::nullopt;
}

void Resending::fail_all(Qp& qp, const Operations& done, const Operations& again) {
  VerbStatus status = VerbStatus::peer_failed;
  qp.fail();
  for (const auto* list : {&done, &again}) {
    for (SimOperation* op : *list) {
      op->completion.status = qp.is_current(*op) ? status : VerbStatus::flushed;
      status = VerbStatus::flushed;
      timeline_.push(qp.completes(timeline_.now()), op->actor, Gate::complete, op);
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
    push(op, owner(op).nic.ack_timeout, Gate::send_again);
  return true;
}

bool Resending::answer_lost_alone(SimOperation& op) {
  if (op.state.datagram || !network_.cut(responder_of(op), op.from)) return false;
  op.state.landed = true;
  push(op, owner(op).nic.ack_timeout, Gate::send_again);
  return true;
}

void Resending::send_again(SimOperation& op) {
  const NicModel& nic = owner(op).nic;
  if (op.attempts >= nic.ack_retries) {
    if (!op.state.timed_out) op.completion.status = VerbStatus::peer_failed;
    return push(op, {}, Gate::complete);
  }
  ++op.attempts;
  if (!op.state.landed) return timeline_.pass(Gate::transmit, &op);
  const NodeId to = responder_of(op);
  if (network_.cut(op.from, to)) return push(op, nic.ack_timeout, Gate::send_again);
  push(op, network_.wire(op.from, to) * 2 + nic.completion, Gate::complete);
}

}  // namespace latchlab::sim
