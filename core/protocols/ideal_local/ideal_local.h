#pragma once
// ideal_local: a reader-writer lock without a network, to compare with: what serialising costs when
// everybody is on one machine.
// Source: DecLock (arXiv 2505.17641), Fig. 1, whose "ideal" runs all clients on a single machine
// and serialises them by local locks. It says no more, so the rest is ours: a fair queue.
//
// Entry: none. The lock is in the node's part (CPU, on_node): for each lock that somebody holds or
//   wants, how many hold it shared, whether one holds it exclusively, and those that wait.
// Of each client, one word in registered memory: the number of the last wait that was granted. It
//   is stored by whoever grants (CPU store), and the client watches it.
//
// Acquire  one visit: the lock is granted at once if nobody waits and no holder's mode conflicts.
//          Else join the queue and watch the own word for the number of this wait. At its deadline
//          a client leaves the queue by another visit; if it has been granted the lock meanwhile,
//          it takes it.
// Release  one visit: leave, and take from the queue whom nothing stands in the way of: one writer,
//          or all readers up to the next writer. Then store to the word of each.
// Cost     no verb, no message. Acquire: 1 visit; release: 1 visit and 1 store for each client that
//          it grants the lock to. What a visit and a store cost is the platform's (local.on_node,
//          local.cpu_access).
// Safe     because visits exclude each other, and a client that waits goes on only with the number
//          of its own wait, which is stored once, after the visit that made it a holder.
// Fair     first come, first served, in the order of visits (which no search checks: visits are no
//          effects).
// Needs    node_state, local_words, and all clients on one node.
// Does not survive the crash of a client.
// Tests: tests/protocols/ideal_local.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry ideal_local_entry();
}  // namespace latchlab
