#pragma once
// rma_rw: a reader-writer lock in which writers queue up and hand the lock on, readers are counted,
// and thresholds say when the turn passes from the ones to the others.
// Source: Schmid, Besta and Hoefler, "High-Performance Distributed RMA Locks" (HPDC'16; RMA-RW).
// Two forms: `flat`, in which ShiftLock (FAST'25) measured it, one counter and one queue; and
// `tree`, along the machine as in HPDC'16, a counter for every so many clients and a queue for each
// group of nodes. What follows is about the flat form, and then what differs in the tree.
//
// reconstructed. The text of HPDC'16 was not at hand but for its abstract: a counter of readers, a
// set of queues of writers, a tree that binds the queues, each with a parameter; and a
// topology-aware MCS lock as a building block. How the flat form goes is what the public code
// behind ShiftLock does (its RMA-RW baseline; profile `artifact`) and what ShiftLock says of it
// (Table 1: handover, reader-writer, no fault tolerance; 4.1: messages; 4.2: verbs per cycle). How
// writers go up and down the tree is what the RmaMcsLock of a public collection of MPI locks over
// DASH does, RMA-MCS in two levels. What is said of HPDC'16 below is recalled, and each such thing
// is a guess; they are listed at the end.
//
// ---- The flat form ----
// Entry, 16 bytes
//   word 0, bits 0-39  tail of the queue of writers, 0: empty. Each writer swaps itself in (masked
//                      CAS that compares nothing); the last one swaps 0 in (CAS from itself). With
//                      `messages` an endpoint (number 24, node 16); with `words` a queue node
//                      (client + 1 24, number of the client's node 16). Bits 40-63 stay 0.
//   word 1, bits 0-30  ARRIVE, readers counted in since the counters were set back: +1 (masked FAA)
//                      by each reader that comes, -1 (FAA) by each that is turned away
//           bit 31     the mode, 1: writers'. Set (FAA) by the first writer, cleared by a reset. It
//                      makes ARRIVE larger than any threshold.
//           bits 32-63 DEPART: +1 (masked FAA) by each reader's release
//   A reset takes DEPART off both counts, and clears the mode: READ, then one masked FAA. A
//   reader's reset is a swap of DEPART for 0 (masked CAS) and a masked FAA that takes as much off
//   ARRIVE. ARRIVE - DEPART, the readers that are in or about to be turned away, stays.
// Queue node, 16 bytes of its client's registered memory, only with `words`
//   word 0  NEXT: who comes next; 0 by the owner before its swap, WRITE by the successor
//   word 1  STATUS: wait, a turn in writers' mode (how many writers have had it in a row), or "the
//           mode has changed"; `wait` by the owner before its swap, WRITE by the predecessor
// Messages, only with `messages`, about (lock, generation)
//   Successor  to the predecessor, "I come after you", with the sender's endpoint
//   Turn       to the successor: what STATUS says above; ShiftLock's Handover or ModeChanged
//
// Acquire, reader  FAA ARRIVE+1. It was below T_R: in. Else FAA -1, READ until another try is worth
//          it (`reader_barrier`), and try again. Who finds ARRIVE at exactly T_R READs the tail
//          first; if no writer is there, it sets the counters back and tries again at once.
// Acquire, writer  swap the tail. It was 0: READ until ARRIVE = DEPART (a moment without readers,
//          which T_R brings about if nothing else does), FAA the mode, READ until ARRIVE = DEPART
//          again, for readers that came in between. It was not 0: tell it, and wait. A turn in
//          writers' mode: in. The mode has changed: READ, FAA, READ as above.
// Release, reader  FAA DEPART+1.
// Release, writer  a successor is known and fewer than T_W writers were in a row: tell it. Else
//          reset; if T_W was the reason, and a successor is known, tell it that the mode has
//          changed. Else CAS the tail from itself to 0; if that fails, wait for the successor, and
//          tell it that the mode has changed.
//
// Cost     server verbs, all of them one after the other, so that they are round trips as well
//            writer   free: 4 to acquire, 3 to release. Handed the lock: 1 and 0. T_W in a row: 2
//                     to release, and the successor 4 (1 + 3) to acquire. Late successor: 3 to
//                     release (a CAS that fails), and as many to the successor.
//            reader   1 and 1. In writers' mode: 3 and k READs. The one at T_R, without writers: 6.
//          client to client: Successor and Turn for each writer that queues, or 2 WRITEs.
//          In the simulator with ShiftLock's 240 clients, 10 M locks, zipf 0.99 and half reads: 2.9
//          atomics and 1.7 READs a cycle. ShiftLock 4.2 gives 2.95 and 1.61, as differences.
//
// Why it is safe
//  * Writer against writer: MCS. The swaps form one chain, and each is told its turn once, by the
//    one before it. What (lock, generation) does for messages is in core/protocols/mcs/mcs.h; a
//    queue node is one lock's until its writer's release has ended, and both of its words have been
//    written for the last time by then.
//  * Reader against writer: a reader is in when its FAA finds ARRIVE below T_R, so without the
//    mode; the writer that sets the mode looks at the counts afterwards, and holds once all of
//    those readers have departed. Until it, or one that it handed on to, has reset, all are turned
//    away.
//  * A reset takes off what it has seen and no more: readers that are turned away meanwhile find
//    their 1 still there. A writer's reset meets no other: a reader that resets has counted itself
//    in, and saw the tail empty after that, so that no writer gets past its READs before it is out.
//  * Nothing overflows: entering takes an ARRIVE below T_R <= 2^30, each client is in it once more
//    at most, and DEPART <= ARRIVE. So the plain FAA carry and borrow nothing.
// Fair     writers among each other are first come, first served. A writer at the head waits for
//          T_R readers, and T_R more for each reader that saw no tail just before it came. What is
//          *not* bounded: a reader that waits. After T_W writers the mode is readers' until the
//          next writer has done READ and FAA; a reader whose READ, or FAA, is not in that time
//          waits for another T_W, as often as it happens. There is no bypass_bound for it. T_R also
//          is the most readers that are in at once.
// Needs    masked_atomics_8, and reliable_messages or local_words. No clock assumption. RECVs or
//          queue nodes: for `max_held` locks held or awaited at once. Without a queue node
//          (`words`): Aborted, too_many.
// Deadlines. A reader that waits leaves at its deadline: it is in no count then. A writer cannot:
//          in the queue it is linked, and who comes before it will pass the lock to it. So
//          deadlines of writers are ignored, and the lock does not call itself abortable.
// Does not survive the crash of a client that holds, waits or is about to back out: others wait
//          behind it for ever. Nor the server: Aborted, server_failed, but those queued behind
//          whoever finds it out are not told, and its queue node or RECV is lost, to be had for no
//          other lock. A SEND that cannot be delivered means the same and is not reported (as in
//          mcs).
//
// ---- The tree ----
// Levels are the platform's, from single nodes up to all. An element is a group of client nodes of
// one level below the last; it has a queue of writers, and the last level has the root's. Writers
// queue up in their node's; the head of an element's queue queues the element up in the one above.
// Entry, 8 bytes
//   the tail of the root's queue
// Of each client node, for each lock: 24 bytes a level below the last, used on the first node of
// each element, and 8 bytes a counter
//   TAIL    of the element's queue. A node's: queue nodes of clients, by CPU (exchange, CAS), since
//           nobody else changes it. Else elements, by index of their first client node + 1; masked
//           CAS and CAS as at the root.
//   NEXT, STATUS  the element's place in the queue above, written by whoever has the element's lock
//           before it queues up, and by elements next to it, as those of queue nodes are. STATUS is
//           how often the lock was handed on in that queue; a release READs it, since another
//           client may have come with it. On the own node both are reached by CPU, here and in
//           queue nodes.
//   counters: client i counts at number i / T_DC, which lies on the node of that one's first client
//           (where nodes have unequally many clients and it has no room: on the nodes in order).
// Acquire, writer  at each level from the node up: swap the tail. It was 0: go up. It was not: tell
//          it, and wait. Told a count: in, with all that is above. Told to go up (the element's
//          lock was left): go up. At the root: as in the flat form, with each counter after the
//          other READ until it has no readers, FAA the mode; then READ all until they have none.
// Release, writer  at each level from the node up: a successor is known, and the count is below the
//          level's threshold (`node_threshold`, `group_threshold`: T_L): tell it the count + 1.
//          Else go up. The root is left as in the flat form, all counters set back one after the
//          other. Then, from above down to the node, for each level that was left: nobody known,
//          CAS the tail to 0; somebody comes, tell it to go up.
// Readers  as in the flat form, at their counter and the root's tail. `resettable` READs the
//          counter alone, and the tail when it says that somebody might set it back.
// Cost     writer, alone, c counters, on a star: 1 + 3c trips to acquire, 1 + 2c to release. Each
//          level between adds a swap, and a CAS to release; unless it is the first of its element,
//          2 WRITEs and 2 READs more. Handed on at the node: no verb at all, at either end. In a
//          level between: its swap, 1 WRITE each.
//          reader: 1 and 1, near, if T_DC is such that its counter is.
// Why it is safe  as above; and the lock is where it is by induction: who is told a count has the
//          element's lock, with the queue above as its predecessor left it, since that one touches
//          nothing above it. Of an element only the head of its queue uses its place above, and
//          leaves the place before the next one is told to go up, or finds an empty queue.
// Fair     neighbours first, T_L + 1 of them in a row while others wait: nothing is claimed.
// Does not survive the loss of any client node, on which there are tails, places and counters of
//          others: some see server_failed, others wait for ever.
// The entry shows writers only. Room: 8 * counters + 24 * levels for each lock on each client node.
//
// ---- Counter-examples, and their repairs in the default profile `repaired` ----
//  1. Two resets by readers: all counts are lost, everybody hangs. `reader_reset`.
//     A reader at T_R READs the counters and takes off what it saw. Only one is at exactly T_R, as
//     long as those that are above it leave before it. But one that was slow to leave since an
//     earlier reset, or since writers' mode, is counted below it. It leaves: ARRIVE is T_R once
//     more, a second reader finds it, READs the same DEPART, and both take it off. ARRIVE and
//     DEPART go below 0; ARRIVE then looks like writers' mode, and the next FAA -1 borrows from
//     DEPART. Two readers alone suffice, T_R = 2, in 25 moves. With T_R = 4000 it takes a client
//     that stands still between two verbs while thousands of readers enter. Repair: swap DEPART for
//     0 and take off what came back (`claimed`). Departures are taken by one reader then, whoever
//     comes when; as many verbs as before.
//  2. The barrier in HPDC'16, if it is `below` (a guess): readers hang. `reader_barrier`.
//     A reader is turned away by the mode and READs until ARRIVE is below T_R. Writers leave;
//     before it looks, other readers fill ARRIVE up to T_R, and depart. Nobody comes any more that
//     would find T_R. It waits for ever, with the lock free. 17 moves. The artifact waits for T_R
//     at most, which is right, but below a threshold that writers wait for all READs are in vain,
//     and readers at the barrier FAA up and down without a pause, in the way of the writer that
//     waits for a moment without them: with 240 clients and T_R = 100 it does half as much as with
//     the repair. Repair: READ tail and counters, and try when ARRIVE is below T_R, or is T_R with
//     nobody in the queue and something to take off (`resettable`).
// Departures of every profile. A tail names a client in the order of Latchlab's endpoints, not in
//          that of the artifact, whose node is in bits 0-15. The artifact takes any message on an
//          endpoint as its own; here it is found by lock and generation, so that a client may hold
//          several locks. T_W is compared by >=, not =.
// `artifact`: the successor is known only if it told before its predecessor's turn came, so that a
//          queue's first writer always changes the mode; the intra-node delay that ShiftLock 4.1
//          speaks of is not in the code (`intra_node_delay`, after receiving).
// Guesses (`hpdc16_flat`): NEXT and STATUS are written by RMA puts, and STATUS is watched at home;
//          NEXT is looked at when releasing; `below`; a reader's reset subtracts; writers wait for
//          readers before and after they set the mode, and the reader at T_R looks at the tail, as
//          in the artifact. Its thresholds are tuned for each machine: T_W and T_R are ShiftLock's.
// Guesses (`hpdc16`), besides those: all of STATUS's meanings in one word; T_W counts in the root's
//          queue alone (HPDC'16 may mean the product of all thresholds); the first holder is not
//          counted (as in RmaMcsLock: 50 passes are 51 holders); the mode is set, and counters are
//          set back, one counter after the other; the root's tail is at the lock's server, since
//          here locks have one, and elements' words are on their first client node; words of one
//          node are reached by CPU, as foMPI maps the windows of a node (loopback would make the
//          nearest queue the slowest); upper places are READ until told where they are far.
//          T_L = 50 is RmaMcsLock's, T_DC = 16 the clients of a node of ShiftLock's: assumed, as
//          HPDC'16 tunes all of them for its machine.
// `hpdc16_repaired`: the tree with the repairs of 1 and 2. That it needs the second is shown (27
//          moves); of the first it has the same lines, and no search has ended.
//
// Tests: tests/protocols/rma_rw.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry rma_rw_entry();
}  // namespace latchlab
