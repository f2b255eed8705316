#include "backends/simgrid/calls.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab::sim {

void Calls::serve(SimActor& server, CallHandler& handler) {
  Server& here = servers_[server.node()];
  here.actor = &server;
  here.handler = &handler;
}

void Calls::post(SimOperation& op, Time date) {
  LATCHLAB_CHECK(nodes_.exists(op.server), "call to a node that does not exist");
  op.qp = nullptr;
  op.peer_life = nodes_[op.server].life;
  transmit_at(op, date);
  op.deadline_number = op.deadline == kNever ? 0 : ++deadlines_;
  if (op.deadline_number != 0) set_deadline(op);
}

void Calls::transmit_at(SimOperation& op, Time date) {
  draw_chance(op);
  const Packets sent = packets_of(owner(op).nic, sizeof(Request), 0);
  network_.deliver(op, network_.depart(op, op.from, op.server, date, sent, op.chance_there));
}

// ---- at the server ----

void Calls::arrived(SimOperation& op) {
  if (nodes_.failed_since(op.server, op.peer_life)) return fail(op, VerbStatus::peer_failed);
  SimActor* const server = servers_[op.server].actor;
  if (server == nullptr) return fail(op, VerbStatus::access_error);
  record_.tell_arrival(op);
  const Duration service = server->nic.call_service;
  cpus_.queue({server, Gate::call, &op, timeline_.now() + service}, service);
}

void Calls::handle(SimOperation& op) {
  if (nodes_.failed_since(op.server, op.peer_life)) return fail(op, VerbStatus::peer_failed);
  Server& server = servers_[op.server];
  const Request& request = op.call.request;
  const PendingCall pending{request, take_ticket(op)};
  if (op.state.timed_out)
    record_.count_late_effect(op);
  else
    record_.count_effect(op);
  record_.note({op.actor, op.server.value, request.type, request.words[0], request.words[1]});
  Task<void> call = server.handler->serve(*server.actor, pending);
  call.start();
  if (call.done()) return;
  std::erase_if(server.calls, [](const Task<void>& task) { return task.done(); });
  server.calls.push_back(std::move(call));
}

std::uint64_t Calls::take_ticket(SimOperation& op) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(handled_.size()));
    handled_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Handled& here = handled_[index];
  here.op = &op;
  if (++here.generation == 0) here.generation = 1;
  return std::uint64_t{here.generation} << 32 | index;
}

SimOperation& Calls::give_back(std::uint64_t ticket) {
  const auto index = static_cast<std::uint32_t>(ticket);
  const bool pending = index < handled_.size() && handled_[index].op != nullptr &&
                       handled_[index].generation == ticket >> 32;
  LATCHLAB_CHECK(pending, "reply to a call that is not pending");
  free_.push_back(index);
  return *std::exchange(handled_[index].op, nullptr);
}

void Calls::fail(SimOperation& op, VerbStatus status) {
  if (!op.state.timed_out) op.completion.status = status;
  timeline_.push(timeline_.now() + network_.until_heard(op, status), op.actor, Gate::complete, &op);
}

// The server is gone, and with it its replies. Callers that hear of it at the same date do so in
// the order of `handled_`, which the run determines.
void Calls::node_died(NodeId server) {
  for (std::uint32_t index = 0; index < handled_.size(); ++index) {
    const Handled here = handled_[index];
    if (here.op == nullptr || here.op->server != server) continue;
    fail(give_back(std::uint64_t{here.generation} << 32 | index), VerbStatus::peer_failed);
  }
}

void Calls::forget(const SimActor& server) {
  Server& here = servers_[server.node()];
  if (here.actor == &server) here.calls.clear();
}

void Calls::reply(const PendingCall& pending, const Reply& reply) {
  SimOperation& op = give_back(pending.ticket);
  if (!op.state.timed_out) op.call.reply = reply;
  const Packets sent = packets_of(nodes_.model(op.server), sizeof(Reply), 0);
  const Time arrives =
      network_.depart(op, op.server, op.from, timeline_.now(), sent, op.chance_back);
  timeline_.push(arrives + owner(op).nic.completion, op.actor, Gate::complete, &op);
}

void Calls::completed(SimOperation& op) {
  op.deadline_number = 0;
  if (!op.state.timed_out) return timeline_.pass(Gate::over, &op);
  op.state.timed_out = false;
  if (op.state.forgotten) operations_.recycle(op);
}

// ---- deadlines ----

void Calls::set_deadline(SimOperation& op) {
  const Time date = clocks_.true_date_of(op.from, op.deadline);
  if (date == kNever) return;
  CallTimer& timer = timers_.take();
  timer = {&op, op.deadline_number};
  timeline_.push(std::max(date, timeline_.now()), op.actor, Gate::deadline, &timer);
}

// A timer outlives its call, and fires early or late if the clock has been disturbed.
void Calls::deadline(CallTimer& timer) {
  SimOperation& op = *timer.op;
  const bool over =
      op.kind != OpKind::call || op.deadline_number != timer.call || op.state.timed_out;
  timers_.give(timer);
  if (over || op.life != owner(op).life) return;
  if (clocks_.shown_on(op.from) < op.deadline) return set_deadline(op);
  op.state.timed_out = true;
  op.completion.status = VerbStatus::timed_out;
  record_.became_late(op);
  timeline_.pass(Gate::over, &op);
}

void Calls::clock_moved(NodeId node) {
  for (SimOperation& op : operations_.all())
    if (op.kind == OpKind::call && op.deadline_number != 0 && op.from == node) set_deadline(op);
}

}  // namespace latchlab::sim
