// Messages through DC-like initiators and targets, and calls to a server's CPU.

#include <algorithm>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"

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

Endpoint* Simulator::find_endpoint(EndpointAddr addr) {
  if (addr.node.value == 0 || addr.node.value > nodes_.size()) return nullptr;
  std::vector<Endpoint>& all = node(addr.node).endpoints;
  return addr.number >= 1 && addr.number <= all.size() ? &all[addr.number - 1] : nullptr;
}

// ---- SEND ----

void Simulator::post_send(SimActor& actor, SimOperation& op, Time date) {
  LATCHLAB_CHECK(op.target.node.value >= 1 && op.target.node.value <= nodes_.size(),
                 "message to a node that does not exist");
  ++census_.posted;
  ++census_.in_flight;
  op.posted = date;
  actor.initiator.waiting.push(&op);
  pump_sends(actor);
}

void Simulator::pump_sends(SimActor& actor) {
  Initiator& initiator = actor.initiator;
  if (initiator.busy || initiator.waiting.empty()) return;
  SimOperation& op = *initiator.waiting.pop();
  initiator.busy = true;
  Time date = std::max(now_, op.posted);
  if (initiator.target != op.target) date = date + nic_.dc_connect;
  initiator.target = op.target;
  transmit(op, date);
}

void Simulator::transmit(SimOperation& op, Time date) {
  const NodeId to = op.target.node;
  Time arrival;
  if (op.from == to) {
    arrival = date + nic_.intra_node_message + jitter();
  } else {
    arrival = depart(op.from, to, date, sizeof(Message));
  }
  push(arrival + serve_time(op), op.actor, EventKind::arrive, &op);
}

void Simulator::deliver(SimOperation& op) {
  Endpoint* endpoint = find_endpoint(op.target);
  const bool gone = endpoint == nullptr || endpoint->gone || node(op.target.node).dead;
  if (cut_off(op)) return fail_send(op, VerbStatus::flushed);
  const bool datagram = endpoint != nullptr && latchlab::is_datagram(endpoint->transport);
  if (datagram && (gone || endpoint->free_recvs == 0)) return lose(op);
  if (gone) return fail_send(op, VerbStatus::peer_failed);
  if (endpoint->free_recvs == 0) return not_ready(op, endpoint->transport);
  --endpoint->free_recvs;
  Message& message = op.message;
  stamp(message, node(op.target.node));
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), op.actor, op.target.packed(), message.type,
                    message.lock.value, message.words[0], message.words[1], message.words[2]});
  endpoint->queue.push_back(message);
  note_first(op);
  const Duration back = datagram ? Duration{} : way_back(op) + jitter();
  push(now_ + back + nic_.completion, op.actor, EventKind::complete, &op);
  if (endpoint->owner->alive) check_messages(*endpoint->owner);
}

// A datagram's sender hears of nothing. It goes on when the message arrives or is lost, a little
// later than a real one, which goes on when the message has left.
void Simulator::lose(SimOperation& op) {
  push(now_ + nic_.completion, op.actor, EventKind::complete, &op);
}

void Simulator::not_ready(SimOperation& op, Transport transport) {
  if (!is_patient(transport) && op.retries++ >= nic_.rnr_retries)
    return fail_send(op, VerbStatus::receiver_not_ready);
  push(now_ + way_back(op) + nic_.rnr_timer, op.actor, EventKind::retry, &op);
}

Duration Simulator::way_back(const SimOperation& op) const {
  return op.from == op.target.node ? nic_.intra_node_message : wire(op.target.node, op.from);
}

void Simulator::fail_send(SimOperation& op, VerbStatus status) {
  op.completion.status = status;
  const bool silent = status == VerbStatus::peer_failed;
  push(now_ + (silent ? no_answer() : way_back(op) + nic_.completion), op.actor,
       EventKind::complete, &op);
}

// Also the end of a call.
void Simulator::send_complete(SimOperation& op) {
  if (links_fail_ && message_answer_lost(op)) return;
  --census_.in_flight;
  ++(op.completion.ok() ? census_.executed : census_.failed);
  if (op.kind == OpKind::send) {
    SimActor& actor = owner(op);
    if (op.completion.ok()) {
      actor.initiator.busy = false;
      pump_sends(actor);
    } else {  // the DCI is in error: it must be reset and turned to its target again
      actor.initiator.target = {};
      push(now_ + nic_.dc_reset, actor.index, EventKind::send_ready, &actor);
    }
  }
  finish_operation(op);
}

// ---- calls ----

void Simulator::post_call(SimActor& /*actor*/, SimOperation& op, Time date) {
  LATCHLAB_CHECK(op.server.value >= 1 && op.server.value <= nodes_.size(),
                 "call to a node that does not exist");
  ++census_.posted;
  ++census_.in_flight;
  const Time arrival = depart(op.from, op.server, date, sizeof(Request));
  push(arrival + serve_time(op), op.actor, EventKind::arrive, &op);
}

void Simulator::call_arrived(SimOperation& op) {
  Node& server = node(op.server);
  if (server.dead) return fail_call(op, VerbStatus::peer_failed);
  if (server.server == nullptr) return fail_call(op, VerbStatus::access_error);
  const Duration service = nic_.call_service;
  queue_for_core({server.server, nullptr, nullptr, nullptr, now_ + service, service, &op});
}

void Simulator::call_up(SimOperation& op) {
  if (node(op.server).dead) return fail_call(op, VerbStatus::peer_failed);
  SimActor& server = *node(op.server).server;
  const PendingCall pending{op.call.request, next_ticket_++};
  calls_.emplace(pending.ticket, &op);
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), op.actor, op.server.value,
                    op.call.request.type, op.call.request.words[0], op.call.request.words[1]});
  std::vector<Task<void>>& calls = server.serving->calls;
  std::erase_if(calls, [](const Task<void>& task) { return task.done(); });
  calls.push_back(server.serving->handler->serve(server, pending));
  calls.back().start();
}

void Simulator::fail_call(SimOperation& op, VerbStatus status) {
  op.completion.status = status;
  const bool silent = status == VerbStatus::peer_failed;
  push(now_ + (silent ? no_answer() : wire(op.server, op.from) + nic_.completion), op.actor,
       EventKind::complete, &op);
}

// The server is gone, and with it what it would have answered.
void Simulator::drop_calls(NodeId server) {
  std::erase_if(calls_, [this, server](const auto& call) {
    const bool lost = call.second->server == server;
    if (lost) fail_call(*call.second, VerbStatus::peer_failed);
    return lost;
  });
}

void Simulator::reply(const PendingCall& pending, const Reply& answer_words) {
  const auto found = calls_.find(pending.ticket);
  LATCHLAB_CHECK(found != calls_.end(), "reply to a call that is not pending");
  SimOperation& op = *found->second;
  calls_.erase(found);
  op.call.reply = answer_words;
  const Time arrival = depart(op.server, op.from, now_, sizeof(Reply));
  push(arrival + nic_.completion, op.actor, EventKind::complete, &op);
}

}  // namespace latchlab::sim
