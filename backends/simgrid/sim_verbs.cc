// One-sided verbs: from the requester's QP to the responder's memory and back.

#include <algorithm>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"

namespace latchlab::sim {

namespace {

// Bytes up to here cost no latency of their own: it is part of the wire's.
constexpr std::uint32_t kSmallBytes = 64;
static_assert(sizeof(Message) <= kSmallBytes);

bool waits_for_answer(const SimOperation& op) {
  return op.verb.kind == VerbKind::read || is_atomic(op.verb.kind);
}

// Bytes that the request (or, for a READ, the reply) carries.
std::uint32_t payload(const SimOperation& op) {
  return op.kind == OpKind::verb ? op.verb.bytes : sizeof(Message);
}

}  // namespace

// ---- the way there ----

void Simulator::post_verb(SimActor& actor, SimOperation& op, Time date) {
  const NodeId to = op.verb.addr.node;
  LATCHLAB_CHECK(to.value >= 1 && to.value <= nodes_.size(), "verb to a node that does not exist");
  ++census_.posted;
  ++census_.in_flight;
  op.qp = &qp_of(actor, to);
  op.epoch = op.qp->epoch;
  op.posted = date;
  if (may_leave(*op.qp, op) && op.qp->held_back.empty()) {
    leave(op, date);
  } else {
    op.qp->held_back.push(&op);
  }
}

bool Simulator::may_leave(const Qp& qp, const SimOperation& op) const {
  if (qp.sending_bulk || qp.recovering || (op.verb.fenced && qp.outstanding > 0)) return false;
  return !waits_for_answer(op) || qp.outstanding < qp.most;
}

void Simulator::leave(SimOperation& op, Time date) {
  Qp& qp = *op.qp;
  op.place = ++qp.places;
  if (waits_for_answer(op)) ++qp.outstanding;
  if (node(op.from).dead) {  // held back when its node died
    op.completion.status = VerbStatus::flushed;
    return push(date, op.actor, EventKind::complete, &op);
  }
  const bool carries = op.verb.kind == VerbKind::write;
  if (carries && uses_local(op.verb)) pick_up_words(op);
  if (carries && is_bulk(op)) return send_bulk(op, date);
  const Time arrival = depart(op.from, qp.to, date, carries ? op.verb.bytes : 0);
  qp.last_arrival = std::max(qp.last_arrival, arrival + serve_time(op));
  push(qp.last_arrival, op.actor, EventKind::arrive, &op);
}

// When it arrives. The port is busy for the gap between verbs, or as long as the bytes take.
Time Simulator::depart(NodeId from, NodeId to, Time date, std::uint32_t bytes) {
  Nic& nic = *node(from).nic;
  const Duration gap = at_rate_of(nic, nic.model->request_gap);
  const Duration busy = std::max(gap, platform_->occupies(from, to, bytes));
  const Time starts = std::max(nic.outbound_free, date);
  nic.outbound_free = starts + busy;
  const Duration tail = bytes > kSmallBytes ? platform_->transfer(from, to, bytes) : Duration{};
  return starts + tail + wire(from, to) + jitter(*nic.model);
}

Duration Simulator::wire(NodeId from, NodeId to) const {
  const Duration way = platform_->one_way(from, to);
  if (options_.client_link_latency.ps == 0) return way;
  const bool between_clients =
      node(from).hosts_clients && node(to).hosts_clients && !loops_back(from, to);
  return between_clients ? way + options_.client_link_latency : way;
}

Duration Simulator::jitter(const NicModel& sender) {
  if (sender.jitter.ps <= 0) return {};
  const auto most = static_cast<std::uint64_t>(sender.jitter.ps);
  return {static_cast<std::int64_t>(jitter_.below(most + 1))};
}

// ---- at the responder ----

void Simulator::arrive(SimOperation& op) {
  if (links_fail_ && request_lost(op)) return;
  if (op.qp->stalled || !op.qp->behind.empty()) return op.qp->behind.push(&op);
  execute(op, now_);
}

// In the order of the QP. A dead node has no pipeline either.
void Simulator::execute(SimOperation& op, Time alone) {
  if (node(op.qp->to).dead) return fail_verb(op, refusal(op));
  if (uses_slot(op.verb)) op.qp->stalled = true;
  enter_pipeline(op, alone);
}

NodeId Simulator::responder(const SimOperation& op) {
  if (op.kind == OpKind::verb) return op.qp->to;
  return op.kind == OpKind::send ? op.target.node : op.server;
}

// In the inbound pipeline, when nothing else is there.
Duration Simulator::serve_time(const SimOperation& op) const {
  const Nic& nic = *node(responder(op)).nic;
  if (op.kind != OpKind::verb) return at_rate_of(nic, nic.model->serve_send);
  const bool wide = op.verb.bytes == 16;
  Duration serve = wide ? nic.model->serve_atomic_16 : nic.model->serve_atomic_8;
  if (op.verb.kind == VerbKind::read) {
    serve = nic.model->serve_read;
  } else if (op.verb.kind == VerbKind::write) {
    serve = nic.model->serve_write;
  } else if (on_device(op)) {
    serve = wide ? nic.model->device_serve_atomic_16 : nic.model->device_serve_atomic_8;
  }
  return at_rate_of(nic, serve);
}

// Verbs go through the pipeline in the order in which they would leave it if they were alone.
// `alone` is that date; most verbs of a server that is not saturated leave then, without an event
// of their own.
void Simulator::enter_pipeline(SimOperation& op, Time alone) {
  const NodeId to = responder(op);
  Nic& nic = *node(to).nic;
  ++nic.verbs;
  const Duration serve = serve_time(op);
  const Duration transfer = platform_->occupies(to, op.from, payload(op));
  const bool incoming = op.kind == OpKind::verb && op.verb.kind == VerbKind::write && !is_bulk(op);
  const Duration busy = incoming ? std::max(serve, transfer) : serve;
  nic.pipeline_busy += busy;
  nic.link_busy += transfer;
  // What is long has come in while it was on the wire, if nothing else was.
  nic.pipeline_free = std::max(nic.pipeline_free + busy, alone);
  const Time leaves = pcie_ ? cross_pcie(op, to, nic.pipeline_free) : nic.pipeline_free;
  if (leaves == now_) return served(op);
  push(leaves, op.actor, EventKind::served, &op);
}

void Simulator::served(SimOperation& op) {
  if (op.kind == OpKind::send) return deliver(op);
  if (op.kind == OpKind::call) return call_arrived(op);
  const VerbStatus status = refusal(op);
  if (status != VerbStatus::ok) {
    fail_verb(op, status);
    if (uses_slot(op.verb)) unstall(*op.qp);
    return;
  }
  if (is_atomic(op.verb.kind)) return admit(op);
  if (uses_slot(op.verb)) return enter_slot(op);
  move_words(op);
  note_effect(op);
  answer(op, fetch_time(nic_of(op.qp->to), op));
}

// What arrived on the QP behind an atomic (or a READ in a slot) goes on, up to the next one.
void Simulator::unstall(Qp& qp) {
  qp.stalled = false;
  while (!qp.stalled && !qp.behind.empty()) {
    SimOperation& next = *qp.behind.pop();
    execute(next, now_ + serve_time(next));
  }
}

void Simulator::note_first(SimOperation& op) {
  FirstEffect& first = owner(op).first_effect();
  ++effects_;
  if (first.armed) first.happened(owner(op).client(), effects_);
}

void Simulator::note_effect(SimOperation& op) {
  const Verb& verb = op.verb;
  note_first(op);
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), op.actor,
                    static_cast<std::uint64_t>(verb.kind) | (std::uint64_t{verb.bytes} << 8),
                    verb.addr.packed(), verb.value.lo, verb.value.hi, op.completion.value.lo,
                    op.completion.value.hi});
}

// ---- the way back ----

void Simulator::answer(SimOperation& op, Duration extra) {
  const NodeId here = op.qp->to;
  Time date = now_ + extra;
  if (answers_in_bulk(op, date)) return;
  if (op.verb.kind == VerbKind::read && op.verb.bytes > kSmallBytes) {
    Nic& nic = *node(here).nic;
    const Time starts = std::max(nic.outbound_free, date);
    nic.outbound_free = starts + platform_->occupies(here, op.from, op.verb.bytes);
    date = starts + platform_->transfer(here, op.from, op.verb.bytes);
  }
  date = date + wire(here, op.from) + jitter(nic_of(here)) + owner(op).nic.completion;
  Time& last = op.qp->last_completion;
  last = std::max(last, date);
  push(last, op.actor, EventKind::complete, &op);
}

// An error breaks the QP: what is posted before the requester hears of it is flushed.
void Simulator::fail_verb(SimOperation& op, VerbStatus status) {
  op.completion.status = status;
  Time date = now_;
  Qp& qp = *op.qp;
  qp.broken = true;
  if (answers_in_bulk(op, date)) return;
  if (status == VerbStatus::peer_failed) {
    date = date + no_answer(op);
  } else {
    date = date + wire(qp.to, op.from) + owner(op).nic.completion;
  }
  qp.last_completion = std::max(qp.last_completion, date);
  push(qp.last_completion, op.actor, EventKind::complete, &op);
}

void Simulator::release_held(Qp& qp) {
  while (!qp.held_back.empty() && may_leave(qp, *qp.held_back.front())) {
    SimOperation& next = *qp.held_back.pop();
    leave(next, std::max(now_, next.posted));
  }
}

void Simulator::complete_verb(SimOperation& op) {
  if (links_fail_ && answer_lost(op)) return;
  Qp& qp = *op.qp;
  if (waits_for_answer(op)) --qp.outstanding;
  if (!op.completion.ok() && op.epoch == qp.epoch) {  // its first error: connected anew
    ++qp.epoch;
    qp.broken = false;
  }
  release_held(qp);
  --census_.in_flight;
  ++(op.completion.ok() ? census_.executed : census_.failed);
  if (op.completion.ok() && op.verb.kind == VerbKind::read && carries_words(op.verb))
    put_down_words(op);
  finish_operation(op);
}

}  // namespace latchlab::sim
