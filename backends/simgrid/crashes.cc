// Crashes of clients and nodes, and the return of servers.

#include <algorithm>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "backends/simgrid/stations.h"
#include "core/base/check.h"

namespace latchlab::sim {

void Simulator::crash(ClientId client, CrashKind kind) {
  SimActor& victim = stations_->context.actors.client(client);
  if (kind == CrashKind::node) return crash_node(victim.node());
  stations_->context.record.note({0xdead, client.value});
  stations_->kill(victim, kind);
  announce_deaths({client});
}

void Simulator::crash_node(NodeId id) {
  kill_node(id, kNever);
}

void Simulator::kill_node(NodeId id, Time told) {
  stations_->context.record.note({0xdeadd, id.value});
  std::vector<ClientId> gone;
  stations_->context.nodes[id].dead = true;
  stations_->context.nodes[id].told = told;
  for (const auto& actor : stations_->context.actors.all()) {
    if (actor->node() != id) continue;
    if (actor->kind() == ActorKind::client) gone.push_back(actor->client());
    stations_->kill(*actor, CrashKind::node);
  }
  stations_->calls.node_died(id);
  stations_->transfer.stop_cut();
  announce_deaths(std::move(gone));
}

void Simulator::announce_deaths(std::vector<ClientId> gone) {
  at(true_now() + stations_->options.detection_delay,
     [this, gone = std::move(gone)] { stations_->waits.remove_members(gone); });
}

// Clients are told after the detection delay, as for crashed clients, or when the server is back,
// if that is earlier.
void Simulator::crash_server(NodeId id, Duration outage, std::function<void()> back) {
  const SimNode& node = stations_->context.nodes[id];
  LATCHLAB_CHECK(!node.hosts_clients && !node.dead, "only a server fails for a while, if it is up");
  const bool noticed = stations_->options.detection_delay < outage;
  const Time returns = true_now() + outage;
  const Time told = noticed ? true_now() + stations_->options.detection_delay : returns;
  kill_node(id, told);
  if (noticed) at(told, [this, id] { stations_->waits.server_changed(id, 1); });
  at(returns, [this, id, noticed, back = std::move(back)] {
    return_server(id);
    stations_->waits.server_changed(id, noticed ? 1 : 2);
    back();
  });
}

void Simulator::return_server(NodeId id) {
  SimNode& node = stations_->context.nodes[id];
  stations_->context.record.note({0xbac4, id.value});
  // Actors of the server's earlier life do not come back with it.
  for (const auto& actor : stations_->context.actors.all())
    if (actor->node() == id) actor->evicted = true;
  stations_->memory.lose(id);
  node.dead = false;
  ++node.life;
}

}  // namespace latchlab::sim
