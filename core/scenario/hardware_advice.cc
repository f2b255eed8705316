#include "core/scenario/hardware_advice.h"

#include <fmt/format.h>

#include <algorithm>

namespace latchlab {
namespace {

void advise_on_platform(const PlatformSpec& platform, std::vector<std::string>& warnings) {
  const auto unused = [&warnings](bool asked_for, const char* key, const char* reality) {
    if (asked_for)
      warnings.push_back(fmt::format("platform.{}: {}; the value is not used", key, reality));
  };
  const ClockSpec& clocks = platform.clocks;
  unused(true, "nic", "the real NIC has its own rates and latencies");
  unused(platform.topology.kind != TopologyKind::star, "topology",
         "real nodes are cabled as they are");
  unused(platform.bulk.model != BulkModel::shared_ports, "bulk",
         "a real network shares its links as it does");
  unused(platform.client_link_latency.ps != 0, "client_link_latency",
         "real links are as long as they are");
  unused(clocks.drift_ppb != 0, "clocks.drift", "real clocks drift as they do");
  unused(clocks.offset.ps != 0, "clocks.offset", "real clocks are set as they are");
  unused(clocks.nic_drift_ppb != 0, "clocks.nic_drift", "the real NIC's clock drifts as it does");
  unused(clocks.nic_offset.ps != 0, "clocks.nic_offset", "the real NIC's clock is set as it is");
  unused(platform.qps != QpOwner::client, "qps", "each client has QPs of its own");
  if (platform.client_nodes_per_nic != 1)
    warnings.emplace_back(
        "platform.client_nodes_per_nic: real nodes have the RNICs that they have; the value only "
        "tells locks which nodes are near each other");
  unused(platform.server_cpu.cores.has_value(), "server_cpu.cores",
         "a server has as many threads as --server-workers says");
  unused(platform.server_cpu.call_service.has_value(), "server_cpu.call_service",
         "real calls take what they take");
  unused(platform.cores != 0, "cores", "real clients share the cores that their node has");
}

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::node_crash:
      return "node_crash";
    case FaultKind::link_down:
      return "link_down";
    case FaultKind::pause:
      return "pause";
    case FaultKind::slow_client:
      return "slow_client";
    case FaultKind::drift:
      return "drift";
    default:
      return nullptr;  // a process can do that to its own clients
  }
}

void advise_on_faults(const std::vector<FaultSpec>& faults, std::vector<std::string>& errors) {
  for (const FaultSpec& fault : faults) {
    const char* const name = name_of(fault.kind);
    if (name == nullptr) continue;
    std::string line = fmt::format(
        "faults: {} needs nodes, links, CPUs or clocks that can be made to fail, which hardware "
        "has not; run it with --backend simgrid",
        name);
    if (std::find(errors.begin(), errors.end(), line) == errors.end())
      errors.push_back(std::move(line));
  }
}

}  // namespace

HardwareAdvice hardware_advice(const Point& point) {
  HardwareAdvice advice;
  advise_on_platform(point.platform, advice.warnings);
  for (const GroupSpec& group : point.groups)
    if (group.nic || group.clocks)
      advice.warnings.push_back(fmt::format(
          "groups: nic and clocks of group {}: real nodes have their own; the values are not used",
          group.name));
  if (point.run.guard == GuardMode::off)
    advice.warnings.push_back(
        "run.guard: off: nobody checks mutual exclusion on hardware without guard words; set it to "
        "on");
  advise_on_faults(point.faults, advice.errors);
  if (point.locks.device_memory)
    advice.errors.push_back(
        "locks.memory: device is the memory of a simulated NIC; on hardware locks lie in host "
        "memory, so set it to host");
  return advice;
}

}  // namespace latchlab
