// Messages: endpoints, what happens where one arrives, and the two transports without a connection.
// A DC initiator has one message in flight, turns from target to target, and hears of each; a
// datagram is on its own once it has left. sim_connections.cc has the third.

#include <algorithm>
#include <memory>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"
#include "core/base/prefetch.h"

namespace latchlab::sim {

EndpointAddr Simulator::open_endpoint(SimActor& actor, std::uint32_t recv_depth,
                                      Transport transport) {
  LATCHLAB_CHECK(recv_depth > 0, "an endpoint needs at least one RECV");
  std::vector<Endpoint>& all = node(actor.node()).endpoints;
  Endpoint& endpoint = all.emplace_back();
  const EndpointAddr addr{actor.node(), static_cast<std::uint32_t>(all.size())};
  LATCHLAB_CHECK(addr.number < (1u << 24), "a node has at most 2^24 endpoints");
  endpoint.owner = &actor;
  endpoint.free_recvs = recv_depth;
  endpoint.transport = transport;
  return addr;
}

const Endpoint* Simulator::find_endpoint(EndpointAddr addr) const {
  if (addr.node.value == 0 || addr.node.value > nodes_.size()) return nullptr;
  const std::vector<Endpoint>& all = node(addr.node).endpoints;
  return addr.number >= 1 && addr.number <= all.size() ? &all[addr.number - 1] : nullptr;
}

Endpoint* Simulator::find_endpoint(EndpointAddr addr) {
  return const_cast<Endpoint*>(std::as_const(*this).find_endpoint(addr));
}

// ---- SEND ----

void Simulator::post_send(SimActor& actor, SimOperation& op, Time date) {
  LATCHLAB_CHECK(op.target.node.value >= 1 && op.target.node.value <= nodes_.size(),
                 "message to a node that does not exist");
  ++census_.posted;
  ++census_.in_flight;
  op.qp = nullptr;
  op.posted = date;
  const Endpoint* endpoint = find_endpoint(op.target);
  const Transport transport = endpoint != nullptr ? endpoint->transport : Transport::dc;
  if (is_datagram(transport)) return post_datagram(op, date);
  if (!is_dynamic(transport)) return post_connected(actor, op, date);
  actor.initiator.waiting.push(&op);
  pump_sends(actor);
}

// When what leaves at `date` arrives.
Time Simulator::message_arrival(const SimOperation& op, Time date) {
  if (op.from == op.target.node)
    return date + owner(op).nic.intra_node_message + jitter(owner(op).nic);
  return depart(op.from, op.target.node, date, sizeof(Message));
}

void Simulator::message_arrives(SimOperation& op) {
  if (links_fail_ && (op.qp != nullptr ? request_lost(op) : message_lost(op))) return;
  enter_pipeline(op, now_);
}

// ---- datagrams ----

// Its sender goes on when it has left. What arrives, if anything does, has a slot of its own.
void Simulator::post_datagram(SimOperation& op, Time date) {
  op.state.datagram = true;
  const bool crosses = !loops_back(op.from, op.target.node);
  Time arrival = message_arrival(op, date);
  const bool by_nic = op.from != op.target.node;
  const Time left = by_nic ? node(op.from).nic->outbound_free : date;
  push(left + owner(op).nic.completion, op.actor, EventKind::complete, &op);
  const DatagramSpec& may = options_.datagrams;
  if (crosses && happens(may.loss_ppb)) return;
  if (crosses && happens(may.reorder_ppb))
    arrival = arrival + picoseconds(1 + static_cast<std::int64_t>(datagrams_.below(
                                            static_cast<std::uint64_t>(may.reorder_by.ps))));
  SimOperation& flying = take_operation();
  flying.kind = OpKind::send;
  flying.owner = op.owner;
  flying.batch = &flying;
  flying.life = op.life;
  flying.actor = op.actor;
  flying.from = op.from;
  flying.target = op.target;
  flying.qp = nullptr;
  flying.state.datagram = true;
  std::construct_at(&flying.message, op.message);
  push(arrival + serve_time(flying), flying.actor, EventKind::arrive, &flying);
}

bool Simulator::happens(std::int64_t share_ppb) {
  constexpr std::uint64_t kWhole = 1'000'000'000;
  return share_ppb > 0 && datagrams_.below(kWhole) < static_cast<std::uint64_t>(share_ppb);
}

// ---- DC initiators ----

void Simulator::pump_sends(SimActor& actor) {
  Initiator& initiator = actor.initiator;
  if (initiator.busy || initiator.waiting.empty()) return;
  SimOperation& op = *initiator.waiting.pop();
  initiator.busy = true;
  Time date = std::max(now_, op.posted);
  if (initiator.target != op.target) date = date + actor.nic.dc_connect;
  initiator.target = op.target;
  transmit(op, date);
}

void Simulator::transmit(SimOperation& op, Time date) {
  const Time arrival = message_arrival(op, date);
  push(arrival + serve_time(op), op.actor, EventKind::arrive, &op);
  if (const Endpoint* const endpoint = find_endpoint(op.target)) prefetch(*endpoint);
}

// ---- where a message arrives ----

void Simulator::deliver(SimOperation& op) {
  Endpoint* endpoint = find_endpoint(op.target);
  const bool gone = endpoint == nullptr || endpoint->gone || node(op.target.node).dead;
  if (op.state.datagram) {
    if (!gone && !cut_off(op) && endpoint->free_recvs > 0) take_message(op, *endpoint);
    return recycle(op);
  }
  if (cut_off(op)) return fail_send(op, VerbStatus::flushed);
  if (op.qp != nullptr && out_of_turn(op)) return;
  if (gone) return fail_send(op, VerbStatus::peer_failed);
  if (endpoint->free_recvs == 0) return not_ready(op, endpoint->transport);
  acknowledge(op, {});
  take_message(op, *endpoint);
}

void Simulator::take_message(SimOperation& op, Endpoint& endpoint) {
  --endpoint.free_recvs;
  Message& message = op.message;
  stamp(message, node(op.target.node));
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), op.actor, op.target.packed(), message.type,
                    message.lock.value, message.words[0], message.words[1], message.words[2]});
  endpoint.queue.push_back(message);
  note_first(op);
  if (endpoint.owner->alive) check_messages(*endpoint.owner);
}

void Simulator::not_ready(SimOperation& op, Transport transport) {
  if (!is_patient(transport) && op.retries++ >= owner(op).nic.rnr_retries)
    return fail_send(op, VerbStatus::receiver_not_ready);
  const Duration pause = way_back(op) + nic_of(op.target.node).rnr_timer;
  if (op.qp != nullptr) return lose(*op.qp, Lost::request, op, pause);
  push(now_ + pause, op.actor, EventKind::retry, &op);
}

// ---- the way back ----

Duration Simulator::way_back(const SimOperation& op) const {
  return op.from == op.target.node ? owner(op).nic.intra_node_message
                                   : wire(op.target.node, op.from);
}

// On a connection none overtakes another.
void Simulator::answer_send(SimOperation& op, Time date) {
  if (op.qp != nullptr) date = op.qp->last_completion = std::max(op.qp->last_completion, date);
  push(date, op.actor, EventKind::complete, &op);
}

void Simulator::acknowledge(SimOperation& op, Duration extra) {
  const Duration back = way_back(op) + jitter(nic_of(op.target.node));
  answer_send(op, now_ + extra + back + owner(op).nic.completion);
}

void Simulator::fail_send(SimOperation& op, VerbStatus status) {
  op.completion.status = status;
  if (op.qp != nullptr) op.qp->broken = true;
  const bool silent = status == VerbStatus::peer_failed;
  answer_send(op, now_ + (silent ? no_answer(op) : way_back(op) + owner(op).nic.completion));
}

void Simulator::send_complete(SimOperation& op) {
  if (op.kind == OpKind::call) return call_complete(op);
  if (op.qp != nullptr) {
    if (links_fail_ && answer_lost(op)) return;
    connection_heard(op);
  } else if (!op.state.datagram) {
    if (links_fail_ && message_answer_lost(op)) return;
    initiator_heard(op);
  }
  count_end(op);
  finish_operation(op);
}

void Simulator::initiator_heard(const SimOperation& op) {
  SimActor& actor = owner(op);
  if (op.completion.ok()) {
    actor.initiator.busy = false;
    return pump_sends(actor);
  }
  // The DCI is in error: it must be reset and turned to its target again.
  actor.initiator.target = {};
  push(now_ + actor.nic.dc_reset, actor.index, EventKind::send_ready, &actor);
}

void Simulator::count_end(const SimOperation& op) {
  --census_.in_flight;
  ++(op.completion.ok() ? census_.executed : census_.failed);
}

}  // namespace latchlab::sim
