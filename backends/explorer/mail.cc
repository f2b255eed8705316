#include "backends/explorer/steps.h"

namespace latchlab::explorer {

namespace {

// How long a sender retries when it finds no RECV.
constexpr Duration kPatience = milliseconds(1);

Endpoint* find_endpoint(State& state, EndpointAddr addr) {
  NodeState* node = state.find_node(addr.node);
  if (node == nullptr || addr.number < 1 || addr.number > node->endpoints.size()) return nullptr;
  return &node->endpoints[addr.number - 1];
}

Step failing(OpSlot& op, VerbStatus status) {
  return {StepKind::send_fail, op.actor, static_cast<std::uint32_t>(status), &op};
}

// A datagram is lost, delivered, or complete for its sender, each at any time.
void add_datagram(State& state, OpSlot& op, StepList& steps) {
  const Endpoint& target = *find_endpoint(state, op.target);
  steps.now.push_back(failing(op, VerbStatus::ok));  // lost, without an error
  if (target.recvs_free > 0 && !target.closed && !state.find_node(op.target.node)->dead)
    steps.now.push_back({StepKind::deliver, op.actor, 0, &op});
  if (op.life == op.actor->life) steps.now.push_back({StepKind::complete, op.actor, 0, &op});
}

void add_delivery(State& state, OpSlot& op, StepList& steps) {
  const Endpoint* target = find_endpoint(state, op.target);
  if (target == nullptr || target->closed || state.find_node(op.target.node)->dead) {
    steps.now.push_back(failing(op, VerbStatus::peer_failed));
  } else if (target->recvs_free > 0) {
    steps.now.push_back({StepKind::deliver, op.actor, 0, &op});
    // The path was down for longer than RC retries.
    if (op.takes_long) steps.now.push_back(failing(op, VerbStatus::peer_failed));
  } else if (!target->owner->alive) {
    steps.now.push_back(failing(op, VerbStatus::receiver_not_ready));
  } else if (!is_patient(target->transport)) {
    steps.later.push_back(
        {op.posted_at + kPatience, false, failing(op, VerbStatus::receiver_not_ready)});
  }
}

struct Queue {
  EndpointAddr target;
  bool oldest = true;
  bool blocked = false;
};

Queue& queue_to(std::vector<Queue>& queues, EndpointAddr target) {
  for (Queue& queue : queues)
    if (queue.target == target) return queue;
  return queues.emplace_back(Queue{target});
}

void end_send(State& state, OpSlot& op, VerbStatus status) {
  op.effected = true;
  op.completion.status = status;
  if (status == VerbStatus::ok) state.count_effect(op);
  state.note(StepKind::deliver, *op.actor, op.target.packed(),
             hash_of(op.message.type, op.message.lock.value, op.message.generation),
             hash_of(op.message.words[0], op.message.words[1], static_cast<std::uint64_t>(status)));
  if (op.life != op.actor->life) state.complete(op);
}

// A message to an endpoint of a crashed owner uses up a RECV and is never read.
void deliver(State& state, OpSlot& op) {
  Endpoint& target = *find_endpoint(state, op.target);
  target.touch();
  --target.recvs_free;
  if (target.owner->alive) {
    Message& message = target.queue.emplace_back(op.message);
    message.received_earliest = message.received_latest = state.local_now(op.target.node);
  }
  end_send(state, op, VerbStatus::ok);
}

// A copy of `op` that stays under way when `op` completes for its owner.
OpSlot& leave_behind(const OpSlot& op) {
  Actor& actor = *op.actor;
  const ArenaScope scope(actor.arena);
  OpSlot& rest = actor.op_slots.take();
  rest.kind = op.kind;
  rest.batch = &rest;
  rest.actor = &actor;
  rest.life = actor.life - 1;
  rest.posted_at = op.posted_at;
  rest.leftover = true;
  actor.ops.push_back(&rest);
  return rest;
}

// In a search, states must not differ in the number of earlier calls only.
std::uint64_t take_ticket(State& state) {
  if (state.search() == nullptr) return state.next_ticket++;
  std::uint64_t ticket = 1;
  while (state.calls.count(ticket) != 0) ++ticket;
  return ticket;
}

void arrive(State& state, OpSlot& op) {
  NodeState& node = *state.find_node(op.server);
  op.arrived = true;
  state.count_effect(op);
  op.ticket = take_ticket(state);
  state.calls.emplace(op.ticket, &op);
  state.note(StepKind::call_arrive, *op.actor, op.ticket, op.call.request.type,
             op.call.request.words[0]);
  const ArenaScope scope(node.server->arena);
  Root root;
  root.task = node.handler->serve(*node.server, PendingCall{op.call.request, op.ticket});
  const bool orphan = op.life != op.actor->life;
  if (orphan) {
    state.calls[op.ticket] = nullptr;
    state.complete(op);
  }
  node.server->roots.push_back(std::move(root));
  state.start_root(*node.server, node.server->roots.size() - 1);
}

// A reply that has arrived, but was not taken, is dropped too.
void time_out(State& state, OpSlot& op) {
  if (is_pending(op)) state.calls[op.ticket] = nullptr;
  if (!op.arrived && !op.effected) {
    OpSlot& rest = leave_behind(op);
    rest.server = op.server;
    std::construct_at(&rest.call, op.call);
  }
  op.effected = true;
  op.completion.status = VerbStatus::timed_out;
  state.note(StepKind::call_deadline, *op.actor, op.server.value, op.call.request.type);
  state.complete(op);
}

}  // namespace

bool is_to_datagrams(State& state, const OpSlot& op) {
  const Endpoint* target = find_endpoint(state, op.target);
  return target != nullptr && is_datagram(target->transport);
}

void add_send_steps(State& state, Actor& actor, StepList& steps) {
  std::vector<Queue> queues;
  for (OpSlot* op : actor.ops) {
    if (op->kind != OpKind::send) continue;
    if (!op->effected && is_to_datagrams(state, *op)) {
      add_datagram(state, *op, steps);
      continue;
    }
    Queue& queue = queue_to(queues, op->target);
    if (op->effected) {
      if (queue.oldest) steps.now.push_back({StepKind::complete, &actor, 0, op});
      // It has arrived, and the answer is lost.
      if (queue.oldest && op->takes_long && op->completion.ok())
        steps.now.push_back(failing_by_path(*op));
    } else if (!queue.blocked) {
      add_delivery(state, *op, steps);
      queue.blocked = true;
    }
    queue.oldest = false;
  }
}

void leave_datagram(const OpSlot& op) {
  OpSlot& rest = leave_behind(op);
  rest.target = op.target;
  std::construct_at(&rest.message, op.message);
}

void make_send_step(State& state, const Step& step) {
  OpSlot& op = *step.op;
  if (step.kind == StepKind::deliver) return deliver(state, op);
  const auto status = static_cast<VerbStatus>(step.part);
  const Endpoint* target = find_endpoint(state, op.target);
  const bool by_path = status == VerbStatus::peer_failed && target != nullptr && !target->closed &&
                       !state.find_node(op.target.node)->dead;
  if (by_path)
    for (OpSlot* behind : posted_behind(op)) end_send(state, *behind, VerbStatus::flushed);
  end_send(state, op, status);
}

void add_call_steps(State& state, Actor& actor, StepList& steps) {
  for (OpSlot* op : actor.ops) {
    if (op->kind != OpKind::call) continue;
    const NodeState* node = state.find_node(op->server);
    const bool gone = node == nullptr || node->dead || node->handler == nullptr;
    if (op->effected) {
      steps.now.push_back({StepKind::complete, &actor, 0, op});
    } else if (gone) {
      steps.now.push_back({StepKind::call_fail, &actor, 0, op});
    } else if (!op->arrived) {
      steps.now.push_back({StepKind::call_arrive, &actor, 0, op});
    }
    if (op->takes_long && !gone && op->completion.ok() && op->life == actor.life)
      steps.now.push_back(failing_by_path(*op));
    if (op->life == actor.life)
      add_deadline(state, op->deadline, op->posted_at, {StepKind::call_deadline, &actor, 0, op},
                   steps);
  }
}

void make_call_step(State& state, const Step& step) {
  OpSlot& op = *step.op;
  if (step.kind == StepKind::call_arrive) return arrive(state, op);
  if (step.kind == StepKind::call_deadline) return time_out(state, op);
  const NodeState* node = state.find_node(op.server);
  const bool gone = node == nullptr || node->dead;
  if (is_pending(op) && gone) state.calls.erase(op.ticket);
  if (is_pending(op) && !gone) state.calls[op.ticket] = nullptr;  // its answer finds no caller
  op.effected = true;
  op.completion.status = VerbStatus::peer_failed;
  if (op.life != op.actor->life) state.complete(op);
}

Endpoint& own_endpoint(State& state, const Actor& actor, EndpointAddr addr) {
  Endpoint* endpoint = find_endpoint(state, addr);
  LATCHLAB_CHECK(endpoint != nullptr && endpoint->owner == &actor,
                 "a client receives at its own endpoints");
  return *endpoint;
}

int find_message(const Endpoint& endpoint, const MessageFilter& filter) {
  for (std::size_t i = 0; i < endpoint.queue.size(); ++i)
    if (!filter || filter(endpoint.queue[i])) return static_cast<int>(i);
  return -1;
}

Message take_message(Endpoint& endpoint, int index) {
  endpoint.touch();
  const auto at = endpoint.queue.begin() + index;
  const Message message = *at;
  endpoint.queue.erase(at);
  endpoint.queue.emplace_back();  // clears its place in the spare capacity
  endpoint.queue.pop_back();
  ++endpoint.recvs_free;
  return message;
}

}  // namespace latchlab::explorer
