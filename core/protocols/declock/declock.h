#pragma once
// declock: DecLock. The clients of a node line up in its memory, and one of them at a time lines up
// for the node in a CQL lock. Who is next, a neighbour or another node, is told by the time at
// which each of them asked. Source: "DecLock: A Case of Decoupled Locking for Disaggregated Memory"
// (arXiv 2505.17641), section 5; the lock between nodes is section 4, cql.h. Code of its authors:
// github.com/dracit7/declock, f9d06bf, as described elsewhere; nothing of it is here.
//
// Entry: that of cql, with a place for each client node. An entry's owner is the client that leads
//   its node, whose timestamp counts units (`time_unit`, 1 us) since the nodes have last agreed on
//   a moment, in `time_bits` (16).
// Of each node, its part (node.h), for each lock that a client of it has or wants
//   the queue of the clients that wait, with their modes and times, and how many have the lock
//   the CQL lock that the node has: mode, reset count; since when other nodes wait, as far as known
//   tenure   how often the node has had the CQL lock since somebody here wanted it first
// Of each client a word on which it waits for its neighbours: 0 wait, 1 lead, 2 the lock is yours.
// On the first server a word for each client node, the counters by which clocks are synchronised.
//
// Acquire  Join the node's queue. Nobody of the node there: lead it, acquire the CQL lock, with the
//          time at which one joined, and let in the readers who wait here, if one reads. A late
//          reader, beside readers of the node: enter if no client waits here and `transfer` (below)
//          would hand it the lock. After `look_after` such readers the next one READs header and
//          queue of the CQL lock first (late_readers: looking). Else wait on one's word, and
//          (prefetch) READ header and queue once meanwhile: for the releases to come, since when do
//          other nodes wait?
// Release  Others of the node are still inside: nothing. Else the next of the node gets the lock in
//          memory, if it wants it in the mode in which the node has it and `transfer` says so:
//            timestamp      it asked no later than all that wait at other nodes, as far as is known
//            remote_prefer  nobody waits at other nodes, as far as is known
//            local_prefer   always
//            local_bound    `local_bound` clients have the lock in a row, readers beside others too
//          Else release the CQL lock, and tell a client of the node to lead it.
//          The next is the client that came first. The client that leads is the same one; with
//          phase_fair, after a writer, it is the first reader. A reader that acquires the CQL lock
//          or is handed it shares it with readers that wait: task_fair, with those before the first
//          writer that `transfer` would hand the lock; phase_fair, with all.
// What is known: the earliest time in the queue, told by the notification that gave the node the
//          lock, or seen in the same tenure by a prefetch or by a late reader. A late reader sees
//          in the header that a writer waits whose entry is not written yet: that one counts as
//          waiting since the late reader asked.
// Times compare as 16 bits do that wrap: of two that are further apart than half of what there is
//          (`wrap_percent`), the larger is the earlier.
// Clocks   Every `clock_sync` each node counts a word on the server up, and polls it until all
//          have; then its time begins anew.
// Reset    that of cql, whoever begins it. A node that is asked hands nothing over any more; it
//          answers when its last client has left.
// Server back: as in cql.h. A lock that the node has of a server that has failed is handed over to
//          nobody; who leads next is paused, and aborted, in its turn. The counters of the clocks
//          are lost with the first server, and all nodes agree anew.
//
// Cost     free: that of cql, 2 round trips and 3 server verbs. A hand-over within a node: no verb,
//          and a READ for each client that has waited (none with local_prefer and local_bound). A
//          late reader: no verb, and a READ and its round trip for one of `look_after` + 1 of them.
//          Between nodes that of cql.
// Fair     in the order in which clients asked, whatever the mode (task_fair), or readers in turns
//          with writers (phase_fair); as far as is known. A node that waits in the CQL queue is
//          served after those before it there, once each. Each of these may pass the lock on to
//          clients of its own that ask after that node has written its entry:
//            timestamp, remote_prefer  at most C (`look_after` + 2) of C clients: each one once
//                           while its own prefetch is under way, and `look_after` + 1 late readers
//                           for each that looks. timestamp: if clocks agree, and the node waits for
//                           less than `wrap_percent` of what times count
//            local_bound    at most `local_bound` - 1
//            local_prefer   any number
//          That is between two resets. The number depends on nodes and clients, so that
//          bypass_bound says nothing.
// Safe     because LocalQueues lets clients of one node in only as their modes allow, only while
//          the node has the CQL lock, and only in its mode; and the CQL lock admits nodes like
//          that. For CQL the node is inside from its leader's FAA until its last client has left.
// Needs    what cql needs.
// Survives nodes that die with all their clients, and servers that fail or come back: as cql. Does
//          not survive a client that dies alone: it stands in its node's queue, or leads it, and
//          nobody of the node looks after it. Clocks that are apart, or not synchronised at all,
//          cost fairness alone.
// Not abortable: as cql.
//
// ---- What the paper leaves open or wrong (profile paper), and what is done ----
// The first seven of cql.h are those of its CQL lock, and in this one as well. And
//  8. The last of all nodes to count sets the counter to 0, which the others wait for. A node that
//     dies is waited for by all, for ever: clocks are never synchronised again, and times drift
//     apart. And whoever polls after the 0 has been counted up again misses it. `clock_counter`:
//     one that only grows, which the living count; a new one each time that somebody has died.
//  9. Nothing is said of hand-overs within a node that a reset waits for. They go on as long as
//     somebody asks, and the reset with all other nodes waits as long. `reset_ends_transfers`.
// 10. Who leads after a writer with phase_fair, the paper says: the first reader acquires the CQL
//     lock anew. It does not say that a reader is handed a lock that may stay at the node before a
//     writer of the node that came earlier, and the published code does not do that. Who leads
//     after readers it does not say; here, and in the published code, the client that came first,
//     so that writers get their turn. `readers_first`: reacquiring (every profile). The values
//     after_writers and always are two readings that neither source bears out.
// 11. "If a reader acquires a local lock in SHARED state, it immediately obtains lock ownership."
//     Readers that keep entering beside readers of their node keep a writer of another node waiting
//     without end, whether their node knows of it or not. `late_readers`. The published code
//     (known) holds late readers to the time of a remote waiter that the node knows of. But where
//     readers overlap without end no client of the node waits, so that none prefetches, and a
//     writer that comes later is never known: it waits until its timeout resets the lock, and for
//     ever without one. Here late readers look (looking).
// 12. The prefetch of a client whose node does not have the lock yet is of no use, since the
//     notification to come knows more. `prefetch` = held leaves it out; the paper's form is kept.
// Departures of every profile. The clocks' words begin with the first agreement, not with the
// program. A client that has been woken resets its own word. Readers whom a reader did not let in,
// for they asked after other nodes, are not passed by readers who come later: the paper says that a
// reader enters a lock in state SHARED at once, and does not say what state that is.
// Profile artifact: late readers go by what is known, a prefetch only while nothing is known, the
// time of the next entry in notifications or none, 14 bits of time that wrap at 90 %, no second
// agreement of clocks, no timeout, datagrams, 32 places; 4 holders with local_bound. Not done as
// there: what a prefetch finds before the node has the lock counts there for the tenure to come,
// the entry of the node itself included; the first reader that waits is let in beside a reader
// whenever it asked; a late reader that asked at the same time as a remote waiter waits. For the
// rest see cql.h.
//
// Tests: tests/protocols/declock.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry declock_entry();
}  // namespace latchlab
