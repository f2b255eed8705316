#include "core/scenario/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {
namespace {

constexpr std::int64_t kTimeouts = 3;

void add(std::vector<std::string>& lines, std::string line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

void add(Warnings& warnings, WarningKind kind, std::string text) {
  if (std::ranges::find(warnings, text, &Warning::text) == warnings.end())
    warnings.push_back({kind, std::move(text)});
}

// Warns if `key` is shorter than `times` units. The message proposes a value in whole milliseconds,
// or whole microseconds for short runs.
void warn_of_time(const Point& point, WarningKind kind, const char* key, Duration given,
                  const char* many, std::int64_t times, Duration unit, Warnings& warnings) {
  const Duration wanted = so_many(unit, times);
  if (given >= wanted) return;
  const Duration step = wanted < milliseconds(10) ? microseconds(1) : milliseconds(1);
  const bool last = wanted.ps > kForever.ps - step.ps;
  const Duration rounded = last ? wanted : Duration{(wanted.ps + step.ps - 1) / step.ps * step.ps};
  add(warnings, kind,
      fmt::format("{0} {1} is shorter than {2} of {3} ({4} each): set {0} to {5}", key,
                  format_duration(given), many, point.protocol.label, format_duration(unit),
                  format_duration(rounded)));
}

bool has_units(const ProtocolInfo& info) {
  return std::any_of(info.params.begin(), info.params.end(), [](const ParamSpec& param) {
    return param.name == "units" && param.kind == ParamKind::integer;
  });
}

void warn_of_late_faults(const Point& point, Warnings& warnings) {
  const Duration end = point.run.earliest() + point.run.duration;
  for (std::size_t i = 0; i < point.faults.size(); ++i)
    if (const FaultSpec& fault = point.faults[i]; fault.at && *fault.at >= end)
      add(warnings, WarningKind::late_fault,
          fmt::format("faults.{} ({}) is at {}, and the run ends at {} (run.warmup and "
                      "run.duration): it never happens",
                      i, name_of(fault.kind), format_duration(*fault.at), format_duration(end)));
}

// The minimum length of the workload's longest section, without waiting.
Duration least_section(const Point& point, const WorkloadSpec& workload) {
  const bool scans = workload.kind == WorkloadKind::transactions &&
                     workload.transactions.mix == MixKind::tpcc_rows &&
                     workload.transactions.scans_ppb > 0;
  const Duration hold =
      workload.critical_section + (scans ? workload.transactions.scan_time : Duration{});
  const Duration round_trip = point.platform.nic.one_way * 2;
  return workload.remote_ops == 0 ? hold : hold + so_many(round_trip, workload.remote_ops);
}

// The shortest grant over the modes that the workload acquires; zero: grants do not expire.
Duration shortest_grant(const Point& point, const ProtocolInfo& info,
                        const WorkloadSpec& workload) {
  const auto of = [&](const auto& grant) {
    return grant ? grant(point.protocol.params) : Duration{};
  };
  constexpr std::int64_t kAll = 1'000'000'000;
  const bool drawn = workload.kind == WorkloadKind::micro || wants_parts(workload.kind);
  const bool reads = info.shared_mode && (!drawn || workload.read_ratio_ppb > 0);
  const bool writes = !info.shared_mode || !drawn || workload.read_ratio_ppb < kAll;
  const Duration exclusive = writes ? of(info.longest_grant) : Duration{};
  if (!reads) return exclusive;
  const Duration shared =
      info.longest_shared_grant ? of(info.longest_shared_grant) : of(info.longest_grant);
  if (exclusive.ps == 0 || shared.ps == 0) return std::max(exclusive, shared);
  return std::min(exclusive, shared);
}

bool takes_several(const WorkloadSpec& workload) {
  return workload.locks_per_section > 1 || workload.kind == WorkloadKind::transactions ||
         workload.kind == WorkloadKind::trace;
}

bool is_server_that_returns(const Point& point, const FaultSpec& fault) {
  return fault.kind == FaultKind::node_crash && fault.outage && fault.node < point.platform.servers;
}

bool kills_clients(const Point& point, const FaultSpec& fault) {
  if (fault.kind == FaultKind::node_crash)
    return point.platform.colocated || fault.node >= point.platform.servers;
  return fault.kind == FaultKind::client_crash || fault.kind == FaultKind::process_crash;
}

}  // namespace

const ProtocolInfo* info_of(const Point& point, const std::vector<ProtocolInfo>& protocols) {
  for (const ProtocolInfo& info : protocols)
    if (info.name == point.protocol.name) return &info;
  return nullptr;
}

const std::string& name_of(WarningKind kind) {
  return allow_keys().at(static_cast<std::size_t>(kind)).path;
}

Warnings unused_allowances(const Scenario& scenario) {
  Warnings warnings;
  for (const AllowedWarning& allowed : scenario.allowed)
    if (allowed.texts.empty())
      warnings.push_back({WarningKind::unused_allow,
                          fmt::format("allow.{0}: the scenario has no such warning: remove {0}",
                                      name_of(allowed.kind))});
  return warnings;
}

Duration so_many(Duration unit, std::int64_t times) {
  return unit.ps > kForever.ps / times ? kForever : unit * times;
}

bool lacks_parameter(const Point& point, const std::string& path) {
  constexpr std::string_view kParameter = "protocol.";
  if (!path.starts_with(kParameter)) return false;
  const std::string name = path.substr(kParameter.size());
  const bool of_all = name == "name" || name == "profile" || name == "label";
  return !of_all && !point.protocol.params.values().contains(name);
}

Warnings parameter_warnings(const std::vector<Point>& points) {
  Warnings warnings;
  for (const Point& point : points)
    for (const auto& [path, value] : point.axes)
      if (lacks_parameter(point, path))
        add(warnings, WarningKind::flat_curve,
            fmt::format("{0} is swept, and {1} has no such parameter: {1} runs once, and "
                        "its curve is flat",
                        path, point.protocol.label));
  return warnings;
}

Warnings return_warnings(const std::vector<Point>& points) {
  Warnings warnings;
  for (const Point& point : points)
    for (std::size_t i = 0; i < point.faults.size(); ++i) {
      if (!is_server_that_returns(point, point.faults[i])) continue;
      for_each_workload(point, [&](const WorkloadSpec& workload) {
        if (takes_several(workload) && !workload.gives_back)
          add(warnings, WarningKind::server_return,
              fmt::format("faults.{} ({}): a server returns without its locks, and sections of "
                          "several locks keep those that they had there while they ask again: set "
                          "workload.on_abort to give_back",
                          i, name_of(point.faults[i].kind)));
      });
    }
  return warnings;
}

Warnings death_warnings(const std::vector<Point>& points,
                        const std::vector<ProtocolInfo>& protocols) {
  Warnings warnings;
  for (const Point& point : points) {
    const ProtocolInfo* const info = info_of(point, protocols);
    if (info == nullptr || info->survives.empty() || !info->longest_timeout) continue;
    if (info->longest_timeout(point.protocol.params).ps > 0) continue;
    for (std::size_t i = 0; i < point.faults.size(); ++i)
      if (kills_clients(point, point.faults[i]))
        add(warnings, WarningKind::timeout_off,
            fmt::format("faults.{} ({}): {} notices deaths by a timeout, and has none "
                        "with these parameters: what the dead hold stays taken",
                        i, name_of(point.faults[i].kind), point.protocol.label));
  }
  return warnings;
}

Warnings time_warnings(const std::vector<Point>& points,
                       const std::vector<ProtocolInfo>& protocols) {
  Warnings warnings;
  for (const Point& point : points) {
    warn_of_late_faults(point, warnings);
    const ProtocolInfo* const info = info_of(point, protocols);
    if (info == nullptr) continue;
    const auto needed = [&](auto time) { return time ? time(point.protocol.params) : Duration{}; };
    if (point.run.warmup)
      warn_of_time(point, WarningKind::short_warmup, "run.warmup", *point.run.warmup,
                   "ten adaptation periods", kAdaptations, needed(info->adaptation_period),
                   warnings);
    warn_of_time(point, WarningKind::short_duration, "run.duration", point.run.duration,
                 "three timeouts", kTimeouts, needed(info->longest_timeout), warnings);
  }
  return warnings;
}

Warnings unit_warnings(const std::vector<Point>& points,
                       const std::vector<ProtocolInfo>& protocols) {
  Warnings warnings;
  for (const Point& point : points) {
    const ProtocolInfo* const info = info_of(point, protocols);
    if (info == nullptr || !info->ranges || !has_units(*info)) continue;
    const std::int64_t told = point.protocol.params.integer("units");
    for_each_workload(point, [&](const WorkloadSpec& workload) {
      const auto units = static_cast<std::int64_t>(workload.range.units);
      if (workload.kind != WorkloadKind::range || told == units) return;
      add(warnings, WarningKind::units,
          fmt::format("protocol.units of {} is {}, and workload.units is {}: unless that "
                      "is meant, set both to the same",
                      point.protocol.label, format_count(told), format_count(units)));
    });
  }
  return warnings;
}

Warnings grant_warnings(const std::vector<Point>& points,
                        const std::vector<ProtocolInfo>& protocols) {
  Warnings warnings;
  for (const Point& point : points) {
    const ProtocolInfo* const info = info_of(point, protocols);
    if (info == nullptr) continue;
    for_each_workload(point, [&](const WorkloadSpec& workload) {
      const Duration grant = shortest_grant(point, *info, workload);
      const Duration section = least_section(point, workload);
      if (grant.ps == 0 || section < grant) return;
      add(warnings, WarningKind::cut_sections,
          fmt::format("sections of {0} take {1}, and its grants are valid for {2} at most: the "
                      "sections are cut there, and count in no goodput; use a longer lease, or "
                      "shorter sections (workload.critical_section)",
                      point.protocol.label, format_duration(section), format_duration(grant)));
    });
  }
  return warnings;
}

HardwareAdvice hardware_advice(const Point& point) {
  HardwareAdvice advice;
  const PlatformSpec& platform = point.platform;
  const ClockSpec& clocks = platform.clocks;
  const struct {
    bool asked_for;
    const char* key;
    const char* reality;
  } unused[] = {
      {true, "nic", "the real NIC has its own rates and latencies"},
      {!platform.software.empty() && !platform.by_event, "software",
       "it is Latchlab's own on real CPUs"},
      {platform.topology.kind != TopologyKind::star, "topology",
       "real nodes are cabled as they are"},
      {platform.bulk.model != BulkModel::shared_ports, "bulk",
       "a real network shares its links as it does"},
      {platform.client_link_latency.ps != 0, "client_link_latency",
       "real links are as long as they are"},
      {platform.packet_loss_ppb != 0, "packet_loss", "real links lose what they lose"},
      {platform.switch_queue != SwitchQueueSpec{}, "switch_queue",
       "real switches have the buffers that they have"},
      {clocks.drift_ppb != 0, "clocks.drift", "real clocks drift as they do"},
      {clocks.offset.ps != 0, "clocks.offset", "real clocks are set as they are"},
      {clocks.nic_drift_ppb != 0, "clocks.nic_drift", "the real NIC's clock drifts as it does"},
      {clocks.nic_offset.ps != 0, "clocks.nic_offset", "the real NIC's clock is set as it is"},
      {platform.qps == QpOwner::core || platform.qps == QpOwner::node, "qps",
       "each client has QPs of its own"},
      {platform.server_cpu.cores.has_value(), "server_cpu.cores",
       "a server has as many threads as --server-workers says"},
      {platform.server_cpu.call_service.has_value(), "server_cpu.call_service",
       "real calls take what they take"},
      {platform.cores != 0, "cores", "real clients share the cores that their node has"}};
  for (const auto& [asked_for, key, reality] : unused)
    if (asked_for)
      add(advice.warnings, fmt::format("platform.{}: {}; the value is not used", key, reality));
  if (platform.by_event)
    add(advice.warnings, "platform.software: it is Latchlab's own on real CPUs; of " +
                             platform.software +
                             " it has that clients sleep until a completion raises an event");
  if (platform.qps == QpOwner::pair || platform.qps == QpOwner::duplex)
    add(advice.errors,
        fmt::format(
            "platform.qps: {}: on hardware a client has one QP to each node, not one to each "
            "of its clients; set it to client, or run it with --backend simgrid",
            platform.qps == QpOwner::pair ? "pair" : "duplex"));
  if (platform.client_nodes_per_nic != 1)
    add(advice.warnings,
        "platform.client_nodes_per_nic: real nodes have the RNICs that they have; the value only "
        "tells locks which nodes are near each other");
  for (const GroupSpec& group : point.groups)
    if (group.nic || group.clocks)
      add(advice.warnings, fmt::format("groups: nic and clocks of group {}: real nodes have their "
                                       "own; the values are not used",
                                       group.name));
  if (point.run.guard == GuardMode::off)
    add(advice.warnings,
        "run.guard: off: mutual exclusion is not checked on hardware without guard words; set it "
        "to "
        "on");
  for (const FaultSpec& fault : point.faults)
    if (fault.kind > FaultKind::process_crash)  // a process cannot cause these to its own clients
      add(advice.errors,
          fmt::format("faults: {} needs nodes, links, CPUs or clocks that can be made to fail, "
                      "which hardware has not; run it with --backend simgrid",
                      name_of(fault.kind)));
  return advice;
}

}  // namespace latchlab
