#pragma once
// ShiftLock: a reader-writer lock whose writers queue and hand the lock to each other directly.
// Source: Gao, Wang, Shu, "ShiftLock: Mitigate One-sided RDMA Lock Contention via Handover", FAST
// 2025, section 3, Algorithms 2 and 3; its public code (profile `artifact`).
//
// Entry: 16 bytes, Epoch 1 | RdrCnt 23 | NodeId 16 | DctQpNum 24 | RelCnt 64 (32 bits of recoveries
// above 32 bits of releases): see entry.h.
//
// Acquire, reader: ExtFAA RdrCnt+1. No writer in the queue: in. Else READ until Epoch differs from
// what the ExtFAA returned.
// Acquire, writer: ExtCAS without comparison swaps itself into the tail. A tail before it: SEND
// Successor there, and wait at home for Handover (the lock is yours) or ModeChanged(x) (yours when
// RelCnt is x). No tail, but r readers: READ until RelCnt has grown by r.
// Release, reader: ExtFAA RdrCnt-1, RelCnt+1.
// Release, writer: without successor, ExtCAS tail -> none, Epoch flipped, RelCnt+1, if the tail is
// still itself. With successor: below N writers in a row RelCnt+1 and SEND Handover; at N Epoch
// flipped and RelCnt+1 in one atomic, which lets all waiting readers in, and SEND ModeChanged with
// the RelCnt that says they have left.
//
// Cost, server verbs: free pair 2 (two round trips); queued writer 1 + k READs to acquire (k = 0
// behind a handover within half a lease), 1 to release, one more where the successor is not yet
// known; reader behind writers 1 + k, 1. Messages: Successor and Handover or ModeChanged per queued
// writer. `artifact`: free pair 2 as well; a writer that queues pays its tries first (3 atomics),
// and a handover costs the server nothing.
//
// Why it is safe
//  * Writers: only the tail's previous owner is told of its successor, and tells it once.
//  * Reader against writer: a writer in front waits until RelCnt has counted every reader that was
//    let in before it, and readers that come later wait for Epoch, which only a holder flips.
//  * Epoch's one bit is enough: it cannot flip twice under a waiting reader, since the flip counts
//    that reader in, and the next writer waits for it.
//  * The release writes RelCnt as a number (Algorithm 3 line 8), which would wipe out increments
//    that happen at the same time. There are none: while a writer holds, every reader that was let
//    in has left, those that wait have not been let in, and the writer itself knows RelCnt exactly
//    (by its swap, by the value it waited for, by Handover). The precondition is thus exclusion
//    itself, and that nobody releases late into a recovered lock.
//  * Recovery: the server resets an entry once per era, and only if RelCnt still is what a waiting
//    client saw unchanged for three leases. RelCnt then counts one recovery more. A client that
//    waited meanwhile, through however many recoveries, finds another count than the one with which
//    it joined, and starts again. So a client that asks for a recovery is in the queue, or counted,
//    in the present life of the lock, and every other client that it waits for got its turn when
//    RelCnt moved last, at the latest.
//  * A turn that is late: a waiting client knows when it issued its last look at RelCnt that showed
//    less than what gives it its turn (or the atomic by which it joined). Within two leases of that
//    its lease ends before the lock can be recovered. Later (its message was retried by RC, or it
//    stood still) a writer first moves RelCnt by a CAS that compares it, which fails in a recovered
//    lock, and from which three leases pass again; a reader leaves by a CAS, and joins again.
//
// Relies on: 16-byte masked atomics; acknowledged messages; with recovery also calls, leases on
// clocks that drift less than `clock_drift_ppm`, arrival times of messages, and that the release of
// a reader takes effect within two leases after the reader has looked at its clock: it is an ExtFAA
// and cannot be made conditional. Where the reader stands still there, or RC retries the verb over
// a path to the server that is cut, it takes another reader out of a lock that was recovered
// meanwhile, and a writer may enter beside that one. Counts may not wrap under a client that waits:
// 2^recovery_bits recoveries, at least three leases each.
// Survives: clients, their processes and their nodes that die; paths between clients' nodes that
// are cut, and SENDs that RC retries, for however long; clients that stand still, and paths to the
// server that are cut, except in the release of a reader. A client whose SEND is retried goes on
// when RC gives up (some 480 ms): it does not acquire, or its release does not end, before that.
// Does not survive: the server's failure (Aborted, server_failed); with `recovery: off`, a crash.
// Not abortable: a queued writer has no way out.
//
// ---- Recovery by clients (`recovered_by: client`, Figure 2a and b) ----
//
//     Not ShiftLock's, but what 3.6 argues against, to be seen beside it: the client that has
//     waited for three leases looks once more and issues the server's CAS itself, without era and
//     call. Figure 2b has it fail by one recovery in between, after which the entry happens to look
//     as before. With ShiftLock's own entry as printed (`recovery_bits: 1`) it takes two: a
//     recovery moves RelCnt's top bit, a release counts, and neither acquiring nor releasing brings
//     an earlier RelCnt back; a second recovery moves that bit back, if nothing was released in
//     between. A search finds it with three writers (docs/verification.md):
//       B takes the lock and stands still. A and C wait behind it until their patience ends. A
//       READs RelCnt v0, would reset, and stands still. B goes on, and finds its lease over, so
//       that it releases nothing. C resets (v0 -> v0 + 2^63). B takes the lock anew and stands
//       still again. C waits, and resets (v0 + 2^63 -> v0). C takes the lock. A goes on: its CAS
//       compares with v0, succeeds, and throws C out of the entry. A takes the lock beside C.
//     With the server's era A would be told to look again. With a count of recoveries the CAS of A
//     fails.
//
// Departures from the paper in `repaired`, each a switch with the run that asks for it. W1.. are
// writers in the order of their queueing, e is Epoch when they queued.
//  * handover_epoch: carried. Algorithm 2 keeps for a writer reached by Handover the Epoch that it
//    read when queueing; if a mode change came in between, its release (Algorithm 3 line 9) writes
//    back the current Epoch, and readers that wait for a flip hang. N=1 as printed: W1 hands over
//    to W2, W2 changes the mode (Epoch 1-e), W3 is reached by ModeChanged and hands over to W4,
//    which still has e; a reader joins under 1-e; W4 leaves the queue and writes 1-e.
//  * mode_changed_epoch: carried. Line 20 flips what was read when queueing, which is wrong from
//    the second mode change under one stay in the queue on: W1, W2 and W3 queue under e, W1 and W2
//    each change the mode (Epoch is e again), W3 believes 1-e and leaves with a "flip" to e.
//  * chain_limit: writers. Line 15 compares the number of handovers with N, so that N+1 writers
//    follow each other before readers are let in. A search finds it: a reader is bypassed once more
//    than the text says.
//  * reset_epoch: keep, admission: leap_first. Zeroing Epoch tells readers that wait under Epoch 1
//    that it is their turn, and they enter uncounted. Keeping it is not enough: the next writer's
//    flip looks the same to a reader from before the reset, so RelCnt's leap comes first. Epoch and
//    RelCnt are two words of a READ and may be torn: a flip always comes with a RelCnt that moved,
//    so a pair without it is read again; and a pair with a recovery between its two words is a turn
//    that is late (late_turn).
//  * reset_compare: requested. A client that reads the era after somebody else's recovery, and has
//    not looked at RelCnt since, asks in the new era for a lock that is healthy.
//  * release_fence: conditional. A late Handover or mode change after recovery adds to RelCnt, so
//    that a new writer stops waiting one reader too early, or lets readers in beside a writer; a
//    late reader wraps RdrCnt. Releases after the grant's expiry are suppressed, and a writer's
//    verbs compare RelCnt: the same number of verbs, without effect on a recovered lock.
//  * message_lock_id: on. A Successor that arrives for a lock given up (crash, expiry, recovery)
//    would otherwise be taken for the successor in another lock, or in this one's next life.
//  * recovery_bits: 32. As printed each recovery moves RelCnt's top bit, which two recoveries put
//    back. A writer whose SEND to a dead node is retried for 480 ms while two go by, or whose path
//    to another client is cut, or that stands still, does not see that it is in the queue no more.
//    It waits for ever beside clients that use the lock, or asks for the recovery of a lock that is
//    free, which another client takes just then: two writers (two crashes, 90 ms apart; half of the
//    runs in which a path between two nodes is cut for 900 ms). Releases keep 32 bits: they are
//    compared for equality alone, and at most RdrCnt of them are waited for.
//  * late_turn: renew. As printed a writer's lease runs from a message's arrival. A Handover that
//    RC delivers three leases late (a cut path), or the RelCnt that a writer waits for and looks at
//    as late (it stood still after a ModeChanged), lets it in while the lock is recovered: two
//    writers. One more look does not help: the recovery may come right after it. Where RelCnt was
//    seen to move within two leases, it costs nothing.
//  * message_number: on. With one bit of recoveries a Successor that stays unread through two (a
//    poll that misses what is there already) is taken for a new one, and its sender, back in the
//    queue, takes the answer as its turn: two writers (6 clients, crashes and forgotten
//    releases: 3 of 120,000 random orders in the explorer). Messages carry the number of the
//    sender's acquisition (31 bits), an answer repeats it, and an answer to any other acquisition
//    is not taken. They also carry RelCnt, and with it the lock's recoveries.
//  * intra_node_delay: 0. The paper's 1 us makes its testbed even; it is not part of the lock.
// Left out: the per-lock eras that 3.6 suggests, and the artifact's giving up of a waiter that was
// itself stalled for a lease.
//
// Tests: tests/protocols/shiftlock.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry shiftlock_entry();
}  // namespace latchlab
