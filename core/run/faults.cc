#include "core/run/faults.h"

#include "core/base/random.h"
#include "core/workload/timing.h"

namespace latchlab {
namespace {

// Identifier of a random stream; smaller numbers belong to clients.
constexpr std::uint64_t kRepeated = 1ULL << 40;

// The node of a fault. Client nodes are numbered after the servers, unless they are servers.
NodeId node_of(const FaultSpec& fault, const World& world) {
  if (fault.target == FaultTarget::client) return world.node_of(ClientId{fault.index});
  const WorldShape& shape = world.world_shape();
  const bool behind = fault.target == FaultTarget::client_node && !shape.colocated;
  return NodeId{static_cast<std::uint16_t>(fault.index + (behind ? shape.servers : 0) + 1)};
}

void carry_out(const FaultSpec& fault, const World& world, Backend& backend) {
  const NodeId node = node_of(fault, world);
  if (!backend.hosts(node)) return;
  CpuFaults& faults = *backend.cpu_faults();
  if (fault.kind == FaultKind::drift)
    return faults.disturb_clock(node, fault.jump, fault.drift_ppb);
  if (fault.kind == FaultKind::slow_client)
    return faults.slow_down(ClientId{fault.index}, fault.factor_ppb);
  if (fault.target == FaultTarget::client) return faults.pause(ClientId{fault.index}, fault.length);
  faults.pause_node(node, fault.length);
}

// Schedules pauses at exponentially distributed intervals; without a target, each pauses a random
// client.
void schedule_repeated(FaultSpec fault, const World& world, Backend& backend, Rng rng, Time end) {
  const Duration mean = seconds(1) / fault.per_second;
  const bool any = fault.target == FaultTarget::any_client;
  for (Time date = Time{} + exponential(rng, mean); date < end;
       date = date + exponential(rng, mean)) {
    if (any) {
      fault.target = FaultTarget::client;
      fault.index = static_cast<std::uint32_t>(rng.below(world.world_shape().clients()));
    }
    backend.at(date, [fault, &world, &backend] { carry_out(fault, world, backend); });
  }
}

}  // namespace

std::string cpu_faults_refused(const Point& point, Faults& faults) {
  if (faults.cpu_faults() != nullptr) return {};
  for (const FaultSpec& fault : point.faults)
    if (is_cpu_fault(fault.kind))
      return "the faults pause, slow_client and drift need CPUs and clocks that can be disturbed, "
             "which this backend does not have";
  return {};
}

void schedule_cpu_faults(const Point& point, const World& world, Backend& backend,
                         std::uint64_t seed, Time end) {
  for (std::size_t i = 0; i < point.faults.size(); ++i) {
    const FaultSpec& fault = point.faults[i];
    if (!is_cpu_fault(fault.kind)) continue;
    if (fault.at)
      backend.at(Time{} + *fault.at,
                 [fault, &world, &backend] { carry_out(fault, world, backend); });
    else
      schedule_repeated(fault, world, backend, Rng(seed, kRepeated + i, StreamPurpose::faults),
                        end);
  }
}

namespace {

void schedule_link(const FaultSpec& fault, Backend& backend) {
  const NodeId node{static_cast<std::uint16_t>(fault.node + 1)};
  const NodeId other = fault.to ? NodeId{static_cast<std::uint16_t>(*fault.to + 1)} : kNoNode;
  const Time down = Time{} + *fault.at;
  HardwareFaults& faults = *backend.hardware_faults();
  backend.at(down, [&faults, node, other] { faults.set_link(node, other, false); });
  if (fault.outage)
    backend.at(down + *fault.outage,
               [&faults, node, other] { faults.set_link(node, other, true); });
}

void schedule_node_crash(const FaultSpec& fault, World& world, Backend& backend,
                         WorkerObservers& observers) {
  const NodeId node{static_cast<std::uint16_t>(fault.node + 1)};
  backend.at(Time{} + *fault.at, [&world, &backend, &observers, node, outage = fault.outage] {
    if (outage)
      return backend.hardware_faults()->crash_server(
          node, *outage, [&world, &backend, node] { world.restart_server(backend, node); });
    for (std::uint32_t i = 0; i < world.world_shape().clients(); ++i)
      if (const ClientId client{i}; world.hosts(client) && world.node_of(client) == node)
        observers.client_crashed(client);
    backend.hardware_faults()->crash_node(node);
  });
}

}  // namespace

void schedule_hardware_faults(const Point& point, World& world, Backend& backend,
                              WorkerObservers& observers) {
  for (const FaultSpec& fault : point.faults) {
    if (fault.kind == FaultKind::link_down) schedule_link(fault, backend);
    if (fault.kind == FaultKind::node_crash) schedule_node_crash(fault, world, backend, observers);
  }
}

}  // namespace latchlab
