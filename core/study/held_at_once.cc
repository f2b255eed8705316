#include "core/study/held_at_once.h"

#include <algorithm>

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

}  // namespace latchlab
