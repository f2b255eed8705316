#pragma once
// dslr: a reader-writer ticket lock in one word, with leases.
// Source: Yoon, Chowdhury and Mozafari, "Distributed Lock Management with RDMA: Decentralization
// without Starvation" (SIGMOD'18), algorithms 1 to 3, sections 5.1 and 5.2, appendix A.3. Its
// authors' code: github.com/dongyoungy/rdma_2pc, 152a2a7, src/new_proto4/d2lm_*.
//
// Entry, 8 bytes: four counters of ticket_bits (16) each, from the top down (rules.h)
//   nX    exclusive tickets served    +1 (FAA) by each writer's release
//   nS    shared tickets served       +1 (FAA) by each reader's release
//   maxX  next exclusive ticket       +1 (FAA) by each arriving writer
//   maxS  next shared ticket          +1 (FAA) by each arriving reader
//   With `counters` six, of 10 bits at most (update_locks): also nU at the top, the update tickets
//   served, and maxU between nS and maxX, the next update ticket.
//   The CAS of a repair, or of a reset to zero, writes all counters at once.
// COUNT_MAX = 2^(ticket_bits-1). A counter that has reached it gives no more tickets: an *era*
// ends, and the holder of its last ticket sets the entry to zero once all tickets have been served.
//
// Acquire  FAA on maxX or maxS; the value before is the ticket {maxX, maxS}. A reader's turn comes
//          when nX equals its maxX; a writer's when also nS equals its maxS. Until then the client
//          READs, and pauses for omega x (tickets ahead). If the counters have passed the ticket,
//          the lock was repaired meanwhile, and the acquisition fails. If the counters do not
//          change for two leases, the client repairs the lock by CAS, and the acquisition fails. A
//          failed acquisition pauses for a random backoff and returns Aborted; the caller tries
//          again. The backoff counts consecutive failures of this client on this lock (A.3).
// Release  FAA on nX or nS. If the lease is over, nothing (`suppressed`). With `late_release:
//          unless_repaired` a late client READs the word, and serves its ticket by CAS if its turn
//          has not passed, up to a lease after the end of its grant.
// Lease    A grant is valid for `lease` from the moment that acquire saw its turn, but not longer
//          than 3/2 leases after it posted the last look that did not show the turn. If that time
//          is over when the answer arrives, the acquisition fails.
// Slots    (5.1; max_slots above 1) A client that expects to hold longer takes k tickets with its
//          FAA, and returns them with one FAA of +k. Its lease is k leases. A waiter repairs after
//          2 leases for each ticket that was outstanding before its own when its FAA was served.
//          The era's last ticket is the one that crosses COUNT_MAX: before < COUNT_MAX <= before +
//          k.
// Update   (5.2; six counters) FAA on maxU. An update's turn comes when nX and nU equal its ticket,
//          whether or not readers hold; a writer's turn also requires that nU equals its ticket, a
//          reader's that nU has reached it. So readers and writers that arrive after an update wait
//          until it is released (FAA on nU), and readers that arrived before it read beside it.
// Upgrade  READs until nS equals the ticket, as a writer would; no verb if the grant has seen that
//          already. The client then holds exclusively for the rest of the lease. An upgrade ends at
//          the caller's deadline or with the lease, and leaves the update as it was. Any number of
//          clients may intend to upgrade, because updates exclude each other.
//
// Cost     Free: 2 round trips, 2 server verbs, no message. Contended: one more READ for each poll.
//          Slots need no further verb, but pauses count them, so that waiters poll more rarely. An
//          upgrade needs no verb, or a READ for each poll.
// Order    First come, first served within an era. A failed acquisition starts again, and a client
//          that finds no ticket left loses its place.
// Safe     max and n count the same things: n equals a ticket only when every client before it has
//          been served, and FAA gives each ticket once. A repair takes no lock away while its grant
//          is valid: no client has been served for two leases, so the turn of each holder came two
//          leases ago or earlier, and its last look before that was posted even earlier. With
//          slots: a client before a waiter holds no more tickets than are outstanding before the
//          waiter. An upgraded update is the only update whose turn it is, and the turn of a reader
//          whose turn has not come yet does not come.
// Needs    plain verbs; timing, unless lease is 0; masked atomics if `fields` or `entry` requires
//          them. Clocks run at about the same speed; they are never compared. A release that was
//          posted before the end of the lease takes effect within half a lease
//          (docs/verification.md, "in time").
// Survives the crash of holders and waiters, and clients that stall at any moment except between a
//          look at the clock and the verb that depends on it.
// Does not survive
//  * A release that is in flight for longer than half a lease, for example while a path is cut and
//    RC retransmits for hundreds of milliseconds: it serves one ticket too many after a repair.
//    Leases longer than RC's retries, 0.5 s, avoid this.
//  * A client that stalls for two leases between the decision to repair and its CAS, while a whole
//    era passes and leaves all counters as they were.
//  * Eras shorter than 3/2 leases. A client that looked neither during a repair nor during the era
//    after it finds its number again, and acquires beside the owner (docs/verification.md: one
//    crash, eras of 4 tickets). With 16 bits an era has 32,768 tickets, more than a lock gives out
//    in that time; with six counters and 16 slots an era has room for 32 acquisitions.
//  * Clients that all retry in one era, if there are more than COUNT_MAX - 1 at a time
//    (Limits::max_clients).
//  * The server's crash.
//
// ---- Counter-examples to the algorithm as printed (profile sigmod18), and their repairs ----
// Each was found by following the text. The default profile `repaired` has the smallest change for
// each of them, one switch apiece.
//
//  1. Overtaken reader: lost tickets without any fault. `overtaken`.
//     Entry {0,0,1,0}: writer W holds. Readers A (ticket 1,0) and B (ticket 1,1) wait. W releases:
//     {1,0,1,2}. B polls first, reads, releases: {1,1,1,2}. Now A polls and applies line 3 first:
//     prev(maxS)=0 < val(nS)=1, so A fails, although its turn had come (prev(maxX) = val(nX)). A's
//     ticket is never served: the next writer waits for nS=2 in vain, and needs two leases to
//     repair a lock on which nothing had failed.
//     Repair: test for the turn before the test for a passed ticket (`after_turn`).
//  2. Alive but not counted: mutual exclusion. `progress`.
//     Line 11 asks whether val(nX) *or* val(nS) has not changed. With writers alone nS never
//     changes. A writer at the end of a long queue sees nS unchanged for two leases while nX counts
//     up, repairs the lock although a live client holds it, and the next writer acquires beside
//     that client.
//     Repair: a change of either counter is progress (`any`).
//  3. Served by a repair: mutual exclusion, only together with change 1. `repair`.
//     Writer H (ticket 0,0) has crashed; readers A (1,0) and B (1,1) wait. B repairs: nX = 1, nS =
//     2, up to its own ticket. A finds nX = 1: its turn, by the test of change 1, although nS has
//     counted it as served. When A releases, nS is one ahead for good; a later writer is served
//     while the last reader before it still reads. (As printed A fails, which is correct here: the
//     text cannot distinguish this case from 1. In shiftlock_port it happens as described.)
//     Repair: a repair acts as one more writer that came and left, {maxX+1, maxS, maxX+1, maxS}
//     (`everyone`): nX, which readers and writers both test, passes every ticket given so far.
//  4. Zeroed while clients wait: mutual exclusion, or a client that never finishes. `repair`.
//     a) Lines 17-18 set a repaired entry to zero while later tickets still wait. Their owners do
//     not see n pass them (zero is less), wait on, and acquire when the new era reaches their
//     number, beside its new owner.
//     b) The value read before the repair may contain a ticket that is about to be undone. The undo
//     changes the word; "repeat CAS until it succeeds" then never succeeds, or succeeds while
//     another such ticket happens to make up the number, whose undo then subtracts 1 from zero:
//     with plain FAA all four counters become 65535.
//     Repair: if no tickets are left, `everyone` leaves a tombstone, nX = all ones, which passes
//     every ticket. It becomes zero after two more leases, when every waiter has seen it.
//  5. Undo after zero. `over_limit`.
//     A ticket that is taken at COUNT_MAX and undone later is a -1 in flight that no CAS can see,
//     which leads to 4b. Besides, if its owner crashes in between, or the holder of an earlier
//     ticket does, the word never equals ResetFrom and the last holder's release never ends.
//     Repair: the ticket stays (`stay`). No client waits for it; its owner READs until the era is
//     over, paced by the random backoff, and the reset compares the word as it is. The upper half
//     of the field has room for one such ticket per client and era, hence the limit on clients.
//  6. Late reset: mutual exclusion. `late_release`.
//     Algorithm 3 adds to n after the lease if the holder has to reset the entry. If other clients
//     have repaired and zeroed it meanwhile, the late +1 serves another client's ticket in the new
//     era: {0,0,2,0} becomes {1,0,2,0}, and the second writer acquires beside the first.
//     Repair: no exception (`suppress`); clients that find no tickets reset the entry after two
//     leases.
//  7. A long pause: mutual exclusion. `repair`.
//     Writer W pauses for omega x tickets ahead, longer than a lease. Every client before it
//     releases at once. Another waiter sees the counters unchanged for two leases and repairs the
//     lock just when W looks, finds its turn and acquires. This needs omega x clients beyond the
//     lease: 2,000 clients at 5 us and 10 ms.
//     Repair: no client pauses for longer than half a lease (`everyone`).
//  8. A turn that is seen late: mutual exclusion. `validity`.
//     Writer W acquires a free lock, and its client stalls, or its answer is in flight, for longer
//     than two leases. Another writer repairs the lock and acquires it. W sees its answer and
//     counts its lease from then on (`from_grant`; algorithm 3 counts the time since the lock was
//     acquired): both hold a valid lock. Neither is past its validity, so no check of leases
//     detects it. The same happens to stalled waiters: their READ was answered in time, and is seen
//     too late.
//     Repair: the lease counts from looks, whose times cannot be too late (`from_look`).
//
// Departures of every profile
//  * No acquisition ends at a deadline: a ticket that has been given can only be served.
//  * A failed CAS of a repair is repeated immediately while the served counters do not change and
//    no ticket counter has gone back. Otherwise it could hit a young era: a search found that with
//    3-bit tickets, a repair that lands late, and two holders.
//  * In `repaired` the last holder gives up its reset when another client has ended the era.
//  * Fields that do not fill the word are at its top; the authors' six begin at bit 0.
//  * Heartbeats (4.7: every 10 s between nodes, a failure shows in a completion queue) are left
//    out. In the authors' code they are READs that detect a dead lock manager, which a standby
//    replaces with a table of its own. Here a lock stays in its place for the whole run and no node
//    replaces a server, so that a client's next verb tells it everything that a heartbeat could,
//    and earlier (server_failed). Leases cover clients that crash, alone or with their node.
//
// Guesses where the paper is silent
//  * 5.1: k is the hold that the caller expects, in leases, rounded up so that some time is left,
//    and at most max_slots. The paper states that the lease is proportional to the outstanding
//    tickets, but not the unit (its longest lease, tickets x omega, would make it omega). The unit
//    here is `lease`, as in the authors' code (2 limits for each ticket ahead, as last read). A
//    client without a ticket, and the last holder, count in the same way.
//  * 5.2: what each mode waits for. A reader waits until nU has *reached* its ticket. With equality
//    it would lose its place to an update that arrived after it, had its turn at the same time and
//    released before the reader looked (planted bug dslr_reader_waits_for_one_update); the upgrade
//    of such an update waits for the reader. The lease of an upgraded lock is the update's. A
//    repair passes updates like all others (nX), and `both` requires three counters. In the
//    authors' code an update waits for readers before it is granted, and there is no upgrade: it is
//    an exclusive lock by another name.
//  * Pauses: in the authors' code, 20 us for each writer or update ahead and, for writers, each ten
//    readers (two, with six counters), at most 1 ms (longest_pause), and none unless requested.
//    Their tests have the order of `after_turn`, and any counter is progress: their code has
//    neither counter-example 1 nor 2.
//
// `fields`: a counter is changed by plain FAA (as in the paper: +1, or -1 as two's complement,
// which borrows nothing unless its field is 0) or by masked FAA.
//
// shiftlock_port is the port that ShiftLock measured: 16 bytes, 32-bit counters that wrap around
// (no era, no reset), a pause before each READ, readers' pauses that count writers only, no random
// backoff, progress `both`, own_ticket, and a release that does not check the lease (1 s, except in
// its failure experiment). It has counter-examples 2, 3 and 8.
//
// Tests: tests/protocols/dslr; results of searches also in tests/explore.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry dslr_entry();
}  // namespace latchlab
