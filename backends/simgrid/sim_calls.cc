// Calls: requests to a node's server part, which its CPU handles (sim_cores.cc), and their
// deadlines. Who has given up waiting is told at the deadline; the call goes its way, and its slot
// is free again when the answer that nobody hears has come.

#include <algorithm>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"

namespace latchlab::sim {

void Simulator::post_call(SimActor& /*actor*/, SimOperation& op, Time date) {
  LATCHLAB_CHECK(op.server.value >= 1 && op.server.value <= nodes_.size(),
                 "call to a node that does not exist");
  ++census_.posted;
  ++census_.in_flight;
  const Time arrival = depart(op.from, op.server, date, sizeof(Request));
  push(arrival + serve_time(op), op.actor, EventKind::arrive, &op);
  op.place = op.deadline == kNever ? 0 : ++deadlines_;
  if (op.place != 0) set_deadline(op);
}

void Simulator::call_arrived(SimOperation& op) {
  Node& server = node(op.server);
  if (server.dead) return fail_call(op, VerbStatus::peer_failed);
  if (server.server == nullptr) return fail_call(op, VerbStatus::access_error);
  const Duration service = server.nic->model->call_service;
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
  if (!op.state.timed_out) op.completion.status = status;
  const bool silent = status == VerbStatus::peer_failed;
  push(now_ + (silent ? no_answer(op) : wire(op.server, op.from) + owner(op).nic.completion),
       op.actor, EventKind::complete, &op);
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
  if (!op.state.timed_out) op.call.reply = answer_words;
  const Time arrival = depart(op.server, op.from, now_, sizeof(Reply));
  push(arrival + owner(op).nic.completion, op.actor, EventKind::complete, &op);
}

void Simulator::call_complete(SimOperation& op) {
  if (links_fail_ && message_answer_lost(op)) return;
  op.place = 0;
  if (!op.state.timed_out) {
    count_end(op);
    return finish_operation(op);
  }
  op.state.timed_out = false;
  if (op.state.forgotten) operations_.give(op);
}

// ---- deadlines ----

void Simulator::set_deadline(SimOperation& op) {
  const Time date = true_date_of(node(op.from), op.deadline);
  if (date == kNever) return;
  CallTimer& timer = call_timers_.take();
  timer = {&op, op.place};
  push(std::max(date, now_), op.actor, EventKind::deadline, &timer);
}

// A timer outlives its call, and may come early or late when the clock has been disturbed.
void Simulator::call_deadline(CallTimer& timer) {
  SimOperation& op = *timer.op;
  const bool over = op.kind != OpKind::call || op.place != timer.call || op.state.timed_out;
  call_timers_.give(timer);
  if (over || op.life != owner(op).life) return;
  if (local_now(op.from) < op.deadline) return set_deadline(op);
  op.state.timed_out = true;
  op.completion.status = VerbStatus::timed_out;
  count_end(op);
  finish_operation(op);
}

void Simulator::clock_moved(const Node& here) {
  for (SimOperation& op : operations_.all())
    if (op.kind == OpKind::call && op.place != 0 && op.from == here.id) set_deadline(op);
}

}  // namespace latchlab::sim
