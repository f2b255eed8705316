#include "backends/simgrid/messages.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/check.h"
#include "core/base/prefetch.h"

namespace latchlab::sim {

static_assert(sizeof(Message) <= kSmallBytes);

// ---- endpoints ----

EndpointAddr Messages::open(SimActor& actor, std::uint32_t recv_depth, Transport transport) {
  LATCHLAB_CHECK(recv_depth > 0, "an endpoint needs at least one RECV");
  std::vector<Endpoint>& all = endpoints_[actor.node()];
  Endpoint& endpoint = all.emplace_back();
  const EndpointAddr addr{actor.node(), static_cast<std::uint32_t>(all.size())};
  LATCHLAB_CHECK(addr.number < (1u << 24), "a node has at most 2^24 endpoints");
  endpoint.owner = &actor;
  endpoint.free_recvs = recv_depth;
  endpoint.transport = transport;
  return addr;
}

void Messages::process_died(const SimActor& actor) {
  for (Endpoint& endpoint : endpoints_[actor.node()])
    if (endpoint.owner == &actor) endpoint.gone = true;
}

Unreceived Messages::unreceived() const {
  Unreceived found;
  for (const std::vector<Endpoint>& all : endpoints_)
    for (const Endpoint& each : all)
      if (each.owner->alive) found.count(each.queue.size(), each.free_recvs);
  return found;
}

// ---- SEND ----

void Messages::post(SimActor& actor, SimOperation& op, Time date) {
  LATCHLAB_CHECK(nodes_.exists(op.target.node), "message to a node that does not exist");
  op.qp = nullptr;
  op.posted = date;
  const Endpoint* endpoint = find(op.target);
  const Transport transport = endpoint != nullptr ? endpoint->transport : Transport::dc;
  if (is_datagram(transport)) return post_datagram(op, date);
  if (!is_dynamic(transport)) return post_connected(actor, op, date);
  actor.dci.waiting_.push(&op);
  pump(actor);
}

// When a message that leaves at `date` arrives.
Time Messages::arrival(SimOperation& op, Time date) {
  draw_chance(op);
  if (op.from == op.target.node)
    return date + owner(op).nic.intra_node_message + network_.jitter(op.from, op.chance_there);
  const std::uint32_t headers = op.state.datagram ? kDeth : op.qp == nullptr ? kDcEth : 0;
  const Packets sent = packets_of(owner(op).nic, sizeof(Message), headers);
  return network_.depart(op, op.from, op.target.node, date, sent, op.chance_there);
}

// ---- datagrams ----

// The sender's operation completes when the datagram has left. If the datagram is not lost, it has
// a slot of its own on the way.
void Messages::post_datagram(SimOperation& op, Time date) {
  op.state.datagram = true;
  Rng& chance = owner(op).chance;
  const bool crosses = !nodes_.loops_back(op.from, op.target.node);
  Time arrives = arrival(op, date);
  const std::uint32_t wire = std::exchange(op.wire, 0);
  const Time left = op.from != op.target.node ? network_.port_free(op.from) : date;
  timeline_.push(left + owner(op).nic.completion, op.actor, Gate::complete, &op);
  if (crosses && happens(datagrams_.loss_ppb, chance)) return;
  if (crosses && happens(datagrams_.reorder_ppb, chance))
    arrives = arrives + picoseconds(1 + static_cast<std::int64_t>(chance.below(
                                            static_cast<std::uint64_t>(datagrams_.reorder_by.ps))));
  SimOperation& flying = operations_.take();
  flying.kind = OpKind::send;
  flying.owner = op.owner;
  flying.batch = &flying;
  flying.life = op.life;
  flying.actor = op.actor;
  flying.from = op.from;
  flying.target = op.target;
  flying.qp = nullptr;
  flying.state.datagram = true;
  flying.wire = wire;
  std::construct_at(&flying.message, op.message);
  network_.deliver(flying, arrives);
}

// ---- DC initiators ----

void Messages::pump(SimActor& actor) {
  ActorDci& dci = actor.dci;
  if (dci.busy_ || dci.waiting_.empty()) return;
  SimOperation& op = *dci.waiting_.pop();
  dci.busy_ = true;
  Time date = std::max(timeline_.now(), op.posted);
  if (dci.target_ != op.target) date = date + actor.nic.dc_connect;
  dci.target_ = op.target;
  transmit_at(op, date);
}

void Messages::transmit_at(SimOperation& op, Time date) {
  network_.deliver(op, arrival(op, date));
  if (const Endpoint* const endpoint = find(op.target)) prefetch(*endpoint);
}

void Messages::transmit(SimOperation& op) {
  transmit_at(op, timeline_.now());
}

void Messages::initiator_ready(SimActor& actor) {
  actor.dci.busy_ = false;
  pump(actor);
}

void Messages::initiator_heard(const SimOperation& op) {
  SimActor& actor = owner(op);
  if (op.completion.ok()) return initiator_ready(actor);
  // The DCI is in error: it has to be reset and connected to its target again.
  actor.dci.target_ = {};
  timeline_.push(timeline_.now() + actor.nic.dc_reset, actor.index, Gate::send_ready, &actor);
}

// ---- at the receiver ----

void Messages::arrived(SimOperation& op) {
  Endpoint* endpoint = find(op.target);
  const bool gone = endpoint == nullptr || endpoint->gone || nodes_[op.target.node].dead;
  const bool cut_off = owner(op).evicted;
  if (op.state.datagram) {
    if (!gone && !cut_off && endpoint->free_recvs > 0) take(op, *endpoint);
    return operations_.recycle(op);
  }
  if (cut_off) return fail(op, VerbStatus::flushed);
  if (op.qp != nullptr && out_of_turn(op)) return;
  if (gone) return fail(op, VerbStatus::peer_failed);
  if (endpoint->free_recvs == 0) return not_ready(op, endpoint->transport);
  acknowledge(op, {});
  take(op, *endpoint);
}

void Messages::take(SimOperation& op, Endpoint& endpoint) {
  --endpoint.free_recvs;
  Message& message = op.message;
  clocks_.stamp(message, op.target.node);
  record_.note({op.actor, op.target.packed(), message.type, message.lock.value, message.words[0],
                message.words[1], message.words[2]});
  // A detached one may belong to an earlier request of its owner than the current one.
  if (!op.detached) record_.count_effect(op);
  record_.tell_arrival(op);
  const Duration receive = nodes_.model(op.target.node).receive;
  if (receive.ps == 0) return land(message, endpoint);
  Landing& landing = landings_.take();
  landing = {message, op.target};
  timeline_.push(timeline_.now() + receive, endpoint.owner->index, Gate::landed, &landing);
}

void Messages::landed(Landing& landing) {
  land(landing.message, *find(landing.to));
  landings_.give(landing);
}

void Messages::land(const Message& message, Endpoint& endpoint) {
  endpoint.queue.push_back(message);
  if (endpoint.owner->alive) timeline_.pass(Gate::message, endpoint.owner);
}

void Messages::not_ready(SimOperation& op, Transport transport) {
  if (!is_patient(transport) && op.retries++ >= owner(op).nic.rnr_retries)
    return fail(op, VerbStatus::receiver_not_ready);
  const Duration pause = way_back(op) + nodes_.model(op.target.node).rnr_timer;
  if (op.qp != nullptr) return resending_.refuse(op, pause);
  timeline_.push(timeline_.now() + pause, op.actor, Gate::transmit, &op);
}

// ---- the answer ----

Duration Messages::way_back(const SimOperation& op) const {
  return op.from == op.target.node ? owner(op).nic.intra_node_message
                                   : network_.wire(op.target.node, op.from);
}

void Messages::answer(SimOperation& op, Time date) {
  if (op.qp != nullptr) date = op.qp->completes(date);
  timeline_.push(date, op.actor, Gate::complete, &op);
}

// When the acknowledgement arrives.
Time Messages::acknowledgement(SimOperation& op, Duration extra) {
  const NodeId here = op.target.node;
  if (op.from == here)
    return timeline_.now() + extra + way_back(op) + network_.jitter(here, op.chance_back);
  const Packets sent = packets_of(nodes_.model(here), 0, kAeth);
  return network_.depart_answer(op, here, op.from, extra, sent, op.chance_back);
}

void Messages::acknowledge(SimOperation& op, Duration extra) {
  answer(op, acknowledgement(op, extra) + owner(op).nic.completion);
}

void Messages::fail(SimOperation& op, VerbStatus status) {
  op.completion.status = status;
  if (op.qp != nullptr) op.qp->fail();
  const SimActor& sender = owner(op);
  const Duration until_heard =
      status == VerbStatus::peer_failed ? sender.patience() : way_back(op) + sender.nic.completion;
  answer(op, timeline_.now() + until_heard);
}

void Messages::completed(SimOperation& op) {
  if (!op.state.datagram) {
    if (op.qp != nullptr) {
      op.qp->heard_of(op);
      release(*op.qp);
    } else {
      initiator_heard(op);
    }
  }
  timeline_.pass(Gate::over, &op);
}

}  // namespace latchlab::sim
