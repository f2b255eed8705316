#pragma once
// inode_mutex: one mutex for each object, taken for every range, kept by the CPU of its server.
// Source: CITRON (FAST'23) Table 2, its Mutex: the mutex of a file's inode, which its file system
// has in place of range locks. The paper says no more than that; all else is reconstructed.
//
// Entry, calls, cost, safety, crashes: common/range_server/manager.h.
// Acquire  any range is the whole object (the lock has no ranges: grants say so). The first to ask
//          has it, others queue.
// Release  the object goes to whoever is first in the queue.
// Cores    take turns at the mutex: each request is one step, one at a time for each object.
//
// Fair     first come, first served, in the order in which the server takes up requests.
//
// Guesses  that it is at the object's server, and the order. Linux's mutex lets tasks that spin go
//          before those that sleep, and its inode lock has been one for readers and writers since
//          4.7; clients of a server neither spin nor sleep there, and CITRON calls it a mutex.
// Departures none known.
//
// Constant `step`: models/cpu/range-structures.yaml (assumed).
// Tests: tests/protocols/inode_mutex; of what the four have in common, in range_server beside it.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry inode_mutex_entry();
}  // namespace latchlab
