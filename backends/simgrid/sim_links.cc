// Links that go down and come back. What arrives over a path that is down is lost, in either
// direction. The sender's NIC hears nothing and sends again after each ack_timeout, ack_retries
// times; then the verb, and with it its QP, fails. The effect of a verb is done once, however often
// its answer was lost: a verb that fails may have had its effect.
//
// Retransmission goes back to the first verb without an answer: while a QP has lost something, it
// sends nothing new, and then everything again in the old order. A dead path is not told from a
// dead node.

#include <algorithm>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"

namespace latchlab::sim {

void Simulator::set_link(NodeId a, NodeId b, bool up) {
  LATCHLAB_CHECK(a != kNoNode && a.value <= nodes_.size() && b.value <= nodes_.size() && a != b,
                 "a link of nodes that do not exist");
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0x117e, a.value, b.value, up ? 1U : 0U});
  std::uint32_t& cuts =
      b == kNoNode ? node(a).nic->port_cuts : cut_pairs_[std::minmax(a.value, b.value)];
  LATCHLAB_CHECK(!up || cuts > 0, "a link comes back that is not down");
  cuts += up ? -1U : 1U;
  cuts_ += up ? -1U : 1U;
  links_fail_ = true;
  if (!up) stop_bulk();
}

bool Simulator::path_down(NodeId a, NodeId b) const {
  if (loops_back(a, b)) return false;
  if (node(a).nic->port_cuts > 0 || node(b).nic->port_cuts > 0) return true;
  const auto found = cut_pairs_.find(std::minmax(a.value, b.value));
  return found != cut_pairs_.end() && found->second > 0;
}

// ---- verbs ----

void Simulator::lose(Qp& qp, Lost what, SimOperation& op, Duration wait) {
  if (!qp.losses) qp.losses = std::make_unique<Losses>();
  (what == Lost::request ? qp.losses->requests : qp.losses->answers).push_back(&op);
  if (std::exchange(qp.recovering, true)) return;
  // Whatever is still on its way will have arrived by then, and been lost or refused too.
  const Time after = std::max(now_ + wait, qp.last_arrival + picoseconds(1));
  push(after, op.actor, EventKind::resend, &qp);
}

// A request arrives. On one QP nothing is accepted before what was lost.
bool Simulator::request_lost(SimOperation& op) {
  Qp& qp = *op.qp;
  if (op.epoch != qp.epoch) return false;  // its QP has failed: it will be refused
  const bool behind = qp.losses && !qp.losses->requests.empty();
  if (!behind && !cut(op.from, qp.to)) return false;
  lose(qp, Lost::request, op, owner(op).nic.ack_timeout);
  return true;
}

// An answer comes back.
bool Simulator::answer_lost(SimOperation& op) {
  Qp& qp = *op.qp;
  if (!op.completion.ok()) return false;
  if (op.epoch != qp.epoch) {
    op.completion.status = VerbStatus::flushed;
    return false;
  }
  const bool behind = qp.losses && !qp.losses->answers.empty();
  if (!behind && !cut(qp.to, op.from)) return false;
  lose(qp, Lost::answer, op, owner(op).nic.ack_timeout);
  return true;
}

void Simulator::resend(Qp& qp) {
  Losses& losses = *qp.losses;
  std::vector<SimOperation*> done = std::exchange(losses.answers, {});
  std::vector<SimOperation*> again = std::exchange(losses.requests, {});
  const auto in_place = [](const SimOperation* a, const SimOperation* b) {
    return a->place < b->place;
  };
  std::sort(done.begin(), done.end(), in_place);
  std::sort(again.begin(), again.end(), in_place);
  const SimOperation& first = done.empty() ? *again.front() : *done.front();
  const bool over = losses.attempts >= owner(first).nic.ack_retries || first.epoch != qp.epoch;
  if (!over && cut(first.from, qp.to)) {
    ++losses.attempts;
    losses.answers = std::move(done);
    losses.requests = std::move(again);
    return push(now_ + owner(first).nic.ack_timeout, first.actor, EventKind::resend, &qp);
  }
  qp.recovering = false;
  losses.attempts = 0;
  if (over) return fail_lost(qp, done, again);
  for (SimOperation* op : done) {
    const Duration there = wire(op->from, qp.to);
    qp.messages ? acknowledge(*op, there) : answer(*op, there);
  }
  rewind(qp, again);
}

void Simulator::fail_lost(Qp& qp, const std::vector<SimOperation*>& done,
                          const std::vector<SimOperation*>& again) {
  VerbStatus status = VerbStatus::peer_failed;
  qp.broken = true;
  for (const auto* list : {&done, &again}) {
    for (SimOperation* op : *list) {
      op->completion.status = op->epoch == qp.epoch ? status : VerbStatus::flushed;
      status = VerbStatus::flushed;
      qp.last_completion = std::max(qp.last_completion, now_);
      push(qp.last_completion, op->actor, EventKind::complete, op);
    }
  }
}

// Back to where they were before they left, ahead of what has been held back since.
void Simulator::rewind(Qp& qp, const std::vector<SimOperation*>& again) {
  Fifo<SimOperation> queue;
  for (SimOperation* op : again) {
    if (!qp.messages && op->verb.kind != VerbKind::write) --qp.outstanding;
    if (op->carried) op->carried->clear();
    queue.push(op);
  }
  while (!qp.held_back.empty()) queue.push(qp.held_back.pop());
  qp.held_back = queue;
  qp.messages ? release_connection(qp) : release_held(qp);
}

// ---- messages without a connection, and calls ----

bool Simulator::message_lost(SimOperation& op) {
  if (!cut(op.from, responder(op))) {
    op.attempts = 0;
    return false;
  }
  if (op.state.datagram)
    recycle(op);
  else
    push(now_ + owner(op).nic.ack_timeout, op.actor, EventKind::send_again, &op);
  return true;
}

bool Simulator::message_answer_lost(SimOperation& op) {
  if (!op.completion.ok() || !cut(responder(op), op.from)) return false;
  op.state.landed = true;
  push(now_ + owner(op).nic.ack_timeout, op.actor, EventKind::send_again, &op);
  return true;
}

void Simulator::send_again(SimOperation& op) {
  if (op.attempts >= owner(op).nic.ack_retries) {
    if (!op.state.timed_out) op.completion.status = VerbStatus::peer_failed;
    return push(now_, op.actor, EventKind::complete, &op);
  }
  ++op.attempts;
  if (!op.state.landed) {
    if (op.kind == OpKind::send) return transmit(op, now_);
    return push(depart(op.from, op.server, now_, sizeof(Request)) + serve_time(op), op.actor,
                EventKind::arrive, &op);
  }
  if (cut(op.from, responder(op)))
    return push(now_ + owner(op).nic.ack_timeout, op.actor, EventKind::send_again, &op);
  push(now_ + wire(op.from, responder(op)) * 2 + owner(op).nic.completion, op.actor,
       EventKind::complete, &op);
}

}  // namespace latchlab::sim
