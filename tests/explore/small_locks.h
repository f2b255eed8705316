#pragma once
// Locks that exist for tests of the search alone, each about one thing.

namespace latchlab::explore {

// Registers them all, once.
//  test_two_ways  A CAS lock that clients of the lock's own node take by CPU, and others by RNIC:
//                 wrong wherever a CPU's access may fall between the halves of an RNIC's atomic.
//  test_wide      A CAS lock whose waiters watch nine words of its entry with five probes, and
//                 whose holders read three at once. Sound.
//  test_served    A lock that its server hands out by call. Who waits for longer than its patience
//                 gives up and asks again, once. `forgives`: the server takes back what it gave to
//                 somebody who had given up; else it stays locked.
void register_small_locks();

}  // namespace latchlab::explore
