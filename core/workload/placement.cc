#include "core/workload/placement.h"

#include "core/base/check.h"

namespace latchlab {

std::uint64_t Placement::locks_on(std::uint64_t server) const {
  switch (kind_) {
    case PlacementKind::round_robin:
      return count_ / servers_ + (server < count_ % servers_ ? 1 : 0);
    case PlacementKind::partitioned:
      return start(server + 1) - start(server);
    case PlacementKind::node:
      return server == node_ ? count_ : 0;
  }
  return 0;
}

Placement::Slot Placement::place_of(LockId id) const {
  LATCHLAB_CHECK(id.value < count_, "no such lock");
  if (kind_ == PlacementKind::round_robin) return {id.value % servers_, id.value / servers_};
  if (kind_ == PlacementKind::node) return {node_, id.value};
  const std::uint64_t server = id.value * servers_ / count_;
  return {server, id.value - start(server)};
}

LockId Placement::lock_at(Slot place) const {
  if (kind_ == PlacementKind::round_robin) return LockId{place.index * servers_ + place.server};
  if (kind_ == PlacementKind::node) return LockId{place.index};
  return LockId{start(place.server) + place.index};
}

}  // namespace latchlab
