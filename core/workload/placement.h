#pragma once
// Maps a lock to its server and its index there, and back (`locks.placement`).

#include <cstdint>

#include "core/base/ids.h"
#include "core/scenario/scenario.h"

namespace latchlab {

class Placement {
 public:
  struct Slot {
    std::uint64_t server = 0;  // from 0
    std::uint64_t index = 0;   // among its locks
    bool operator==(const Slot&) const = default;
  };

  Placement(const LockTableSpec& locks, std::uint32_t servers)
      : kind_(locks.placement), count_(locks.count), node_(locks.node), servers_(servers) {}

  std::uint64_t locks_on(std::uint64_t server) const;
  Slot place_of(LockId id) const;
  LockId lock_at(Slot place) const;  // place.index < locks_on(place.server)

 private:
  // partitioned: lock i is on floor(i * S / count), so server s starts at ceil(s * count / S).
  std::uint64_t start(std::uint64_t server) const {
    return (server * count_ + servers_ - 1) / servers_;
  }

  PlacementKind kind_;
  std::uint64_t count_;
  std::uint64_t node_;
  std::uint64_t servers_;
};

}  // namespace latchlab
