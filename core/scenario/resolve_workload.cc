// What clients do, as a resolved scenario has it.

#include <fmt/format.h>

#include <utility>

#include "core/scenario/quantities.h"
#include "core/scenario/resolved_values.h"
#include "core/scenario/sections.h"

namespace latchlab::resolved {
namespace {

YamlNode write_distribution(const DistributionSpec& spec) {
  static const char* const names[] = {"uniform", "zipf", "power_law", "hotspot"};
  YamlNode node = yaml_map();
  node.set("kind", yaml_text(names[static_cast<std::size_t>(spec.kind)]));
  switch (spec.kind) {
    case DistributionKind::uniform:
      break;
    case DistributionKind::zipf:
      node.set("theta", exponent(spec.theta_ppb));
      node.set("scramble", boolean(spec.scramble));
      break;
    case DistributionKind::power_law:
      node.set("alpha", exponent(spec.alpha_ppb));
      break;
    case DistributionKind::hotspot:
      node.set("locks", percent(spec.hot_locks_ppb));
      node.set("accesses", percent(spec.hot_accesses_ppb));
      break;
  }
  return node;
}

}  // namespace

YamlNode write_workload(const WorkloadSpec& workload) {
  YamlNode think = time(workload.think_time);
  if (workload.think_exponential) {
    YamlNode mean = std::move(think);
    think = yaml_map();
    think.set("kind", yaml_text("exponential"));
    think.set("mean", std::move(mean));
  }
  YamlNode node = yaml_map();
  node.set("kind", yaml_text("micro"));
  node.set("distribution", write_distribution(workload.distribution));
  node.set("read_ratio", percent(workload.read_ratio_ppb));
  node.set("locality", workload.locality_ppb ? percent(*workload.locality_ppb) : YamlNode());
  YamlNode held = time(workload.critical_section);
  if (workload.remote_ops > 0) {
    held = yaml_map();
    held.set("remote_ops", number(workload.remote_ops));
    held.set("bytes", literal(format_bytes(workload.object_bytes),
                              fmt::format("{}", workload.object_bytes)));
  }
  node.set("critical_section", std::move(held));
  node.set("think_time", std::move(think));
  node.set("locks_per_section", number(workload.locks_per_section));
  node.set("order", yaml_text(workload.locks_sorted ? "sorted" : "as_asked"));
  node.set("on_abort", yaml_text(workload.gives_back ? "give_back" : "retry"));
  node.set("retry_pause", time(workload.retry_pause));
  node.set("update_ratio", percent(workload.update_ratio_ppb));
  node.set("upgrade_ratio", percent(workload.upgrade_ratio_ppb));
  node.set("arrivals", write_arrivals(workload.arrivals));
  return node;
}

YamlNode write_clocks(const ClockSpec& clocks) {
  YamlNode node = yaml_map();
  node.set("drift", yaml_text(format_ppm(clocks.drift_ppb)));
  node.set("offset", time(clocks.offset));
  node.set("nic_drift", yaml_text(format_ppm(clocks.nic_drift_ppb)));
  node.set("nic_offset", time(clocks.nic_offset));
  return node;
}

YamlNode write_groups(const std::vector<GroupSpec>& groups, WriteNic write) {
  YamlNode list = yaml_sequence();
  for (const GroupSpec& group : groups) {
    YamlNode node = yaml_map();
    node.set("name", yaml_text(group.name));
    node.set("nodes", number(group.clients.nodes));
    node.set("clients_per_node", number(group.clients.clients_per_node));
    node.set("workload", write_workload(group.workload));
    if (group.nic) node.set("nic", write(*group.nic));
    if (group.clocks) node.set("clocks", write_clocks(*group.clocks));
    list.items.push_back(std::move(node));
  }
  return list;
}

}  // namespace latchlab::resolved
