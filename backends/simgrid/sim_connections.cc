// SENDs over reliable connections, one from each actor to each endpoint that it sends to, with a QP
// of its own at either end. Several are in flight and arrive in their order: what was lost, or has
// found no RECV, is sent again with everything behind it, and what is posted meanwhile waits. An
// error flushes what was posted before the sender heard of it; then the connection stands anew.

#include <algorithm>

#include "backends/simgrid/simulator.h"

namespace latchlab::sim {

Qp& Simulator::connection(const SimActor& actor, EndpointAddr to) {
  Qp*& known = connections_[{actor.index, to.packed()}];
  if (known != nullptr) return *known;
  known = &qps_.emplace_back();
  known->to = to.node;
  known->messages = true;
  count_qp(actor.node());
  count_qp(to.node);
  return *known;
}

void Simulator::post_connected(const SimActor& actor, SimOperation& op, Time date) {
  op.qp = &connection(actor, op.target);
  op.epoch = op.qp->epoch;
  if (op.qp->recovering) return op.qp->held_back.push(&op);
  leave_connected(op, date);
}

void Simulator::leave_connected(SimOperation& op, Time date) {
  Qp& qp = *op.qp;
  op.place = ++qp.places;
  if (node(op.from).dead) {  // held back when its node died
    op.completion.status = VerbStatus::flushed;
    return push(date, op.actor, EventKind::complete, &op);
  }
  qp.last_arrival = std::max(qp.last_arrival, message_arrival(op, date) + serve_time(op));
  push(qp.last_arrival, op.actor, EventKind::arrive, &op);
}

void Simulator::release_connection(Qp& qp) {
  while (!qp.held_back.empty() && !qp.recovering) {
    SimOperation& next = *qp.held_back.pop();
    leave_connected(next, std::max(now_, next.posted));
  }
}

// Behind one that failed, or that has to be sent again.
bool Simulator::out_of_turn(SimOperation& op) {
  Qp& qp = *op.qp;
  if (qp.broken || op.epoch != qp.epoch) {
    fail_send(op, VerbStatus::flushed);
    return true;
  }
  const bool behind = qp.losses && !qp.losses->requests.empty();
  if (behind) lose(qp, Lost::request, op, {});
  return behind;
}

void Simulator::connection_heard(const SimOperation& op) {
  Qp& qp = *op.qp;
  if (!op.completion.ok() && op.epoch == qp.epoch) {
    ++qp.epoch;
    qp.broken = false;
  }
  release_connection(qp);
}

}  // namespace latchlab::sim
