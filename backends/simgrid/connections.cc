// SENDs over reliable connections: one from each actor to each endpoint that it sends to, with a QP
// of its own at either end. Several messages are in flight and arrive in order. A message that was
// lost, or that found no RECV, is sent again with everything behind it, and messages that are
// posted meanwhile wait. An error flushes what was posted before the sender learned of it; then the
// connection is set up anew.

#include <algorithm>

#include "backends/simgrid/messages.h"

namespace latchlab::sim {

Qp& Messages::connection(const SimActor& actor, EndpointAddr to) {
  Qp*& known = connections_[{actor.index, to.packed()}];
  if (known != nullptr) return *known;
  known = &qps_.emplace_back(to.node, true);
  nodes_.nic(actor.node()).add_qp();
  nodes_.nic(to.node).add_qp();
  return *known;
}

void Messages::post_connected(const SimActor& actor, SimOperation& op, Time date) {
  op.qp = &connection(actor, op.target);
  op.qp->admit(op);
  if (op.qp->losses.recovering()) return op.qp->sender.held_back_.push(&op);
  leave_connected(op, date);
}

void Messages::leave_connected(SimOperation& op, Time date) {
  op.place = ++op.qp->sender.places_;
  if (nodes_[op.from].dead) {  // held back when its node died
    op.completion.status = VerbStatus::flushed;
    return timeline_.push(date, op.actor, Gate::complete, &op);
  }
  network_.deliver(op, arrival(op, date));
}

void Messages::release(Qp& connection) {
  Fifo<SimOperation>& held = connection.sender.held_back_;
  while (!held.empty() && !connection.losses.recovering()) {
    SimOperation& next = *held.pop();
    leave_connected(next, std::max(timeline_.now(), next.posted));
  }
}

// Takes a message that is behind one that failed, or behind one that has to be sent again.
bool Messages::out_of_turn(SimOperation& op) {
  if (op.qp->refuses(op)) {
    fail(op, VerbStatus::flushed);
    return true;
  }
  const bool behind = op.qp->losses.any_request_before(op.place);
  if (behind) resending_.refuse(op, {});
  return behind;
}

void Messages::resend(Qp& connection) {
  const auto lost = resending_.take_due(connection);
  if (!lost) return;
  for (SimOperation* const op : lost->answers) {
    const Endpoint* const endpoint = find(op->target);
    if (endpoint == nullptr || endpoint->gone || nodes_[op->target.node].dead)
      fail(*op, VerbStatus::peer_failed);
    else
      acknowledge(*op, lost->there);
  }
  connection.sender.held_back_.push_front(lost->requests);
  release(connection);
}

}  // namespace latchlab::sim
