#pragma once
// inode_mutex: one mutex for each object, locked for every range, in the CPU of the object's
// server.
// Source: CITRON (FAST'23) Table 2, its Mutex: the mutex of a file's inode, which its file system
// has in place of range locks. The paper says no more; the rest is reconstructed.
//
// Entry, calls, cost, safety, crashes: common/range_server/manager.h.
// Acquire  any range locks the whole object (the lock has no ranges: grants say so). The first
//          request gets it, later ones queue.
// Release  the object goes to the first request in the queue.
// Cores    take turns at the mutex: each request is one step, one at a time for each object.
//
// Fair     first come, first served, in the order in which the server takes up requests.
//
// Assumptions  The mutex is at the object's server; the order. Linux's mutex lets spinning tasks go
//              before sleeping ones, and its inode lock has been a reader-writer lock since 4.7;
//              clients of a server neither spin nor sleep there, and CITRON calls it a mutex.
// Departures none known.
//
// Constant `step`: models/cpu/range-structures.yaml (assumed).
// Tests: tests/protocols/inode_mutex; what the four range servers share, in range_server beside it.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry inode_mutex_entry();
}  // namespace latchlab
