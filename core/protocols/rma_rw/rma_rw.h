#pragma once
// rma_rw: a reader-writer lock. Writers queue and hand the lock to each other; readers are counted;
// thresholds determine when the turn passes between readers and writers.
// Source: Schmid, Besta and Hoefler, "High-Performance Distributed RMA Locks" (HPDC'16; RMA-RW).
// Two forms: `flat`, in which ShiftLock (FAST'25) measured it, has one counter and one queue;
// `tree` follows the machine as in HPDC'16, with a counter for every group of clients and a queue
// for each group of nodes. The flat form is described first, then what differs in the tree.
//
// Reconstructed. The text of HPDC'16 was not available except for its abstract: a counter of
// readers, a set of queues of writers, a tree that binds the queues, each with a parameter; and a
// topology-aware MCS lock as a building block. The flat form follows the public code behind
// ShiftLock (its RMA-RW baseline; profile `artifact`) and ShiftLock's text (Table 1: handover,
// reader-writer, no fault tolerance; 4.1: messages; 4.2: verbs per cycle). How writers go up and
// down the tree follows the RmaMcsLock of a public collection of MPI locks over DASH, which is
// RMA-MCS in two levels. Statements about HPDC'16 below are from memory, and each is a guess; the
// end of this comment lists them.
//
// ---- The flat form ----
// Entry, 16 bytes
//   word | bits  | field  | meaning                         | written by
//   0    | 0-39  | tail   | last writer in the queue; 0:    | a joining writer: swap (masked CAS
//        |       |        | empty; `messages`: endpoint     | that compares nothing); the last
//        |       |        | (number 24, node 16); `words`:  | writer: itself -> 0 (CAS)
//        |       |        | queue node (client + 1 24, its  |
//        |       |        | index at the client 16)         |
//   0    | 40-63 |        | always 0                        |
//   1    | 0-30  | ARRIVE | readers counted since the last  | arriving reader: +1 (masked FAA);
//        |       |        | reset                           | a reader turned away: -1 (FAA)
//   1    | 31    | mode   | 1: writers' mode; makes ARRIVE  | first writer: set (FAA); a reset
//        |       |        | larger than any threshold       | clears it
//   1    | 32-63 | DEPART | readers that have released      | a reader's release: +1 (masked FAA)
//   A reset subtracts DEPART from both counts and clears the mode: READ, then one masked FAA. A
//   reader's reset swaps DEPART for 0 (masked CAS) and subtracts the old DEPART from ARRIVE by a
//   masked FAA. ARRIVE - DEPART, the readers that hold or are about to be turned away, does not
//   change.
// Queue node, 16 bytes of its client's registered memory, only with `words`
//   word 0  NEXT: the successor. The owner sets it to 0 before its swap, the successor WRITEs it.
//   word 1  STATUS: wait; or a turn in writers' mode (how many writers had one in a row); or "the
//           mode has changed". The owner sets it to `wait` before its swap, the predecessor WRITEs
//           it.
// Messages, only with `messages`, matched by (lock, generation)
//   Successor  to the predecessor: the sender follows it; with the sender's endpoint
//   Turn       to the successor: as STATUS above; ShiftLock's Handover or ModeChanged
//
// Acquire, reader  FAA ARRIVE+1. If ARRIVE was below T_R, the reader holds the lock. Otherwise it
//                  issues FAA -1, READs until another try is useful (`reader_barrier`), and tries
//                  again. A reader that finds ARRIVE at exactly T_R READs the tail first; if no
//                  writer is there, it resets the counters and tries again immediately.
// Acquire, writer  Swap the tail. If it was 0: READ until ARRIVE = DEPART (a moment without
//                  readers, which T_R brings about at the latest), FAA the mode, READ until ARRIVE
//                  = DEPART again, for readers that came in between. If it was not 0: notify the
//                  predecessor, and wait. A turn in writers' mode: the writer holds the lock. The
//                  mode has changed: READ, FAA, READ as above.
// Release, reader  FAA DEPART+1.
// Release, writer  If a successor is known and fewer than T_W writers were in a row, pass the turn
//                  to it. Otherwise reset. If T_W was the reason and a successor is known, tell it
//                  that the mode has changed. Otherwise CAS the tail from itself to 0; if that
//                  fails, wait for the successor, and tell it that the mode has changed.
//
// Cost     Server verbs, all sequential, so that they are also round trips:
//            writer   Free: 4 to acquire, 3 to release. Handed the lock: 1 and 0. After T_W in a
//                     row: 2 to release, and 4 (1 + 3) for the successor to acquire. Late
//                     successor: 3 to release (a CAS that fails), and as many for the successor.
//            reader   1 and 1. In writers' mode: 3 and k READs. The reader at T_R, without writers:
//                     6.
//          Between clients: Successor and Turn for each writer that queues, or 2 WRITEs.
//          In the simulator with ShiftLock's 240 clients, 10 M locks, zipf 0.99 and half reads: 2.9
//          atomics and 1.7 READs per cycle. ShiftLock 4.2 gives 2.95 and 1.61, as differences.
//
// Why it is safe
//  * Writer against writer: MCS. The swaps form one chain, and each writer receives its turn once,
//    from the writer before it. core/protocols/mcs/mcs.h explains (lock, generation) for messages.
//    A queue node belongs to one lock until its writer's release has ended; by then both of its
//    words have been written for the last time.
//  * Reader against writer: a reader holds when its FAA finds ARRIVE below T_R, hence without the
//    mode. The writer that sets the mode looks at the counts afterwards, and holds once all of
//    those readers have departed. Until that writer, or one that received the lock from it, resets,
//    all readers are turned away.
//  * A reset subtracts exactly what it has seen: readers that are turned away meanwhile still find
//    their 1. A writer's reset meets no other reset: a reader that resets has counted itself and
//    then saw the tail empty, so no writer gets past its READs before that reader has left.
//  * No overflow: entering requires an ARRIVE below T_R <= 2^30, each client adds at most one more,
//    and DEPART <= ARRIVE. So the plain FAA carry and borrow nothing.
// Fair     Writers among each other are first come, first served. A writer at the head waits for
//          T_R readers, and T_R more for each reader that saw no tail just before the writer came.
//          A waiting reader has *no* bound: after T_W writers the mode is readers' until the next
//          writer has done READ and FAA, and a reader whose READ or FAA misses that interval waits
//          for another T_W, as often as it happens. It has no bypass_bound. T_R is also the largest
//          number of readers that hold at once.
// Needs    masked_atomics_8, and reliable_messages or local_words. No clock assumption. RECVs or
//          queue nodes: for `max_held` locks held or awaited at once. Without a free queue node
//          (`words`): Aborted, too_many.
// Deadlines. A waiting reader leaves at its deadline: no count includes it then. A writer cannot,
//          because it is linked in the queue, and its predecessor will pass the lock to it. So
//          deadlines of writers are ignored, and the lock does not call itself abortable.
// Does not survive the crash of a client that holds, waits or is about to back out: other clients
//          wait behind it for ever. Nor the server's crash: Aborted, server_failed, but clients
//          queued behind the client that detects it are not notified, and its queue node or RECV is
//          lost for other locks too. If the server comes back without its memory, two clients may
//          hold. The status of a SEND that cannot be delivered is ignored: the clients behind its
//          receiver wait for ever (as in mcs).
//
// ---- The tree ----
// Levels are the platform's, from single nodes up to all nodes. An element is a group of client
// nodes of one level below the last. Each element has a queue of writers, and the last level has
// the root's queue. Writers queue in their node's queue; the head of an element's queue queues the
// element in the queue above.
// Entry, 8 bytes
//   the tail of the root's queue
// Of each client node, for each lock: 24 bytes per level below the last, used on the first node of
// each element, and 8 bytes per counter
//   TAIL    of the element's queue. A node's queue holds queue nodes of clients, and is changed by
//           CPU (exchange, CAS), because only clients of that node change it. A higher queue holds
//           elements, by index of their first client node + 1, and is changed by masked CAS and CAS
//           as at the root.
//   NEXT, STATUS  the element's place in the queue above. Written by the holder of the element's
//                 lock before it queues the element, and by neighbouring elements, as in queue
//                 nodes. STATUS is how often the lock was handed on in that queue; a release READs
//                 it, because another client may have received it. On the own node both are
//                 accessed by CPU, here and in queue nodes.
//   counters  client i counts at number i / T_DC, which is on the node of that counter's first
//             client. (If nodes have unequal numbers of clients and that node has no room, counters
//             are on the nodes in order.)
// Acquire, writer  At each level from the node up: swap the tail. If it was 0: go up. If not:
//                  notify the predecessor, and wait. If the turn is a count, the writer holds the
//                  lock, with all levels above. If it is "go up" (the element's lock was left), go
//                  up. At the root: as in the flat form; for each counter in sequence, READ until
//                  it has no readers and FAA the mode; then READ all until they have none.
// Release, writer  At each level from the node up: if a successor is known and the count is below
//                  the level's threshold (`node_threshold`, `group_threshold`: T_L), pass it the
//                  count + 1 and stop. Otherwise go up. The root is left as in the flat form, with
//                  all counters reset in sequence. Then, from above down to the node, for each
//                  level that was left: if there is no successor, CAS the tail to 0; otherwise tell
//                  the successor to go up.
// Readers  as in the flat form, at their counter and the root's tail. `resettable` READs the
//          counter alone, and the tail when the counter could be reset.
// Cost     Writer, alone, c counters, on a star: 1 + 3c round trips to acquire, 1 + 2c to release.
//          Each level in between adds a swap, and a CAS to release; and 2 WRITEs and 2 READs unless
//          the writer is on the first node of its element. Handed on at the node: no verb, on
//          either side. In a level in between: its swap, 1 WRITE each.
//          Reader: 1 and 1, to a near node if T_DC is such that its counter is near.
// Why it is safe  As above. By induction a client that receives a count has the element's lock,
//                 with the queue above as its predecessor left it, because the predecessor touches
//                 nothing above. Only the head of an element's queue uses the element's place
//                 above, and leaves that place before it tells the next writer to go up, or before
//                 it finds the queue empty.
// Fair     Neighbours first, T_L + 1 of them in a row while other clients wait; no bound is
//          claimed.
// Does not survive the loss of any client node, because it has tails, places and counters of other
//          clients: some see server_failed, others wait for ever.
// The entry shows writers only. Memory: 8 * counters + 24 * levels for each lock on each client
// node.
//
// ---- Counter-examples, and their repairs in the default profile `repaired` ----
//  1. Two resets by readers: all counts are lost, all clients hang. `reader_reset`.
//     A reader at T_R READs the counters and subtracts what it saw. Only one reader is at exactly
//     T_R, as long as the readers above it leave before it. But a reader that was slow to leave
//     since an earlier reset, or since writers' mode, is counted below it. When that one leaves,
//     ARRIVE is T_R once more; a second reader finds it, READs the same DEPART, and both subtract
//     it. ARRIVE and DEPART go below 0; ARRIVE then looks like writers' mode, and the next FAA -1
//     borrows from DEPART. Two readers are enough, T_R = 2, in 25 moves. With T_R = 4000 it takes a
//     client that stalls between two verbs while thousands of readers enter. Repair: swap DEPART
//     for 0 and subtract what came back (`claimed`). Then exactly one reader takes the departures,
//     and the number of verbs is the same.
//  2. The barrier in HPDC'16, if it is `below` (a guess): readers hang. `reader_barrier`.
//     A reader is turned away by the mode and READs until ARRIVE is below T_R. The writers leave.
//     Before the reader looks, other readers fill ARRIVE up to T_R, and depart. No later reader
//     finds T_R, and the first one waits for ever, although the lock is free. 17 moves. The
//     artifact waits for at most T_R, which is correct. But while a writer waits for the readers
//     below a threshold to leave, its READs delay no reader: readers at the barrier FAA up and down
//     without a pause, and delay the writer, which waits for a moment without readers. With 240
//     clients and T_R = 100 it has half the throughput of the repair. Repair: READ tail and
//     counters, and try when ARRIVE is below T_R, or is T_R with an empty queue and departures to
//     subtract (`resettable`).
// Departures of every profile
//  * A tail names a client in the order of Latchlab's endpoints, not in that of the artifact, whose
//    node is in bits 0-15.
//  * The artifact takes any message on an endpoint as its own; here messages are matched by lock
//    and generation, so that a client may hold several locks.
//  * T_W is compared by >=, not =.
// `artifact`  The successor is known only if it announced itself before its predecessor's turn
//             came, so that a queue's first writer always changes the mode. The intra-node delay
//             that ShiftLock 4.1 mentions is not in the code (`intra_node_delay`, after receiving).
// Guesses (`hpdc16_flat`)
//  * NEXT and STATUS are written by RMA puts, and STATUS is watched on the own node.
//  * NEXT is looked at when releasing.
//  * `below`; a reader's reset subtracts.
//  * Writers wait for readers before and after they set the mode, and the reader at T_R looks at
//    the tail, as in the artifact.
//  * Its thresholds are tuned for each machine: T_W and T_R are ShiftLock's.
// Guesses (`hpdc16`), in addition
//  * All of STATUS's meanings are in one word.
//  * T_W counts in the root's queue alone (HPDC'16 may mean the product of all thresholds).
//  * The first holder is not counted (as in RmaMcsLock: 50 passes are 51 holders).
//  * The mode is set, and counters are reset, one counter after the other.
//  * The root's tail is at the lock's server, since locks have one here, and elements' words are on
//    their first client node.
//  * Words of one node are accessed by CPU, as foMPI maps the windows of a node (loopback would
//    make the nearest queue the slowest).
//  * Remote upper places are READ until the turn comes.
//  * T_L = 50 is RmaMcsLock's, T_DC = 16 the clients of a node of ShiftLock's testbed: assumed, as
//    HPDC'16 tunes all of them for its machine.
// `hpdc16_repaired`: the tree with repairs 1 and 2. A search shows that it needs the second (27
// moves). Its code for the first is the same as in the flat form, but no search has ended.
//
// Tests: tests/protocols/rma_rw.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry rma_rw_entry();
}  // namespace latchlab
