// Crashes of clients and nodes, and the return of servers.

#include <algorithm>
#include <utility>

#include "backends/simgrid/parts.h"
#include "backends/simgrid/simulator.h"
#include "core/base/check.h"

namespace latchlab::sim {

void Simulator::crash(ClientId client, CrashKind kind) {
  SimActor& victim = parts_->actors.client(client);
  if (kind == CrashKind::node) return crash_node(victim.node());
  parts_->record.note({0xdead, client.value});
  parts_->kill(victim, kind);
  announce_deaths({client});
}

void Simulator::crash_node(NodeId id) {
  kill_node(id, kNever);
}

void Simulator::kill_node(NodeId id, Time told) {
  parts_->record.note({0xdeadd, id.value});
  std::vector<ClientId> gone;
  parts_->nodes[id].dead = true;
  parts_->nodes[id].told = told;
  for (const auto& actor : parts_->actors.all()) {
    if (actor->node() != id) continue;
    if (actor->kind() == ActorKind::client) gone.push_back(actor->client());
    parts_->kill(*actor, CrashKind::node);
  }
  parts_->calls.node_died(id);
  parts_->bulk.stop_cut();
  announce_deaths(std::move(gone));
}

void Simulator::announce_deaths(std::vector<ClientId> gone) {
  at(true_now() + parts_->options.detection_delay,
     [this, gone = std::move(gone)] { parts_->waits.remove_members(gone); });
}

// Clients are told after the detection delay, as for crashed clients, or when the server is back,
// if that is earlier.
void Simulator::crash_server(NodeId id, Duration outage, std::function<void()> back) {
  const SimNode& node = parts_->nodes[id];
  LATCHLAB_CHECK(!node.hosts_clients && !node.dead, "only a server fails for a while, if it is up");
  const bool noticed = parts_->options.detection_delay < outage;
  const Time returns = true_now() + outage;
  const Time told = noticed ? true_now() + parts_->options.detection_delay : returns;
  kill_node(id, told);
  if (noticed) at(told, [this, id] { parts_->waits.server_changed(id, 1); });
  at(returns, [this, id, noticed, back = std::move(back)] {
    return_server(id);
    parts_->waits.server_changed(id, noticed ? 1 : 2);
    back();
  });
}

void Simulator::return_server(NodeId id) {
  SimNode& node = parts_->nodes[id];
  parts_->record.note({0xbac4, id.value});
  // Actors of the server's earlier life do not come back with it.
  for (const auto& actor : parts_->actors.all())
    if (actor->node() == id) actor->evicted = true;
  parts_->memory.lose(id);
  node.dead = false;
  ++node.life;
}

}  // namespace latchlab::sim
