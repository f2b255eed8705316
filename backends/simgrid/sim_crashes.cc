// Deaths of clients, processes and nodes.

#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"

namespace latchlab::sim {

void Simulator::crash(ClientId client, CrashKind kind) {
  LATCHLAB_CHECK(client.value < clients_.size() && clients_[client.value] != nullptr,
                 "crash of a client that does not exist");
  SimActor& victim = *clients_[client.value];
  if (kind == CrashKind::node) return crash_node(victim.node());
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0xdead, client.value});
  kill(victim, kind);
  at(now_ + options_.detection_delay, [this, client] { membership_changed({client}); });
}

void Simulator::crash_node(NodeId id) {
  fingerprint_.add({static_cast<std::uint64_t>(now_.ps), 0xdeadd, id.value});
  std::vector<ClientId> gone;
  for (const SimActor* each : clients_)
    if (each != nullptr && each->node() == id) gone.push_back(each->client());
  kill_node(node(id));
  at(now_ + options_.detection_delay, [this, gone] { membership_changed(gone); });
}

void Simulator::kill_node(Node& dead) {
  dead.dead = true;
  for (const auto& actor : actors_)
    if (actor->node() == dead.id) kill(*actor, CrashKind::node);
  drop_calls(dead.id);
  stop_bulk();
}

void Simulator::kill(SimActor& actor, CrashKind kind) {
  if (kind != CrashKind::client) {
    for (Endpoint& endpoint : node(actor.node()).endpoints)
      if (endpoint.owner == &actor) endpoint.gone = true;
  }
  if (!actor.alive) return;
  actor.alive = false;
  ++actor.life;
  if (actor.kind() == ActorKind::client && actor.root.valid() && !actor.root.done())
    --live_clients_;
  while (!actor.waits.empty()) {
    SimWait& wait = *actor.waits.pop();
    wait.armed = false;
    recycle_wait(wait);
  }
  if (actor.flushing != nullptr) recycle(*std::exchange(actor.flushing, nullptr));
  actor.root.reset();
  if (actor.serving) actor.serving->calls.clear();
}

}  // namespace latchlab::sim
