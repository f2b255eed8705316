#pragma once
// A lock for tests that need features that few locks have: all modes, ranges, upgrade, extend and
// leases. It is slow and simple: clients call the lock's server, which keeps all state in lists.
//
// Requests are granted in the order in which the calls arrive: a request waits for the holders and
// the earlier requests that conflict with it. An upgrade goes before all requests that are no
// upgrades. With leases, a holder that has not released or extended in time is forgotten when
// another client wants the lock. The lock's entry holds no state. The lock does not survive the
// crash of a holder without leases.

#include "core/protocols/lock.h"

namespace latchlab::testing {

// Parameters: `lease` (0: grants never expire), `max_held`, `max_waiting` (of a lock; a request
// that would have to wait beside as many is refused), and `fault`, what the lock does wrong:
//   none
//   shares_extents      grants what overlaps with what others hold, unless it is the same extent
//   upgrades_at_once    waits for no reader before it upgrades
//   keeps_no_expiry     carries out a release although the lease is over
//
// It is not registered, so that tests over all protocols do not include it.
inline constexpr const char* kReferenceLock = "reference_lock";
const ProtocolEntry& reference_lock();

}  // namespace latchlab::testing
