#pragma once
// ShiftLock: a reader-writer lock. Writers queue, and each hands the lock to the next by a message.
// Source: Gao, Wang, Shu, "ShiftLock: Mitigate One-sided RDMA Lock Contention via Handover", FAST
// 2025, section 3, Algorithms 2 and 3; and its public code (profile `artifact`).
//
// Entry: 16 bytes, Epoch 1 | RdrCnt 23 | NodeId 16 | DctQpNum 24 | RelCnt 64 (32 bits of recoveries
// above 32 bits of releases). entry.h lists each field with the verbs that write it.
//
//   Acquire, reader   ExtFAA RdrCnt+1. If no writer is in the queue, the reader holds the lock.
//                     Otherwise it READs the entry until Epoch differs from the Epoch that its
//                     ExtFAA returned.
//   Acquire, writer   An ExtCAS that compares nothing swaps the writer's endpoint into the tail. If
//                     the old tail names a predecessor, the writer SENDs Successor to it and waits
//                     on its own node for Handover (it holds the lock) or ModeChanged(x) (it holds
//                     the lock when RelCnt is x). If there was no tail but r readers, it READs
//                     until RelCnt has grown by r.
//   Release, reader   ExtFAA RdrCnt-1, RelCnt+1.
//   Release, writer   Without a successor: an ExtCAS that succeeds if the tail still is the writer
//                     itself sets the tail to none, flips Epoch and adds 1 to RelCnt. With a
//                     successor: before N writers in a row, RelCnt+1 and SEND Handover; at N, one
//                     atomic flips Epoch and adds 1 to RelCnt, which grants the lock to all waiting
//                     readers, and ModeChanged carries the RelCnt at which they have left.
//
// Cost, server verbs:
//   free pair               2 (two round trips)
//   queued writer           1 + k READs to acquire (k = 0 behind a handover within half a lease), 1
//                           to release, one more if the successor is not yet known
//   reader behind writers   1 + k to acquire, 1 to release
//   messages                Successor, and Handover or ModeChanged, for each queued writer
// `artifact`: also 2 for a free pair. A writer that queues first spends its tries (3 atomics in
// all), and a handover costs the server no verb.
//
// Why it is safe
//  * Writer against writer: only the tail's previous owner learns of a successor, and it sends that
//    successor one message.
//  * Reader against writer: a writer at the head of the queue waits until RelCnt has counted every
//    reader that was granted the lock before it. Later readers wait for Epoch, which only a holder
//    flips.
//  * One bit is enough for Epoch. It cannot flip twice while a reader waits: the flip counts that
//    reader as a holder, and the next writer waits for it.
//  * The release writes RelCnt as a number (Algorithm 3 line 8), which would overwrite concurrent
//    increments. There are none: while a writer holds, every reader that was granted the lock has
//    left, waiting readers are not yet granted it, and the writer knows RelCnt exactly (from its
//    swap, from the value that it waited for, or from Handover). The precondition is exclusion
//    itself, and that no client releases late into a recovered lock.
//  * Recovery: the server resets an entry once per era, and only if RelCnt still has the value that
//    a waiting client saw unchanged for three leases. RelCnt then counts one more recovery. A
//    client that waited through any number of recoveries finds a count other than the one at its
//    joining, and starts again. So a client that asks for a recovery is in the queue, or counted,
//    in the current life of the lock, and every client that it waits for received its turn no later
//    than the last change of RelCnt.
//  * Late turns: a waiting client knows when it issued the last look at RelCnt that did not yet
//    show its turn (or the atomic by which it joined). Up to two leases after that time, its own
//    lease ends before the lock can be recovered. After that (RC retried its message, or the client
//    was stalled) a writer first moves RelCnt by a CAS that compares it: the CAS fails in a
//    recovered lock, and if it succeeds no recovery is possible for three leases. A reader leaves
//    by a CAS and joins again.
//
// Relies on
//  * 16-byte masked atomics and acknowledged messages; with recovery also calls, arrival times of
//    messages, and leases on clocks that drift less than `clock_drift_ppm`.
//  * A reader's release takes effect within two leases after the reader looked at its clock: the
//    release is an ExtFAA and cannot be made conditional. If the reader is stalled in between, or
//    RC retries the verb over a cut path to the server, the ExtFAA removes another reader from a
//    lock that was recovered meanwhile, and a writer may acquire beside that reader.
//  * The count of recoveries does not wrap while a client waits: 2^recovery_bits recoveries, at
//    least three leases each.
// Survives: crashes of clients, processes and client nodes; cut paths between client nodes, and
// SENDs that RC retries, for any length of time; stalled clients and cut paths to the server,
// except during the release of a reader. A client whose SEND is retried goes on when RC gives up
// (about 480 ms): until then it does not acquire, or its release does not end.
// Does not survive: the server's failure (Aborted, server_failed); a crash, with `recovery: off`.
// Not abortable: a queued writer cannot leave the queue.
//
// ---- Recovery by clients (`recovered_by: client`, Figure 2a and b) ----
//
//     This is the scheme that 3.6 argues against, kept for comparison. A client that has waited for
//     three leases looks once more and issues the server's CAS itself, without era and call. In
//     Figure 2b this fails after one recovery in between, because the entry then looks as before.
//     With ShiftLock's entry as printed (`recovery_bits: 1`) it takes two recoveries: a recovery
//     flips RelCnt's top bit, a release counts, and neither acquiring nor releasing restores an
//     earlier RelCnt; a second recovery flips that bit back, if no client released in between. A
//     search finds it with three writers (docs/verification.md):
//
//       1. B acquires the lock and stalls. A and C wait behind it until their patience ends.
//       2. A READs RelCnt v0, is about to reset, and stalls.
//       3. B resumes, finds its lease over, and releases nothing.
//       4. C resets (v0 -> v0 + 2^63). B acquires the lock again and stalls again.
//       5. C waits, and resets (v0 + 2^63 -> v0). C acquires the lock.
//       6. A resumes: its CAS compares with v0, succeeds, and removes C from the entry. A acquires
//          the lock while C holds it.
//
//     With the server's era, A's request would be rejected. With a count of recoveries, A's CAS
//     fails.
//
// Departures from the paper in `repaired`. Each is a switch, and each entry names the run that
// requires it. W1, W2, ... are writers in queue order; e is Epoch when they queued.
//  * handover_epoch: carried. In Algorithm 2 a writer reached by Handover keeps the Epoch that it
//    read when queueing. If the mode changed in between, its release (Algorithm 3 line 9) writes
//    back the current Epoch, and readers that wait for a flip hang. With N=1 as printed: W1 hands
//    over to W2; W2 changes the mode (Epoch 1-e); W3 receives ModeChanged and hands over to W4,
//    which still has e; a reader joins under 1-e; W4 leaves the queue and writes 1-e.
//  * mode_changed_epoch: carried. Line 20 flips the Epoch that was read when queueing. That is
//    wrong from the second mode change while the same writer queues: W1, W2 and W3 queue under e;
//    W1 and W2 each change the mode (Epoch is e again); W3 assumes 1-e and leaves with a "flip" to
//    e.
//  * chain_limit: writers. Line 15 compares the number of handovers with N, so that N+1 writers run
//    in a row before readers get the lock. A search finds it: a reader is bypassed once more than
//    the text states.
//  * reset_epoch: keep, admission: leap_first. If a reset zeroes Epoch, readers that wait under
//    Epoch 1 take this for their turn and hold the lock uncounted. Keeping Epoch is not enough: to
//    a reader from before the reset, the next writer's flip looks the same, so the reader checks
//    the leap of RelCnt first. Epoch and RelCnt are two words of one READ and may be torn. A flip
//    always comes with a moved RelCnt, so a reader that sees a flip alone READs again; a pair with
//    a recovery between its two words is a late turn (late_turn).
//  * reset_compare: requested. A client that reads the era after another client's recovery, and has
//    not looked at RelCnt since, asks in the new era for the recovery of a healthy lock.
//  * release_fence: conditional. After a recovery a late Handover or mode change adds to RelCnt, so
//    that a new writer waits for one reader too few, or grants the lock to readers while a writer
//    holds it; a late reader wraps RdrCnt. So releases after the grant's expiry are suppressed, and
//    a writer's verbs compare RelCnt: they are as many verbs, but have no effect on a recovered
//    lock.
//  * message_lock_id: on. Otherwise a Successor for a lock that the receiver gave up (crash,
//    expiry, recovery) would be taken for the successor in another lock, or in the next life of
//    this lock.
//  * recovery_bits: 32. As printed each recovery flips RelCnt's top bit, and two recoveries restore
//    it. A writer does not notice that it is no longer in the queue if it is stalled, if its path
//    to another client is cut, or if its SEND to a dead node is retried for 480 ms, while two
//    recoveries pass. It then waits for ever while other clients use the lock, or asks for the
//    recovery of a free lock that another client acquires at that moment: two writers (two crashes
//    90 ms apart; half of the runs in which a path between two nodes is cut for 900 ms). Releases
//    keep 32 bits: they are compared for equality only, and a writer waits for at most RdrCnt of
//    them.
//  * late_turn: renew. As printed a writer's lease runs from a message's arrival. A Handover that
//    RC delivers three leases late (a cut path), or an expected RelCnt that the writer reads as
//    late (it was stalled after a ModeChanged), lets the writer hold a lock that is being
//    recovered: two writers. One more look does not help, because the recovery may follow it
//    immediately. The renewal costs nothing if RelCnt was seen to move within two leases.
//  * message_number: on. With one bit of recoveries, a Successor that stays unread through two
//    recoveries (a poll that misses a message already there) is taken for a new one. Its sender,
//    back in the queue, takes the answer as its turn: two writers (6 clients, crashes and forgotten
//    releases: 3 of 120,000 random orders in the explorer). Messages carry the number of the
//    sender's acquisition (31 bits), an answer repeats it, and a writer accepts only the answer to
//    its own acquisition. Messages also carry RelCnt, and with it the lock's recoveries.
//  * intra_node_delay: 0. The paper's 1 us evens out its testbed and is not part of the lock.
// Left out: the per-lock eras that 3.6 suggests, and the artifact's rule that a waiter which was
// itself stalled for a lease gives up.
//
// Tests: tests/protocols/shiftlock.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry shiftlock_entry();
}  // namespace latchlab
