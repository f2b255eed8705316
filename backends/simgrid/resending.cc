#include "backends/simgrid/resending.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace latchlab::sim {

void Resending::push(SimOperation& op, Duration after, Gate gate) {
  timeline_.push(timeline_.now() + after, op.actor, gate, &op);
}

// ---- on a QP ----

QpLosses::Lists& Resending::lists_of(QpLosses& losses) {
  if (!losses.lists_) losses.lists_ = std::make_unique<QpLosses::Lists>();
  return *losses.lists_;
}

// Of a QP's events, the earliest counts.
void Resending::retry_at(Qp& qp, const SimOperation& op, Time date) {
  if (date >= qp.losses.due_) return;
  qp.losses.due_ = date;
  timeline_.push(date, op.actor, Gate::resend, &qp);
}

void Resending::retry_after(Qp& qp, const SimOperation& op, Duration wait) {
  if (std::exchange(qp.losses.recovering_, true)) return;
  // By then all requests under way have arrived, and were lost or refused too.
  retry_at(qp, op, std::max(timeline_.now() + wait, qp.last_arrival() + picoseconds(1)));
}

void Resending::refuse(SimOperation& op, Duration pause) {
  lists_of(op.qp->losses).requests.push_back(&op);
  retry_after(*op.qp, op, pause);
}

void Resending::lose_request(SimOperation& op) {
  refuse(op, owner(op).nic.ack_timeout);
}

void Resending::lose_answer(SimOperation& op) {
  lists_of(op.qp->losses).answers.push_back(&op);
  retry_after(*op.qp, op, owner(op).nic.ack_timeout);
}

bool Resending::request_dropped(const SimOperation& op) const {
  const bool write = op.kind == OpKind::verb && op.verb.kind == VerbKind::write;
  return network_.loses(op.from, responder_of(op), write ? op.verb.bytes : 0, owner(op).chance);
}

bool Resending::answer_dropped(const SimOperation& op) const {
  const bool read = op.kind == OpKind::verb && op.verb.kind == VerbKind::read;
  return network_.loses(responder_of(op), op.from, read ? op.verb.bytes : 0, owner(op).chance);
}

// The requester does not know yet, and goes on.
void Resending::drop_request(SimOperation& op) {
  QpLosses::Lists& lost = lists_of(op.qp->losses);
  lost.dropped = true;
  lost.by_chance = lost.by_chance || lost.requests.empty();
  lost.requests.push_back(&op);
  retry_at(*op.qp, op, timeline_.now() + owner(op).nic.ack_timeout);
}

void Resending::drop_answer(SimOperation& op) {
  QpLosses::Lists& lost = lists_of(op.qp->losses);
  lost.dropped = true;
  lost.answers.push_back(&op);
  retry_at(*op.qp, op, timeline_.now() + owner(op).nic.ack_timeout);
}

// A request arrives behind one that a link has lost: the responder says so.
void Resending::come_behind(SimOperation& op) {
  Qp& qp = *op.qp;
  op.state.kept = nodes_.model(qp.to).selective != 0;
  qp.losses.lists_->requests.push_back(&op);
  qp.losses.recovering_ = true;
  const Time told = timeline_.now() + network_.wire(qp.to, op.from);
  retry_at(qp, op, std::max(told, qp.last_arrival() + picoseconds(1)));
}

// The responder accepts nothing that is behind a lost request.
bool Resending::lost_on_qp(SimOperation& op) {
  const Qp& qp = *op.qp;
  if (!qp.is_current(op)) return false;  // its QP has failed: the responder will refuse it
  const bool cut = network_.cut(op.from, qp.to), behind = qp.losses.any_request();
  if (!cut && !op.state.kept && request_dropped(op)) {
    drop_request(op);
  } else if (!cut && behind && qp.losses.lists_->by_chance) {
    come_behind(op);
  } else if (cut || behind) {
    lose_request(op);
  } else {
    op.state.kept = false;
    return false;
  }
  return true;
}

bool Resending::answer_lost_on_qp(SimOperation& op) {
  Qp& qp = *op.qp;
  if (!qp.is_current(op)) {
    op.completion.status = VerbStatus::flushed;
    return false;
  }
  if (op.state.covered) {
    op.state.covered = false;
    return false;
  }
  const bool behind = qp.losses.lists_ && !qp.losses.lists_->answers.empty();
  if (network_.cut(qp.to, op.from)) {
    lose_answer(op);
  } else if (answer_dropped(op)) {
    drop_answer(op);
  } else if (!behind) {
    if (qp.losses.lists_) qp.losses.lists_->attempts = 0;
    return false;
  } else if (!make_up_for(op)) {
    qp.losses.lists_->answers.push_back(&op);
    qp.losses.recovering_ = true;
    retry_at(qp, op, std::max(timeline_.now(), qp.last_completion()) + picoseconds(1));
  }
  return true;
}

// An answer has come behind lost acknowledgements, and says as much as they would have.
bool Resending::make_up_for(SimOperation& op) {
  QpLosses::Lists& lost = *op.qp->losses.lists_;
  const auto is_acknowledgement = [](const SimOperation* each) {
    return each->kind == OpKind::send || each->verb.kind == VerbKind::write;
  };
  if (!std::all_of(lost.answers.begin(), lost.answers.end(), is_acknowledgement)) return false;
  lost.answers.push_back(&op);
  for (SimOperation* const each : std::exchange(lost.answers, {})) {
    each->state.covered = true;
    timeline_.push(timeline_.now(), each->actor, Gate::complete, each);
  }
  lost.attempts = 0;
  return true;
}

std::optional<Resending::Lost> Resending::take_due(Qp& qp) {
  QpLosses& losses = qp.losses;
  const Time now = timeline_.now();
  if (losses.due_ != now) return std::nullopt;  // an earlier event has replaced this one
  losses.due_ = kNever;
  QpLosses::Lists& lost = *losses.lists_;
  if (lost.answers.empty() && lost.requests.empty()) return std::nullopt;  // made up for
  const SimOperation& any = lost.answers.empty() ? *lost.requests.front() : *lost.answers.front();
  // What the requester has sent meanwhile arrives first, and so does what is on its way back.
  const Time settled =
      lost.answers.empty() ? qp.last_arrival() : std::max(qp.last_arrival(), qp.last_completion());
  if (settled >= now) {
    losses.recovering_ = true;
    retry_at(qp, any, settled + picoseconds(1));
    return std::nullopt;
  }
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
    losses.recovering_ = true;
    retry_at(qp, first, now + nic.ack_timeout);
    return std::nullopt;
  }
  losses.recovering_ = false;
  lost.by_chance = false;
  if (!over) {
    lost.attempts = std::exchange(lost.dropped, false) ? lost.attempts + 1 : 0;
    return Lost{std::move(done), std::move(again), network_.wire(first.from, qp.to)};
  }
  lost.attempts = 0;
  lost.dropped = false;
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
  if (!network_.cut(op.from, responder_of(op)) && !request_dropped(op)) {
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
  if (op.state.datagram) return false;
  if (!network_.cut(responder_of(op), op.from) && !answer_dropped(op)) return false;
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
