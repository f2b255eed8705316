// What a point requires of its lock and its backend.

#include <fmt/core.h>

#include <algorithm>

#include "core/base/multiples.h"
#include "core/run/share.h"
#include "core/workload/parts.h"

namespace latchlab {
namespace {

Result<std::uint32_t> held_by(const PartSetup& setup) {
  const bool may_hold_more = setup.spec.kind == WorkloadKind::trace ||
                             setup.spec.kind == WorkloadKind::transactions ||
                             !setup.spec.objects.trace.empty();
  if (!may_hold_more) return setup.spec.locks_per_section;
  const auto parts = make_parts(setup);
  if (!parts) return parts.error();
  return parts.value() ? parts.value()->most_parts() : setup.spec.locks_per_section;
}

}  // namespace

Result<std::uint32_t> held_at_once(const Point& point) {
  if (point.groups.empty())
    return held_by({point.workload, point.locks.count, 0, point.platform.clients(), point.run.seed,
                    point.platform.clients_per_node});
  std::uint32_t most = 1;
  std::uint32_t first = 0;
  for (const GroupSpec& group : point.groups) {
    const auto held = held_by({group.workload, point.locks.count, first, group.clients.clients(),
                               point.run.seed, group.clients.clients_per_node});
    if (!held) return held;
    most = std::max(most, held.value());
    first += group.clients.clients();
  }
  return most;
}

std::string limits_exceeded(const Point& point, const Protocol& protocol,
                            std::uint32_t held_at_once) {
  const Limits limits = protocol.limits();
  const auto over = [&](const char* what, std::uint64_t asked, std::uint64_t most) {
    return fmt::format("{} takes at most {} {}, and the scenario has {}", point.protocol.name, most,
                       what, asked);
  };
  if (point.platform.clients() > limits.max_clients)
    return over("clients", point.platform.clients(), limits.max_clients);
  if (point.platform.client_nodes > limits.max_nodes)
    return over("client nodes", point.platform.client_nodes, limits.max_nodes);
  if (point.locks.count > limits.max_locks)
    return over("locks", point.locks.count, limits.max_locks);
  if (held_at_once > limits.held_at_once)
    return fmt::format("with {} a client holds at most {} at once, and a section needs {}",
                       point.protocol.name, limits.held_at_once, held_at_once);
  // The default stride grows with the entry; a given stride is kept or refused. An entry may grow
  // with the number of clients.
  const std::uint64_t stride = point.locks.stride_bytes;
  if (stride == 0 || stride == Point().locks.stride_bytes) return {};
  const WorldShape shape = shape_of(point, point.run.seed);
  const std::uint64_t entry = protocol.layout(shape_for_protocols(shape)).entry_bytes;
  if (stride >= entry) return {};
  return fmt::format(
      "an entry of {} has {}B with {} clients, and locks.stride is {}B; set it to {}B",
      point.protocol.name, entry, point.platform.clients(), stride, round_up(entry, 8));
}

std::string lacking(const Point& point, const Protocol& protocol, const Capabilities& has) {
  const std::string missing = has.first_missing(protocol.needs());
  return missing.empty() ? missing
                         : fmt::format("{} needs {}, which this backend does not have",
                                       point.protocol.name, missing);
}

}  // namespace latchlab
