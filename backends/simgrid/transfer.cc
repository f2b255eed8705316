#include "backends/simgrid/transfer.h"

#include <algorithm>

namespace latchlab::sim {

namespace {

// Leaves room for 10^5 payloads at once, of which each takes up to a quarter of an hour alone.
constexpr std::int64_t kPerPicosecond = 64;

}  // namespace

// ---- one port ----

void SharedPort::advance(Time now) {
  const auto sharing = static_cast<std::int64_t>(shares_.size());
  if (sharing == 0)
    virtual_ = 0;
  else
    virtual_ += (now - reached_).ps * kPerPicosecond / sharing;
  reached_ = now;
}

void SharedPort::add(Time now, Duration length, SimOperation* payload) {
  advance(now);
  shares_.insert({virtual_ + length.ps * kPerPicosecond, sequence_++, payload});
}

void SharedPort::remove(Time now, const SimOperation* payload) {
  advance(now);
  const auto found = std::find_if(shares_.begin(), shares_.end(),
                                  [&](const Share& share) { return share.payload == payload; });
  if (found != shares_.end()) shares_.erase(found);
}

SimOperation* SharedPort::take_done(Time now) {
  advance(now);
  if (shares_.empty() || shares_.begin()->end > virtual_) return nullptr;
  SimOperation* payload = shares_.begin()->payload;
  shares_.erase(shares_.begin());
  return payload;
}

Time SharedPort::next_done() const {
  if (shares_.empty()) return kNever;
  const auto sharing = static_cast<std::int64_t>(shares_.size());
  const std::int64_t left = std::max<std::int64_t>(shares_.begin()->end - virtual_, 0) * sharing;
  return reached_ + Duration{(left + kPerPicosecond - 1) / kPerPicosecond};
}

// ---- requests and answers ----

void Transfer::send_long(SimOperation& op, Time date) {
  op.qp->bulk.sending_ = true;
  wait_until(op, network_.depart_bulk(op.from, date));
}

void Transfer::answer(SimOperation& op, Duration extra) {
  const NodeId here = op.qp->to;
  if (delays_answer(op, timeline_.now() + extra)) return;
  const Packets sent = answer_packets(nodes_.model(here), op.verb);
  const Time arrives = network_.depart_answer(op, here, op.from, extra, sent, op.chance_back);
  timeline_.push(op.qp->completes(arrives + owner(op).nic.completion), op.actor, Gate::complete,
                 &op);
}

void Transfer::fail(SimOperation& op, VerbStatus status) {
  op.completion.status = status;
  Qp& qp = *op.qp;
  qp.fail();
  const Time now = timeline_.now();
  if (delays_answer(op, now)) return;
  timeline_.push(qp.completes(now + network_.until_heard(op, status)), op.actor, Gate::complete,
                 &op);
}

NodeId Transfer::source(const SimOperation& op) const {
  return op.verb.kind == VerbKind::write ? op.from : op.qp->to;
}

NodeId Transfer::target(const SimOperation& op) const {
  return op.verb.kind == VerbKind::write ? op.qp->to : op.from;
}

// Of a long payload.
std::uint32_t Transfer::wire_bytes(const SimOperation& op) const {
  const NicModel& sender = nodes_.model(source(op));
  const bool write = op.verb.kind == VerbKind::write;
  return (write ? request_packets(sender, op.verb) : answer_packets(sender, op.verb)).wire;
}

bool Transfer::is_stopped(const SimOperation& op) const {
  return nodes_[source(op)].dead || network_.cut(source(op), target(op));
}

// ---- a long payload: the start ----

bool Transfer::takes_answer(SimOperation& op, Time date) {
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

void Transfer::wait_until(SimOperation& op, Time date) {
  op.bulk = BulkState::waiting;
  push_event(op, date);
}

void Transfer::push_event(SimOperation& op, Time date) {
  const bool flows = spec_.model == BulkModel::flows;
  timeline_.push(date, op.actor, flows ? Gate::flow : Gate::bulk, &op);
}

void Transfer::begin_or_stop(SimOperation& op) {
  if (op.bulk == BulkState::stopping) return take_off(op);
  if (is_stopped(op)) return give_up(op);
  op.bulk = BulkState::moving;
  const std::uint32_t bytes = wire_bytes(op);
  network_.carry_long(source(op), target(op), bytes);
  if (spec_.model == BulkModel::flows)
    return platform_.start_flow(source(op), target(op), bytes, &op);
  op.ports_left = 2;
  const auto carry = [&](SharedPort& port, NodeId here, NodeId there) {
    port.add(timeline_.now(), network_.occupies(here, there, bytes), &op);
    watch(port);
  };
  carry(ports_[source(op)].egress, source(op), target(op));
  carry(ports_[target(op)].ingress, target(op), source(op));
}

// ---- a long payload: the end ----

// A port has at most one useful event; one that fires too early is set again.
void Transfer::watch(SharedPort& port) {
  const Time next = port.next_done();
  if (next >= port.timer_at) return;
  port.timer_at = std::max(next, timeline_.now());
  timeline_.push(port.timer_at, 0, Gate::port_done, &port);
}

// A payload is through when both of its ports have carried it.
void Transfer::port_done(SharedPort& port) {
  const Time now = timeline_.now();
  if (port.timer_at != now) return;  // replaced by an earlier one
  port.timer_at = kNever;
  while (SimOperation* op = port.take_done(now))
    if (--op->ports_left == 0) timeline_.push(now, op->actor, Gate::bulk_done, op);
  watch(port);
}

void Transfer::flow_done(SimOperation& op, Time date) {
  timeline_.push(std::max(timeline_.now(), date), op.actor, Gate::bulk_done, &op);
}

void Transfer::done(SimOperation& op) {
  if (op.bulk != BulkState::moving) return;  // stopped at this date
  op.bulk = BulkState::none;
  Qp& qp = *op.qp;
  const bool request = op.verb.kind == VerbKind::write;
  const Time date = timeline_.now() + network_.wire(source(op), target(op)) +
                    network_.jitter(source(op), request ? op.chance_there : op.chance_back);
  if (request) {
    network_.deliver(op, date);
    qp.bulk.sending_ = false;
    return timeline_.pass(Gate::sendable, &qp);
  }
  timeline_.push(qp.completes(date + owner(op).nic.completion), op.actor, Gate::complete, &op);
  qp.bulk.answering_ = false;
  release_answers(qp);
}

void Transfer::release_answers(Qp& qp) {
  Fifo<SimOperation>& answers = qp.bulk.answers_;
  while (!answers.empty() && !qp.bulk.answering_) {
    SimOperation& next = *answers.pop();
    const Time now = timeline_.now();
    if (next.completion.ok())
      answer(next, std::max(next.answers_at, now) - now);
    else
      fail(next, next.completion.status);
  }
}

// ---- cuts and crashes ----

// An event of its own takes each payload off its ports or its flow.
void Transfer::stop_cut() {
  for (SimOperation& op : operations_.all()) {
    if (op.bulk != BulkState::moving || !is_stopped(op)) continue;
    op.bulk = BulkState::stopping;
    push_event(op, timeline_.now());
  }
}

void Transfer::take_off(SimOperation& op) {
  if (spec_.model == BulkModel::flows) {
    platform_.cancel_flow(&op);
  } else {
    ports_[source(op)].egress.remove(timeline_.now(), &op);
    ports_[target(op)].ingress.remove(timeline_.now(), &op);
  }
  give_up(op);
}

// The sender is dead, or its NIC has to send the payload again.
void Transfer::give_up(SimOperation& op) {
  op.bulk = BulkState::none;
  Qp& qp = *op.qp;
  const bool dead = nodes_[source(op)].dead;
  if (op.verb.kind == VerbKind::write) {
    qp.bulk.sending_ = false;
    if (!dead) return resending_.lose_request(op);
    op.completion.status = VerbStatus::flushed;
    timeline_.push(timeline_.now(), op.actor, Gate::complete, &op);
    return timeline_.pass(Gate::sendable, &qp);
  }
  qp.bulk.answering_ = false;
  if (dead) fail(op, VerbStatus::peer_failed);
  if (!dead) resending_.lose_answer(op);
  while (!qp.bulk.answers_.empty()) {
    SimOperation& behind = *qp.bulk.answers_.pop();
    if (dead)
      fail(behind, VerbStatus::flushed);
    else
      resending_.lose_answer(behind);
  }
}

}  // namespace latchlab::sim
