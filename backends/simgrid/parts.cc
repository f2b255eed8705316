#include "backends/simgrid/parts.h"

#include <memory>
#include <vector>

namespace latchlab::sim {

namespace {

// The hardware of each node, by NodeId - 1: its group's if groups have their own, else `usual`.
template <class Member>
auto each_nodes(const WorldPlan& plan, const SimgridOptions& options, const Member& usual,
                Member NodeHardware::*of_group) {
  std::vector<const Member*> all;
  for (const NodePlan& node : plan.nodes) {
    const bool own = !options.groups.empty() && node.group != 0;
    all.push_back(own ? &(options.groups.at(node.group - 1).*of_group) : &usual);
  }
  return all;
}

// A client's random streams depend on its number alone, so that adding other parts changes none.
std::uint64_t stream_of(ActorKind kind, NodeId node, ClientId client) {
  if (kind == ActorKind::client) return client.value;
  return (1ULL << 40) + (static_cast<std::uint64_t>(kind) << 32) + node.value;
}

}  // namespace

Parts::Parts(const WorldPlan& plan, const SimgridOptions& its_options)
    : options(its_options),
      seed(plan.seed),
      record(timeline),
      nodes(plan, each_nodes(plan, options, options.nic, &NodeHardware::nic)),
      clocks(timeline, nodes, each_nodes(plan, options, options.clocks, &NodeHardware::clocks),
             seed, options.synchronisation_error),
      actors(timeline, plan.clients),
      platform(nodes.ports(), options.nic.link_bits_per_s, options.topology, options.pump),
      memory(plan, nodes, record, waits),
      network(nodes, platform, options.client_link_latency),
      resending({timeline, network, operations, requester, responder, messages, calls}),
      bulk({timeline, nodes, operations, platform, network, requester, responder, resending},
           options.bulk),
      requester({timeline, record, nodes, memory, network, responder, resending, bulk, cpus},
                options.qps),
      responder(
          {timeline, record, nodes, memory, platform, network, resending, bulk, messages, calls}),
      messages(
          {timeline, record, nodes, clocks, network, responder, resending, operations, cpus, waits},
          options.datagrams),
      calls({timeline, record, nodes, clocks, network, responder, resending, operations, cpus}),
      cpus({timeline, record, actors, nodes, clocks, memory, operations, waits, calls},
           {options.cores, options.core_sharing}),
      waits({timeline, actors, nodes, clocks, memory, messages, cpus}, plan.clients) {}

// Coroutine frames go first: what they own may give slots back.
Parts::~Parts() {
  for (const auto& actor : actors.all()) {
    actor->root.reset();
    calls.forget(*actor);
  }
}

SimActor& Parts::add_actor(ActorKind kind, NodeId node, ClientId client) {
  const std::uint64_t stream = stream_of(kind, node, client);
  SimActor& actor = actors.add(std::make_unique<SimActor>(
      *this, actors.next_index(), kind, node, client, Rng(seed, stream, StreamPurpose::protocol),
      Rng(seed, stream, StreamPurpose::jitter), nodes.model(node)));
  cpus.place(actor);
  if (kind == ActorKind::client) requester.share_qps(actor);
  return actor;
}

void Parts::start(SimActor& actor, SimOperation& first) {
  const Time date = cpus.posted(actor, first.kind);
  for (Operation* at = &first; at != nullptr; at = at->next) {
    auto& op = static_cast<SimOperation&>(*at);
    op.life = actor.life;
    op.actor = actor.index;
    op.from = actor.node();
    switch (op.kind) {
      case OpKind::verb:
        if (op.detached) cpus.count_detached(actor);
        requester.post(actor, op, date);
        break;
      case OpKind::send:
        if (op.detached) cpus.count_detached(actor);
        messages.post(actor, op, date);
        break;
      case OpKind::call:
        calls.post(op, date);
        break;
      default:
        cpus.post(actor, op);
    }
  }
}

void Parts::kill(SimActor& actor, CrashKind kind) {
  if (kind != CrashKind::client) messages.process_died(actor);
  if (!actor.alive) return;
  actors.die(actor);
  waits.forget(actor);
  cpus.forget(actor);
  actor.root.reset();
  calls.forget(actor);
}

}  // namespace latchlab::sim
