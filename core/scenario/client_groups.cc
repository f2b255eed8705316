// Which clients' numbers are reported apart.

#include <algorithm>

#include "core/scenario/scenario.h"

namespace latchlab {
namespace {

ClientGroups roles_of(const OltpRoles& roles, std::uint32_t clients) {
  ClientGroups groups{{"readers", "writers", "log"}, {}};
  for (std::uint32_t i = 0; i < clients; ++i) {
    const std::uint64_t place = i % roles.clients();
    const bool reads = place < roles.readers;
    const bool logs = place >= std::uint64_t{roles.readers} + roles.writers;
    groups.of_clients.push_back(reads ? 0 : logs ? 2 : 1);
  }
  return groups;
}

ClientGroups sizes_of(const std::vector<std::uint64_t>& in_turn, std::uint32_t clients) {
  std::vector<std::uint64_t> sizes = in_turn;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  ClientGroups groups;
  for (const std::uint64_t size : sizes) groups.names.push_back(std::to_string(size));
  for (std::uint32_t i = 0; i < clients; ++i) {
    const auto own = std::find(sizes.begin(), sizes.end(), in_turn[i % in_turn.size()]);
    groups.of_clients.push_back(static_cast<std::uint8_t>(own - sizes.begin()));
  }
  return groups;
}

}  // namespace

ClientGroups client_groups(const Point& point) {
  ClientGroups groups;
  for (const GroupSpec& group : point.groups) {
    groups.of_clients.insert(groups.of_clients.end(), group.clients.clients(),
                             static_cast<std::uint8_t>(groups.names.size()));
    groups.names.push_back(group.name);
  }
  if (!point.groups.empty() || !point.run.by_group) return groups;
  const WorkloadSpec& workload = point.workload;
  const std::uint32_t clients = point.platform.clients();
  if (workload.kind == WorkloadKind::file_io && workload.file.roles.clients() > 0)
    return roles_of(workload.file.roles, clients);
  if (workload.kind == WorkloadKind::range && !workload.range.by_operation)
    return sizes_of(workload.range.sizes, clients);
  return groups;
}

}  // namespace latchlab
