#pragma once
// A lock for tests that need what few locks have: all modes, ranges, upgrade, extend and leases. It
// is slow and simple: clients call the lock's server, which keeps everything in lists.
//
// Granted in the order in which the calls arrive: a request waits for those that conflict with it,
// be they holders or earlier requests; one to upgrade goes before all that are no upgrades. With
// leases, who has not released or extended in time is forgotten when somebody wants the lock.
// Nothing is kept in the lock's entry. Does not survive the death of a holder without leases.

#include "core/protocols/lock.h"

namespace latchlab::testing {

// Parameters: `lease` (0: grants never expire), `max_held`, `max_waiting` (of a lock; a request
// that would have to wait beside as many is refused), and `fault`, what the lock does wrong:
//   none
//   shares_extents      grants what overlaps with what others hold, unless it is the same extent
//   upgrades_at_once    waits for no reader before it upgrades
//   keeps_no_expiry     carries out a release although the lease is over
//
// It is not registered: tests that go through all protocols are not about it.
inline constexpr const char* kReferenceLock = "reference_lock";
const ProtocolEntry& reference_lock();

}  // namespace latchlab::testing
