#include "backends/simgrid/bulk.h"

#include <algorithm>

#include "backends/simgrid/network.h"
#include "backends/simgrid/requester.h"
#include "backends/simgrid/resending.h"
#include "backends/simgrid/responder.h"

namespace latchlab::sim {

NodeId Bulk::source(const SimOperation& op) const {
  return op.verb.kind == VerbKind::write ? op.from : op.qp->to;
}

NodeId Bulk::target(const SimOperation& op) const {
  return op.verb.kind == VerbKind::write ? op.qp->to : op.from;
}

bool Bulk::is_stopped(const SimOperation& op) const {
  return nodes_[source(op)].dead || network_.cut(source(op), target(op));
}

// ---- the start ----

void Bulk::send(SimOperation& op, Time date) {
  op.qp->bulk.sending_ = true;
  wait_until(op, network_.depart_bulk(op.from, date));
}

bool Bulk::takes_answer(SimOperation& op, Time date) {
  QpBulk& qp = op.qp->bulk;
  if (qp.answering_) {
    op.answers_at = date;
    qp.answers_.push(&op);
    return true;
  }
  if (op.verb.kind != VerbKind::read || !op.completion.ok() || !carries(op)) return false;
  qp.answering_ = true;
  wait_until(op, date);
  return true;
}

void Bulk::wait_until(SimOperation& op, Time date) {
  op.bulk = BulkState::waiting;
  push_event(op, date);
}

void Bulk::push_event(SimOperation& op, Time date) {
  const bool flows = spec_.model == BulkModel::flows;
  timeline_.push(date, op.actor, flows ? EventKind::flow : EventKind::bulk, &op);
}

void Bulk::begin_or_stop(SimOperation& op) {
  if (op.bulk == BulkState::stopping) return take_off(op);
  if (is_stopped(op)) return give_up(op);
  op.bulk = BulkState::moving;
  if (spec_.model == BulkModel::flows)
    return platform_.start_flow(source(op), target(op), op.verb.bytes, &op);
  op.ports_left = 2;
  const auto carry = [&](SharedPort& port, NodeId here, NodeId there) {
    port.add(timeline_.now(), platform_.occupies(here, there, op.verb.bytes), &op);
    watch(port);
  };
  carry(ports_[source(op)].egress, source(op), target(op));
  carry(ports_[target(op)].ingress, target(op), source(op));
}

// ---- the end ----

// A port has at most one useful event; one that fires too early is set again.
void Bulk::watch(SharedPort& port) {
  const Time next = port.next_done();
  if (next >= port.timer_at) return;
  port.timer_at = std::max(next, timeline_.now());
  timeline_.push(port.timer_at, 0, EventKind::port_done, &port);
}

// A payload is through when both of its ports have carried it.
void Bulk::port_done(SharedPort& port) {
  const Time now = timeline_.now();
  if (port.timer_at != now) return;  // replaced by an earlier one
  port.timer_at = kNever;
  while (SimOperation* op = port.take_done(now))
    if (--op->ports_left == 0) timeline_.push(now, op->actor, EventKind::bulk_done, op);
  watch(port);
}

void Bulk::flow_done(SimOperation& op, Time date) {
  timeline_.push(std::max(timeline_.now(), date), op.actor, EventKind::bulk_done, &op);
}

void Bulk::done(SimOperation& op) {
  if (op.bulk != BulkState::moving) return;  // stopped at this date
  op.bulk = BulkState::none;
  Qp& qp = *op.qp;
  const bool request = op.verb.kind == VerbKind::write;
  const Time date = timeline_.now() + network_.wire(source(op), target(op)) +
                    network_.jitter(source(op), request ? op.chance_there : op.chance_back);
  if (request) {
    responder_.expect(op, date);
    qp.bulk.sending_ = false;
    return requester_.release(qp);
  }
  timeline_.push(qp.completes(date + owner(op).nic.completion), op.actor, EventKind::complete, &op);
  qp.bulk.answering_ = false;
  release_answers(qp);
}

void Bulk::release_answers(Qp& qp) {
  Fifo<SimOperation>& answers = qp.bulk.answers_;
  while (!answers.empty() && !qp.bulk.answering_) {
    SimOperation& next = *answers.pop();
    const Time now = timeline_.now();
    if (next.completion.ok())
      responder_.answer(next, std::max(next.answers_at, now) - now);
    else
      responder_.fail(next, next.completion.status);
  }
}

// ---- cuts and crashes ----

// An event of its own takes each payload off its ports or its flow.
void Bulk::stop_cut() {
  for (SimOperation& op : operations_.all()) {
    if (op.bulk != BulkState::moving || !is_stopped(op)) continue;
    op.bulk = BulkState::stopping;
    push_event(op, timeline_.now());
  }
}

void Bulk::take_off(SimOperation& op) {
  if (spec_.model == BulkModel::flows) {
    platform_.cancel_flow(&op);
  } else {
    ports_[source(op)].egress.remove(timeline_.now(), &op);
    ports_[target(op)].ingress.remove(timeline_.now(), &op);
  }
  give_up(op);
}

// The sender is dead, or its NIC has to send the payload again.
void Bulk::give_up(SimOperation& op) {
  op.bulk = BulkState::none;
  Qp& qp = *op.qp;
  const bool dead = nodes_[source(op)].dead;
  if (op.verb.kind == VerbKind::write) {
    qp.bulk.sending_ = false;
    if (!dead) return resending_.lose_request(op);
    op.completion.status = VerbStatus::flushed;
    timeline_.push(timeline_.now(), op.actor, EventKind::complete, &op);
    return requester_.release(qp);
  }
  qp.bulk.answering_ = false;
  if (dead) responder_.fail(op, VerbStatus::peer_failed);
  if (!dead) resending_.lose_answer(op);
  while (!qp.bulk.answers_.empty()) {
    SimOperation& behind = *qp.bulk.answers_.pop();
    if (dead)
      responder_.fail(behind, VerbStatus::flushed);
    else
      resending_.lose_answer(behind);
  }
}

}  // namespace latchlab::sim
