#include "backends/explorer/mail.h"

#include "backends/explorer/waits.h"

namespace latchlab::explorer {

namespace {

// How long a sender tries again when it finds no RECV.
constexpr Duration kPatience = milliseconds(1);

Endpoint* find_endpoint(World& world, EndpointAddr addr) {
  Node* node = world.find_node(addr.node);
  if (node == nullptr || addr.number < 1 || addr.number > node->endpoints.size()) return nullptr;
  return &node->endpoints[addr.number - 1];
}

bool to_datagrams(World& world, const OpSlot& op) {
  const Endpoint* target = find_endpoint(world, op.target);
  return target != nullptr && is_datagram(target->transport);
}

Step failing(OpSlot& op, VerbStatus status) {
  return {StepKind::send_fail, op.actor, static_cast<std::uint32_t>(status), &op};
}

// It is lost, delivered, or over for its sender, each at any moment.
void add_datagram(World& world, OpSlot& op, StepList& steps) {
  const Endpoint& target = *find_endpoint(world, op.target);
  steps.now.push_back(failing(op, VerbStatus::ok));  // lost, and nobody is told
  if (target.recvs_free > 0 && !target.closed && !world.find_node(op.target.node)->dead)
    steps.now.push_back({StepKind::deliver, op.actor, 0, &op});
  if (op.life == op.actor->life) steps.now.push_back({StepKind::complete, op.actor, 0, &op});
}

void add_delivery(World& world, OpSlot& op, StepList& steps) {
  const Endpoint* target = find_endpoint(world, op.target);
  if (target == nullptr || target->closed || world.find_node(op.target.node)->dead) {
    steps.now.push_back(failing(op, VerbStatus::peer_failed));
  } else if (target->recvs_free > 0) {
    steps.now.push_back({StepKind::deliver, op.actor, 0, &op});
  } else if (!target->owner->alive) {
    steps.now.push_back(failing(op, VerbStatus::receiver_not_ready));
  } else if (!is_patient(target->transport)) {
    steps.later.push_back(
        {op.posted_at + kPatience, false, failing(op, VerbStatus::receiver_not_ready)});
  }
}

struct Channel {
  EndpointAddr target;
  bool oldest = true;
  bool blocked = false;
};

Channel& channel_to(std::vector<Channel>& channels, EndpointAddr target) {
  for (Channel& channel : channels)
    if (channel.target == target) return channel;
  return channels.emplace_back(Channel{target});
}

void end_send(World& world, OpSlot& op, VerbStatus status) {
  op.effected = true;
  op.completion.status = status;
  if (status == VerbStatus::ok) world.count_effect(op);
  world.note(StepKind::deliver, *op.actor, op.target.packed(),
             hash_of(op.message.type, op.message.lock.value, op.message.generation),
             hash_of(op.message.words[0], op.message.words[1], static_cast<std::uint64_t>(status)));
  if (op.life != op.actor->life) world.complete(op);
}

// A crashed owner's RECVs are used up and nobody reads what they hold.
void deliver(World& world, OpSlot& op) {
  Endpoint& target = *find_endpoint(world, op.target);
  --target.recvs_free;
  if (target.owner->alive) {
    Message& message = target.queue.emplace_back(op.message);
    message.received_earliest = message.received_latest = world.local_now(op.target.node);
  }
  end_send(world, op, VerbStatus::ok);
}

// The owner of `op` goes on; what it posted is under way as before.
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

// A search must not tell apart what differs in the number of earlier calls alone.
std::uint64_t take_ticket(World& world) {
  if (world.search() == nullptr) return world.next_ticket++;
  std::uint64_t ticket = 1;
  while (world.calls.count(ticket) != 0) ++ticket;
  return ticket;
}

void arrive(World& world, OpSlot& op) {
  Node& node = *world.find_node(op.server);
  op.arrived = true;
  world.count_effect(op);
  op.ticket = take_ticket(world);
  world.calls.emplace(op.ticket, &op);
  world.note(StepKind::call_arrive, *op.actor, op.ticket, op.call.request.type,
             op.call.request.words[0]);
  const ArenaScope scope(node.server->arena);
  Root root;
  root.task = node.handler->serve(*node.server, PendingCall{op.call.request, op.ticket});
  const bool orphan = op.life != op.actor->life;
  if (orphan) {
    world.calls[op.ticket] = nullptr;
    world.complete(op);
  }
  node.server->roots.push_back(std::move(root));
  world.start_root(*node.server, node.server->roots.size() - 1);
}

// A reply that is there, but has not been taken, comes too late as well.
void time_out(World& world, OpSlot& op) {
  if (op.arrived && !op.effected) world.calls[op.ticket] = nullptr;
  if (!op.arrived && !op.effected) {
    OpSlot& rest = leave_behind(op);
    rest.server = op.server;
    std::construct_at(&rest.call, op.call);
  }
  op.effected = true;
  op.completion.status = VerbStatus::timed_out;
  world.note(StepKind::call_deadline, *op.actor, op.server.value, op.call.request.type);
  world.complete(op);
}

}  // namespace

void add_send_steps(World& world, Actor& actor, StepList& steps) {
  std::vector<Channel> channels;
  for (OpSlot* op : actor.ops) {
    if (op->kind != OpKind::send) continue;
    if (!op->effected && to_datagrams(world, *op)) {
      add_datagram(world, *op, steps);
      continue;
    }
    Channel& channel = channel_to(channels, op->target);
    if (op->effected) {
      if (channel.oldest) steps.now.push_back({StepKind::complete, &actor, 0, op});
    } else if (!channel.blocked) {
      add_delivery(world, *op, steps);
      channel.blocked = true;
    }
    channel.oldest = false;
  }
}

void leave_datagram(const OpSlot& op) {
  OpSlot& rest = leave_behind(op);
  rest.target = op.target;
  std::construct_at(&rest.message, op.message);
}

void make_send_step(World& world, const Step& step) {
  if (step.kind == StepKind::deliver) {
    deliver(world, *step.op);
  } else {
    end_send(world, *step.op, static_cast<VerbStatus>(step.part));
  }
}

void add_call_steps(World& world, Actor& actor, StepList& steps) {
  for (OpSlot* op : actor.ops) {
    if (op->kind != OpKind::call) continue;
    const Node* node = world.find_node(op->server);
    const bool gone = node == nullptr || node->dead || node->handler == nullptr;
    if (op->effected) {
      steps.now.push_back({StepKind::complete, &actor, 0, op});
    } else if (gone) {
      steps.now.push_back({StepKind::call_fail, &actor, 0, op});
    } else if (!op->arrived) {
      steps.now.push_back({StepKind::call_arrive, &actor, 0, op});
    }
    if (op->life == actor.life)
      add_deadline(world, op->deadline, op->posted_at, {StepKind::call_deadline, &actor, 0, op},
                   steps);
  }
}

void make_call_step(World& world, const Step& step) {
  OpSlot& op = *step.op;
  if (step.kind == StepKind::call_arrive) return arrive(world, op);
  if (step.kind == StepKind::call_deadline) return time_out(world, op);
  world.calls.erase(op.ticket);
  op.effected = true;
  op.completion.status = VerbStatus::peer_failed;
  if (op.life != op.actor->life) world.complete(op);
}

Endpoint& own_endpoint(World& world, const Actor& actor, EndpointAddr addr) {
  Endpoint* endpoint = find_endpoint(world, addr);
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
  const auto at = endpoint.queue.begin() + index;
  const Message message = *at;
  endpoint.queue.erase(at);
  endpoint.queue.emplace_back();  // its place must not remember it
  endpoint.queue.pop_back();
  ++endpoint.recvs_free;
  return message;
}

}  // namespace latchlab::explorer
