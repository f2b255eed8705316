#pragma once
// ideal_local: a reader-writer lock without a network, for comparison: the cost of serialising when
// all clients run on one machine.
// Source: DecLock (arXiv 2505.17641), Fig. 1, whose "ideal" runs all clients on a single machine
// and serialises them by local locks. It says no more; the fair queue is ours.
//
// Entry: none. The lock is in the node's part (CPU, on_node): for each lock that a client holds or
// wants, how many clients hold it shared, whether one holds it exclusively, and the waiting
// clients.
// Each client has a word in registered memory: the number of its last wait that was granted. The
// granting client stores it (CPU store), and the waiting client watches it.
//
// Acquire  one visit: the lock is granted at once if no client waits and no holder's mode
//          conflicts. Otherwise join the queue and watch the own word for the number of this wait.
//          At its deadline a client leaves the queue by another visit; if it has been granted the
//          lock meanwhile, it keeps it.
// Release  one visit: release, and remove from the queue the clients that can be granted the lock:
//          one writer, or all readers up to the next writer. Then store to the word of each.
// Cost     no verb, no message. Acquire: 1 visit; release: 1 visit and 1 store for each client that
//          it grants the lock to. The platform says what a visit and a store cost (local.on_node,
//          local.cpu_access).
// Safe     Visits exclude each other. A waiting client goes on only with the number of its own
//          wait, which is stored once, after the visit that made it a holder.
// Fair     first come, first served, in the order of visits (which no search checks: visits are not
//          effects).
// Needs    node_state, local_words, and all clients on one node.
// Does not survive the crash of a client.
// Tests: tests/protocols/ideal_local.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry ideal_local_entry();
}  // namespace latchlab
