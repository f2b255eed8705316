// Long payloads: WRITEs on their way there, READs on their way back. They share the network with
// each other, by shared ports or as SimGrid's flows, and do not delay short ones, whose packets go
// in between. On one QP everything stays in order: what is posted after a long WRITE leaves after
// it, and what is answered after a long READ returns after it.

#include <algorithm>

#include "backends/simgrid/simulator.h"

namespace latchlab::sim {

bool Simulator::is_bulk(const SimOperation& op) const {
  return op.kind == OpKind::verb && !is_atomic(op.verb.kind) &&
         op.verb.bytes > options_.bulk.above_bytes && !loops_back(op.from, op.qp->to);
}

NodeId Simulator::bulk_source(const SimOperation& op) const {
  return op.verb.kind == VerbKind::write ? op.from : op.qp->to;
}

NodeId Simulator::bulk_target(const SimOperation& op) const {
  return op.verb.kind == VerbKind::write ? op.qp->to : op.from;
}

// A WRITE leaves: its first packet takes its turn at the port.
void Simulator::send_bulk(SimOperation& op, Time date) {
  Nic& nic = *node(op.from).nic;
  const Time starts = std::max(nic.outbound_free, date);
  nic.outbound_free = starts + at_rate_of(nic, nic.model->request_gap);
  op.qp->sending_bulk = true;
  await_bulk(op, starts);
}

// Whether the answer, which could leave at `date`, is bulk itself or waits behind one that is.
bool Simulator::answers_in_bulk(SimOperation& op, Time date) {
  Qp& qp = *op.qp;
  if (qp.answering_bulk) {
    op.answers_at = date;
    qp.answers.push(&op);
    return true;
  }
  if (op.verb.kind != VerbKind::read || !op.completion.ok() || !is_bulk(op)) return false;
  qp.answering_bulk = true;
  await_bulk(op, date);
  return true;
}

void Simulator::await_bulk(SimOperation& op, Time date) {
  op.bulk = BulkState::waiting;
  push_bulk_event(op, date);
}

void Simulator::push_bulk_event(SimOperation& op, Time date) {
  const bool flows = options_.bulk.model == BulkModel::flows;
  push(date, op.actor, flows ? EventKind::flow : EventKind::bulk, &op);
}

void Simulator::bulk_event(SimOperation& op) {
  const NodeId source = bulk_source(op);
  const NodeId target = bulk_target(op);
  const bool cut_off_now = node(source).dead || cut(source, target);
  if (op.bulk == BulkState::stopping) return take_off(op);
  if (cut_off_now) return give_up_bulk(op);
  op.bulk = BulkState::moving;
  if (options_.bulk.model == BulkModel::flows)
    return platform_->start_flow(source, target, op.verb.bytes, &op);
  op.ports_left = 2;
  const auto carry = [&](SharedPort& port, NodeId here, NodeId there) {
    port.add(now_, platform_->occupies(here, there, op.verb.bytes), &op);
    watch_port(port);
  };
  carry(node(source).nic->egress, source, target);
  carry(node(target).nic->ingress, target, source);
}

// A port has at most one useful event; one that comes early is set again.
void Simulator::watch_port(SharedPort& port) {
  const Time next = port.next_done();
  if (next >= port.timer_at) return;
  port.timer_at = std::max(next, now_);
  push(port.timer_at, 0, EventKind::port_done, &port);
}

// A payload is through when both its ports have carried it.
void Simulator::port_done(SharedPort& port) {
  if (port.timer_at != now_) return;  // replaced by an earlier one
  port.timer_at = kNever;
  while (SimOperation* op = port.take_done(now_))
    if (--op->ports_left == 0) push(now_, op->actor, EventKind::bulk_done, op);
  watch_port(port);
}

void Simulator::flow_done(void* who, std::int64_t date_ps) {
  auto* op = static_cast<SimOperation*>(who);
  push(std::max(now_, Time{date_ps}), op->actor, EventKind::bulk_done, op);
}

void Simulator::bulk_done(SimOperation& op) {
  if (op.bulk != BulkState::moving) return;  // cut off at this very date
  op.bulk = BulkState::none;
  Qp& qp = *op.qp;
  const Time date = now_ + wire(bulk_source(op), bulk_target(op)) + jitter(nic_of(bulk_source(op)));
  if (op.verb.kind == VerbKind::write) {
    qp.last_arrival = std::max(qp.last_arrival, date + serve_time(op));
    push(qp.last_arrival, op.actor, EventKind::arrive, &op);
    qp.sending_bulk = false;
    return release_held(qp);
  }
  qp.last_completion = std::max(qp.last_completion, date + owner(op).nic.completion);
  push(qp.last_completion, op.actor, EventKind::complete, &op);
  qp.answering_bulk = false;
  release_answers(qp);
}

void Simulator::release_answers(Qp& qp) {
  while (!qp.answers.empty() && !qp.answering_bulk) {
    SimOperation& next = *qp.answers.pop();
    if (next.completion.ok())
      answer(next, std::max(next.answers_at, now_) - now_);
    else
      fail_verb(next, next.completion.status);
  }
}

// Payloads under way whose path has been cut or whose sender has died: each is taken off its ports
// or its flow by an event of its own.
void Simulator::stop_bulk() {
  for (SimOperation& op : operations_.all()) {
    if (op.bulk != BulkState::moving) continue;
    const NodeId source = bulk_source(op);
    if (!node(source).dead && !cut(source, bulk_target(op))) continue;
    op.bulk = BulkState::stopping;
    push_bulk_event(op, now_);
  }
}

void Simulator::take_off(SimOperation& op) {
  if (options_.bulk.model == BulkModel::flows) {
    platform_->cancel_flow(&op);
  } else {
    node(bulk_source(op)).nic->egress.remove(now_, &op);
    node(bulk_target(op)).nic->ingress.remove(now_, &op);
  }
  give_up_bulk(op);
}

// The sender is dead, or its NIC will have to send the payload again.
void Simulator::give_up_bulk(SimOperation& op) {
  op.bulk = BulkState::none;
  Qp& qp = *op.qp;
  const bool dead = node(bulk_source(op)).dead;
  if (op.verb.kind == VerbKind::write) {
    qp.sending_bulk = false;
    if (!dead) return lose(qp, Lost::request, op, owner(op).nic.ack_timeout);
    op.completion.status = VerbStatus::flushed;
    push(now_, op.actor, EventKind::complete, &op);
    return release_held(qp);
  }
  qp.answering_bulk = false;
  if (dead) fail_verb(op, VerbStatus::peer_failed);
  if (!dead) lose(qp, Lost::answer, op, owner(op).nic.ack_timeout);
  while (!qp.answers.empty()) {
    SimOperation& behind = *qp.answers.pop();
    if (dead)
      fail_verb(behind, VerbStatus::flushed);
    else
      lose(qp, Lost::answer, behind, owner(behind).nic.ack_timeout);
  }
}

}  // namespace latchlab::sim
