#pragma once
// declock: DecLock. The clients of a node queue in its memory, and one of them at a time queues for
// the node in a CQL lock. Timestamps of the requests decide whether the lock goes to a client of
// the same node or to another node.
// Source: "DecLock: A Case of Decoupled Locking for Disaggregated Memory" (arXiv 2505.17641),
// section 5; the lock between nodes is section 4, cql.h. We know the authors' code
// (github.com/dracit7/declock, f9d06bf) from a description; none of it is used here.
//
// Entry: that of cql, with a place for each client node. An entry's owner is the client that leads
// its node; its timestamp counts units (`time_unit`, 1 us) since the nodes last agreed on a moment,
// in `time_bits` (16).
// Each node's part (node.h) keeps, for each lock that a client of it holds or wants
//   queue    the waiting clients, with their modes and times, and how many clients hold the lock
//   CQL      the CQL lock that the node holds: mode, reset count; since when other nodes wait, as
//            far as known
//   tenure   how often the node has held the CQL lock since a client of it wanted it first
// Each client has a word on which it waits for clients of its node: 0 wait, 1 lead, 2 lock granted.
// The first server has a word for each client node, the counters by which clocks are synchronised.
//
// Acquire  Join the node's queue. If no client of the node holds or wants the lock: lead the node,
//          acquire the CQL lock with the time at which the client joined, and, as a reader, admit
//          the readers that wait here. A late reader, that is one which comes while readers of its
//          node hold the lock, enters if no client waits here and `transfer` (below) would hand it
//          the lock. After `look_after` such readers the next one READs header and queue of the CQL
//          lock first (late_readers: looking). All other clients wait on their word; meanwhile they
//          (prefetch) READ header and queue once, so that the coming releases know since when other
//          nodes wait.
// Release  If other clients of the node still hold the lock: nothing. Otherwise the next client of
//          the node gets the lock in memory, if it wants it in the mode in which the node holds it
//          and `transfer` says so:
//            timestamp      it asked no later than all that wait at other nodes, as far as known
//            remote_prefer  no client waits at other nodes, as far as known
//            local_prefer   always
//            local_bound    up to `local_bound` clients hold the lock in a row, readers beside
//                           others counted
//          If not, release the CQL lock, and tell a client of the node to lead it. The next client
//          is the one that came first, for handing over and for leading; with phase_fair, after a
//          writer, the first reader leads. A reader that acquires the CQL lock or is handed it
//          shares it with waiting readers: task_fair, with those before the first writer that
//          `transfer` would hand the lock; phase_fair, with all.
// What is known about other nodes: the earliest time in the queue, carried by the notification that
// gave the node the lock, or READ during the same tenure by a prefetch or by a late reader. A late
// reader can see in the header that a writer waits whose entry is not written yet: that writer
// counts as waiting since the late reader asked.
// Times compare as 16-bit values that wrap: of two that are further apart than half of the range
// (`wrap_percent`), the larger is the earlier.
// Clocks   Every `clock_sync` each node increments a word on the server, and polls it until all
//          nodes have; then its time starts from 0.
// Reset    that of cql. Once a node is asked, it hands over nothing more; it answers when its last
//          client has left.
// Server back: as in cql.h. A node hands over no lock of a server that has failed; the next leader
// is paused, and its acquisition aborted, in its turn. The counters of the clocks are lost with the
// first server, and all nodes agree anew.
//
// Cost     free: that of cql, 2 round trips and 3 server verbs. A handover within a node: no verb,
//          and a READ for each client that has waited (none with local_prefer and local_bound). A
//          late reader: no verb, and for one of `look_after` + 1 of them a READ and its round trip.
//          Between nodes: that of cql.
// Fair     in the order of requests, whatever the mode (task_fair), or readers alternating with
//          writers (phase_fair), as far as known. A node that waits in the CQL queue is served
//          after the nodes before it, once each. Each of these may hand the lock over to clients of
//          its own that ask after the waiting node has written its entry:
//            timestamp, remote_prefer  at most C (`look_after` + 2) of C clients: each once while
//                                      its own prefetch is under way, and `look_after` + 1 late
//                                      readers for each that READs. timestamp: if clocks agree, and
//                                      the node waits for less than `wrap_percent` of the range of
//                                      times
//            local_bound    at most `local_bound` - 1
//            local_prefer   any number
//          This holds between two resets. The number depends on nodes and clients, so bypass_bound
//          claims nothing.
// Safe     LocalQueues admits clients of one node only as their modes allow, only while the node
//          holds the CQL lock, and only in its mode; and the CQL lock admits nodes in the same way.
//          For CQL the node is `inside` from its leader's FAA until its last client has left.
// Needs    what cql needs.
// Survives nodes that die with all their clients, and servers that fail or come back: as cql. Does
//          not survive a client that dies alone: it stays in its node's queue, or leads it, and no
//          other client of the node removes it. Clocks that differ, or are not synchronised at all,
//          cost fairness only.
// Not abortable: as cql.
//
// ---- What the paper leaves open or has wrong (profile paper), and what we do instead ----
// Items 1 to 7 are those of its CQL lock, in cql.h, and apply here as well.
//  8. The last of all nodes to count sets the counter to 0, which the others wait for. All nodes
//     then wait for a dead node for ever: clocks are never synchronised again, and times drift
//     apart. A node that polls after the 0 has been incremented again misses it. `clock_counter`: a
//     counter that only grows, incremented by the living nodes; a new one each time that a node has
//     died.
//  9. Handovers within a node that a reset waits for are not mentioned. They go on as long as
//     clients ask, and the reset and all other nodes wait as long. `reset_ends_transfers`.
// 10. On the next leader after a writer with phase_fair, the paper says that the first reader
//     acquires the CQL lock anew. It does not say that a reader is handed a lock that may stay at
//     the node before a writer of the node that came earlier, and the published code does not do
//     that. On the next leader after readers it says nothing; here, as in the published code, it is
//     the client that came first, so that writers get their turn. `readers_first`: reacquiring
//     (every profile). The values after_writers and always are two readings that neither source
//     supports.
// 11. "If a reader acquires a local lock in SHARED state, it immediately obtains lock ownership."
//     Readers that keep entering beside readers of their node make a writer of another node wait
//     without end, whether their node knows of it or not. `late_readers`. The published code
//     (known) compares late readers with the time of a remote waiter that the node knows of. But
//     where readers overlap without end, no client of the node waits, so none prefetches, and a
//     writer that comes later is never known: it waits until its timeout resets the lock, and for
//     ever without one. Here late readers READ the queue (looking).
// 12. The prefetch of a client whose node does not hold the lock yet has no use, since the coming
//     notification knows more. `prefetch` = held leaves it out; the paper's form is kept.
// Departures of every profile. The time of entries is valid from the first agreement, not from the
// start of the program. A client that has been woken resets its own word. If a reader did not admit
// waiting readers because they asked after other nodes, later readers do not pass those: the paper
// says that a reader enters a lock in state SHARED at once, and does not say what state that is.
// Profile artifact: late readers compare with what is known, clients prefetch only while nothing is
// known, notifications carry the time of the next entry or none, 14 bits of time that wrap at 90 %,
// no second agreement of clocks, no timeout, datagrams, 32 places; 4 holders with local_bound. Not
// modelled: what a prefetch finds before the node holds the lock counts for the coming tenure,
// including the node's own entry; the first waiting reader is admitted beside a reader whenever it
// asked; a late reader that asked at the same time as a remote waiter waits. For the rest see
// cql.h.
//
// Tests: tests/protocols/declock.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry declock_entry();
}  // namespace latchlab
