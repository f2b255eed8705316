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

Dropped Resending::request_dropped(const SimOperation& op, bool by_switch) const {
  if (by_switch) return Dropped::last;
  const bool write = op.kind == OpKind::verb && op.verb.kind == VerbKind::write;
  return network_.drop(op.from, responder_of(op), write ? op.verb.bytes : 0, owner(op).chance);
}

Dropped Resending::answer_dropped(const SimOperation& op, bool by_switch) const {
  if (by_switch) return Dropped::last;
  const bool read = op.kind == OpKind::verb && op.verb.kind == VerbKind::read;
  return network_.drop(responder_of(op), op.from, read ? op.verb.bytes : 0, owner(op).chance);
}

// The responder tells the requester, who sends again when all under way has arrived.
void Resending::show_request_loss(Qp& qp, const SimOperation& op) {
  qp.losses.recovering_ = true;
  const Time told = timeline_.now() + network_.wire(qp.to, op.from);
  retry_at(qp, op, std::max(told, qp.last_arrival() + picoseconds(1)));
}

void Resending::show_answer_loss(Qp& qp, const SimOperation& op) {
  qp.losses.recovering_ = true;
  retry_at(qp, op, std::max(timeline_.now(), qp.last_completion()) + picoseconds(1));
}

// Unless the last packet shows the loss, the requester does not know yet, and goes on.
void Resending::drop_request(SimOperation& op, Dropped which) {
  QpLosses::Lists& lost = lists_of(op.qp->losses);
  lost.dropped = true;
  lost.by_chance = lost.by_chance || lost.requests.empty();
  lost.requests.push_back(&op);
  if (which == Dropped::before_last) return show_request_loss(*op.qp, op);
  retry_at(*op.qp, op, timeline_.now() + owner(op).nic.ack_timeout);
}

void Resending::drop_answer(SimOperation& op, Dropped which) {
  QpLosses::Lists& lost = lists_of(op.qp->losses);
  lost.dropped = true;
  lost.answers.push_back(&op);
  if (which == Dropped::before_last) return show_answer_loss(*op.qp, op);
  retry_at(*op.qp, op, timeline_.now() + owner(op).nic.ack_timeout);
}

// A request arrives behind one that a link has lost.
void Resending::come_behind(SimOperation& op) {
  Qp& qp = *op.qp;
  op.state.kept = op.kind == OpKind::verb && nodes_.model(qp.to).selective != 0;
  qp.losses.lists_->requests.push_back(&op);
  show_request_loss(qp, op);
}

// An answer arrives behind lost ones.
void Resending::answer_behind(SimOperation& op) {
  Qp& qp = *op.qp;
  if (!qp.losses.lists_->dropped) return lose_answer(op);  // on a path that was down
  if (make_up_for(op)) return;
  qp.losses.lists_->answers.push_back(&op);
  show_answer_loss(qp, op);
}

// The responder accepts nothing that is behind a lost request.
bool Resending::lost_on_qp(SimOperation& op) {
  Qp& qp = *op.qp;
  if (!qp.is_current(op)) return false;  // its QP has failed: the responder will refuse it
  flush_old(qp);
  const bool cut = network_.cut(op.from, qp.to), behind = qp.losses.any_request();
  const bool by_switch = take_dropped(op);
  const Dropped dropped = cut || op.state.kept ? Dropped::nothing : request_dropped(op, by_switch);
  if (dropped != Dropped::nothing) {
    drop_request(op, dropped);
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
  flush_old(qp);
  const bool behind = qp.losses.lists_ && !qp.losses.lists_->answers.empty();
  const bool cut = network_.cut(qp.to, op.from);
  const bool by_switch = take_dropped(op);
  const Dropped dropped = cut ? Dropped::nothing : answer_dropped(op, by_switch);
  if (cut) {
    lose_answer(op);
  } else if (dropped != Dropped::nothing) {
    drop_answer(op, dropped);
  } else if (behind) {
    answer_behind(op);
  } else {
    if (qp.losses.lists_) qp.losses.lists_->repeats = 0;
    return false;
  }
  return true;
}

// An answer has come behind lost acknowledgements, and says as much as they would have.
bool Resending::make_up_for(SimOperation& op) {
  QpLosses& losses = op.qp->losses;
  QpLosses::Lists& lost = *losses.lists_;
  const auto is_acknowledgement = [](const SimOperation* each) {
    return each->kind == OpKind::send || each->verb.kind == VerbKind::write;
  };
  if (!std::all_of(lost.answers.begin(), lost.answers.end(), is_acknowledgement)) return false;
  lost.answers.push_back(&op);
  for (SimOperation* const each : std::exchange(lost.answers, {})) {
    each->state.covered = true;
    timeline_.push(timeline_.now(), each->actor, Gate::complete, each);
  }
  lost.repeats = 0;
  if (lost.requests.empty()) recover(losses);
  return true;
}

// Nothing is lost any more. Completions let what was held back leave.
void Resending::recover(QpLosses& losses) {
  losses.recovering_ = false;
  losses.due_ = kNever;
  losses.lists_->dropped = losses.lists_->by_chance = false;
}

// What was lost before the QP's last error is over.
void Resending::flush_old(Qp& qp) {
  if (!qp.losses.lists_) return;
  QpLosses::Lists& lost = *qp.losses.lists_;
  if (lost.answers.empty() && lost.requests.empty()) return;
  for (Operations* const list : {&lost.answers, &lost.requests})
    std::erase_if(*list, [&](SimOperation* op) {
      if (qp.is_current(*op)) return false;
      op->completion.status = VerbStatus::flushed;
      timeline_.push(qp.completes(timeline_.now()), op->actor, Gate::complete, op);
      return true;
    });
  if (lost.answers.empty() && lost.requests.empty()) recover(qp.losses);
}

// Whether all that the requester has sent meanwhile has arrived, and all answers are back that were
// on their way; otherwise it sends again later. On a path that was down it has sent nothing.
bool Resending::is_settled(Qp& qp) {
  QpLosses& losses = qp.losses;
  const QpLosses::Lists& lost = *losses.lists_;
  const Time now = timeline_.now();
  if (!lost.dropped && std::max(qp.last_arrival(), qp.last_completion()) < now) return true;
  const bool answers = !lost.answers.empty();
  const SimOperation& any = answers ? *lost.answers.front() : *lost.requests.front();
  const Time settled =
      answers ? std::max(qp.last_arrival(), qp.last_completion()) : qp.last_arrival();
  const bool moving = qp.bulk.sending() || (answers && qp.bulk.answering());
  if (settled < now && !moving) return true;
  losses.recovering_ = true;
  const Time later = moving ? now + network_.wire(any.from, qp.to) : now;
  retry_at(qp, any, std::max(settled, later) + picoseconds(1));
  return false;
}

std::optional<Resending::Lost> Resending::take_due(Qp& qp) {
  QpLosses& losses = qp.losses;
  const Time now = timeline_.now();
  if (losses.due_ != now) return std::nullopt;  // another event has replaced this one
  losses.due_ = kNever;
  flush_old(qp);
  QpLosses::Lists& lost = *losses.lists_;
  if (lost.answers.empty() && lost.requests.empty()) return Lost{};
  if (!is_settled(qp)) return std::nullopt;
  Operations done = std::exchange(lost.answers, {});
  Operations again = std::exchange(lost.requests, {});
  const auto in_place = [](const SimOperation* a, const SimOperation* b) {
    return a->place < b->place;
  };
  std::sort(done.begin(), done.end(), in_place);
  std::sort(again.begin(), again.end(), in_place);
  const SimOperation& first = done.empty() ? *again.front() : *done.front();
  const NicModel& nic = owner(first).nic;
  const bool over = lost.attempts + lost.repeats >= nic.ack_retries;
  const bool cut = network_.cut(first.from, qp.to);
  // A request that only asks for its answer again may be lost, too; one behind it shows that.
  const bool lost_again =
      !cut && !done.empty() && request_dropped(first, false) != Dropped::nothing;
  const bool shows = lost_again && done.size() + again.size() > 1;
  if (!over && (cut || lost_again)) {
    ++(cut ? lost.attempts : lost.repeats);
    lost.answers = std::move(done);
    lost.requests = std::move(again);
    losses.recovering_ = true;
    const Duration round_trip = network_.wire(first.from, qp.to) * 2;
    retry_at(qp, first, now + (shows ? round_trip : nic.ack_timeout));
    return std::nullopt;
  }
  if (!over) lost.repeats += lost.dropped ? 1 : 0;
  lost.attempts = 0;
  recover(losses);
  if (!over) return Lost{std::move(done), std::move(again), network_.wire(first.from, qp.to)};
  lost.repeats = 0;
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
  const bool by_switch = take_dropped(op);
  if (!network_.cut(op.from, responder_of(op)) &&
      request_dropped(op, by_switch) == Dropped::nothing) {
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
  const bool by_switch = take_dropped(op);
  if (!network_.cut(responder_of(op), op.from) && answer_dropped(op, by_switch) == Dropped::nothing)
    return false;
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
  if (nodes_[to].dead) {
    if (!op.state.timed_out) op.completion.status = VerbStatus::peer_failed;
    return push(op, {}, Gate::complete);
  }
  if (network_.cut(op.from, to) || request_dropped(op, false) != Dropped::nothing)
    return push(op, nic.ack_timeout, Gate::send_again);
  push(op, network_.wire(op.from, to) * 2 + nic.completion, Gate::complete);
}

}  // namespace latchlab::sim
