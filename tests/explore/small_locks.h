#pragma once
// Locks that exist only for tests of the search; each shows one property.

namespace latchlab::explore {

// Registers them all, once.
//   test_two_ways  A CAS lock that clients of the lock's own node acquire by CPU, and other
//                  clients by RNIC: broken if a CPU's access can fall between the halves of an
//                  RNIC's atomic.
//   test_wide      A CAS lock whose waiters watch nine words of its entry with five probes, and
//                  whose holders read three words at once. Sound.
//   test_served    A lock that its server grants by call. A client that waits for longer than its
//                  patience gives up and asks again, once. `forgives`: the server takes back a
//                  grant to a client that had given up; otherwise the lock stays locked.
//   test_numbered  A CAS lock whose client 1 does not lock a lock that it reads to be free: broken
//                  if client 1 comes first. `alike`: claims that numbers of clients are only names.
void register_small_locks();

}  // namespace latchlab::explore
