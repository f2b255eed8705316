#include "core/scenario/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/scenario/nic_file.h"
#include "core/scenario/quantities.h"
#include "core/scenario/resolved_values.h"
#include "core/scenario/sections.h"

namespace latchlab {

using namespace resolved;

namespace {

YamlNode write_datagrams(const DatagramSpec& spec) {
  YamlNode node = yaml_map();
  node.set("loss", percent(spec.loss_ppb));
  node.set("reorder", percent(spec.reorder_ppb));
  node.set("reorder_by", time(spec.reorder_by));
  return node;
}

YamlNode write_server_cpu(const ServerCpuSpec& cpu) {
  YamlNode node = yaml_map();
  node.set("cores", cpu.cores ? number(*cpu.cores) : YamlNode());
  node.set("call_service", cpu.call_service ? time(*cpu.call_service) : YamlNode());
  return node;
}

YamlNode write_platform(const PlatformSpec& platform, YamlNode nic) {
  YamlNode node = yaml_map();
  node.set("nic", std::move(nic));
  node.set("topology", write_topology(platform.topology));
  node.set("servers", number(platform.servers));
  if (platform.groups.empty()) {
    node.set("client_nodes", number(platform.client_nodes));
    node.set("clients_per_node", number(platform.clients_per_node));
  }
  node.set("client_nodes_per_nic", number(platform.client_nodes_per_nic));
  node.set("colocated", boolean(platform.colocated));
  node.set("client_link_latency", time(platform.client_link_latency));
  node.set("clocks", write_clocks(platform.clocks));
  node.set("bulk", write_bulk(platform.bulk));
  static const char* const owners[] = {"client", "core", "node"};
  node.set("qps", yaml_text(owners[static_cast<std::size_t>(platform.qps)]));
  node.set("cores", platform.cores == 0 ? YamlNode() : number(platform.cores));
  node.set("datagrams", write_datagrams(platform.datagrams));
  // Without it, what counts stands with the NIC.
  if (platform.server_cpu != ServerCpuSpec{})
    node.set("server_cpu", write_server_cpu(platform.server_cpu));
  return node;
}

YamlNode write_locks(const LockTableSpec& locks) {
  YamlNode placement;
  switch (locks.placement) {
    case PlacementKind::round_robin:
      placement = yaml_text("round_robin");
      break;
    case PlacementKind::partitioned:
      placement = yaml_text("partitioned");
      break;
    case PlacementKind::node:
      placement = yaml_map();
      placement.set("node", number(locks.node));
      break;
  }
  YamlNode node = yaml_map();
  node.set("count", number(locks.count));
  node.set("placement", std::move(placement));
  node.set("stride", locks.stride_bytes == 0 ? YamlNode()
                                             : literal(format_bytes(locks.stride_bytes),
                                                       fmt::format("{}", locks.stride_bytes)));
  node.set("memory", yaml_text(locks.device_memory ? "device" : "host"));
  return node;
}

YamlNode write_param(const ParamValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return literal(format_count(*integer), fmt::format("{}", *integer));
  if (const auto* duration = std::get_if<Duration>(&value)) return time(*duration);
  if (const auto* flag = std::get_if<bool>(&value)) return boolean(*flag);
  return yaml_text(std::get<std::string>(value));
}

YamlNode write_protocol(const ProtocolSpec& protocol) {
  YamlNode node = yaml_map();
  node.set("name", yaml_text(protocol.name));
  if (!protocol.profile.empty()) node.set("profile", yaml_text(protocol.profile));
  node.set("label", yaml_text(protocol.label));
  for (const auto& [name, value] : protocol.params.values()) node.set(name, write_param(value));
  return node;
}

YamlNode write_faults(const std::vector<FaultSpec>& faults) {
  YamlNode list = yaml_sequence();
  for (const FaultSpec& fault : faults) {
    if (is_cpu_fault(fault.kind)) {
      list.items.push_back(write_cpu_fault(fault));
      continue;
    }
    if (fault.kind != FaultKind::skip_release) {
      list.items.push_back(write_fault(fault));
      continue;
    }
    YamlNode node = yaml_map();
    node.set("kind", yaml_text("skip_release"));
    node.set("probability", percent(fault.probability_ppb));
    list.items.push_back(std::move(node));
  }
  return list;
}

YamlNode write_run(const RunSpec& run) {
  YamlNode node = yaml_map();
  node.set("warmup", time(run.warmup));
  node.set("duration", time(run.duration));
  node.set("seed", literal(fmt::format("{}", run.seed), fmt::format("{}", run.seed)));
  node.set("repeats", number(run.repeats));
  const char* const kGuards[] = {"off", "sampled", "on"};
  node.set("guard", yaml_text(kGuards[static_cast<std::size_t>(run.guard)]));
  node.set("on_violation", yaml_text(run.on_violation == OnViolation::stop ? "stop" : "record"));
  node.set("series", run.series.ps == 0 ? YamlNode() : time(run.series));
  node.set("hottest_lock", boolean(run.hottest_lock));
  return node;
}

YamlNode write_report(const std::vector<Figure>& figures) {
  YamlNode list = yaml_sequence();
  for (const Figure& figure : figures) {
    YamlNode node = yaml_map();
    node.set("x", yaml_text(figure.x));
    node.set("y", yaml_text(figure.y));
    node.set("series", yaml_text(figure.series));
    list.items.push_back(std::move(node));
  }
  YamlNode report = yaml_map();
  report.set("figures", std::move(list));
  return report;
}

YamlNode sections(const Point& point, const std::string& name, WriteNic write) {
  YamlNode node = yaml_map();
  node.set("schema", number(1));
  node.set("name", yaml_text(name));
  node.set("platform", write_platform(point.platform, write(point.platform.nic)));
  node.set("locks", write_locks(point.locks));
  node.set("workload", write_workload(point.workload));
  node.set("groups", write_groups(point.groups, write));
  node.set("protocol", write_protocol(point.protocol));
  node.set("faults", write_faults(point.faults));
  node.set("run", write_run(point.run));
  return node;
}

// A swept number of nodes changes the shape that follows from it.
void keep_topology(YamlNode& resolved, const YamlNode& source) {
  for (const char* key : {"topology", "bulk"}) {
    const YamlNode* platform = source.find("platform");
    const YamlNode* written = platform ? platform->find(key) : nullptr;
    if (written)
      resolved.find("platform")->set(key, *written);
    else
      resolved.find("platform")->erase(key);
  }
}

// What a group shares with all others may be swept there; it then follows at every point only if
// the group does not say it.
void keep_groups(YamlNode& resolved, const YamlNode& source) {
  const YamlNode* const written = source.find("groups");
  YamlNode* const groups = resolved.find("groups");
  if (!written || !groups) return;
  for (std::size_t i = 0; i < std::min(written->items.size(), groups->items.size()); ++i) {
    YamlNode& group = groups->items[i];
    for (const char* key : {"workload", "clocks", "nic"}) {
      const YamlNode* const own = written->items[i].find(key);
      if (!own)
        group.erase(key);
      else if (std::string_view(key) != "nic")  // which is whole, and found without its file
        group.set(key, *own);
    }
  }
}

// A swept name, profile or kind changes which keys its mapping may have.
void keep_rebuilt_section(YamlNode& resolved, const YamlNode& source, const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return;
  const std::string leaf = path.substr(dot + 1);
  if (leaf != "name" && leaf != "profile" && leaf != "kind") return;
  const std::string section = path.substr(0, dot);
  YamlNode* target = find_path(resolved, section);
  const YamlNode* written = find_path(source, section);
  if (target && written)
    *target = *written;
  else if (section.find('.') == std::string::npos)
    resolved.erase(section);
  else if (YamlNode* parent = find_path(resolved, section.substr(0, section.rfind('.'))))
    parent->erase(section.substr(section.rfind('.') + 1));
}

}  // namespace

YamlNode write_point(const Point& point, const std::string& scenario_name) {
  return sections(point, scenario_name, write_nic);
}

void resolve_point(Point& point, const std::string& scenario_name) {
  point.resolved_yaml = emit_yaml(write_point(point, scenario_name));
  point.resolved_json = emit_json(sections(point, scenario_name, write_nic_values));
}

std::string resolve_scenario(const Scenario& scenario, const YamlNode& source,
                             const std::vector<Axis>& axes) {
  const YamlNode first = write_point(scenario.points.front(), scenario.name);
  YamlNode node = yaml_map();
  for (const YamlEntry& entry : first.entries) {
    node.set(entry.key, entry.value);
    if (entry.key == "name") node.set("description", yaml_text(scenario.description));
  }
  for (const Axis& axis : axes)
    for (const std::string& path : axis.paths) {
      const bool platform = path == "platform" || path.starts_with("platform.") ||
                            path == "groups" || path.starts_with("groups.");
      if (platform && !path.starts_with("platform.nic")) keep_topology(node, source);
      if (platform || path == "workload" || path.starts_with("workload."))
        keep_groups(node, source);
      keep_rebuilt_section(node, source, path);
    }
  for (const char* key : {"sweep", "expect"}) {
    const YamlNode* kept = source.find(key);
    if (kept && !kept->is_null()) node.set(key, *kept);
  }
  node.set("report", write_report(scenario.figures));
  return emit_yaml(node);
}

}  // namespace latchlab
