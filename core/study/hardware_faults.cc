#include "core/study/hardware_faults.h"

namespace latchlab {
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
