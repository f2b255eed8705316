#pragma once
// dslr: a ticket lock for readers and writers, all in one word, with leases.
// Source: Yoon, Chowdhury and Mozafari, "Distributed Lock Management with RDMA: Decentralization
// without Starvation" (SIGMOD'18), algorithms 1 to 3, sections 5.1 and 5.2, appendix A.3. Code of
// its authors: github.com/dongyoungy/rdma_2pc, 152a2a7, src/new_proto4/d2lm_*.
//
// Entry, 8 bytes: four counters of ticket_bits (16) each, from the top down (ticket_word.h)
//   nX    exclusive tickets served: +1 (FAA) by each writer's release
//   nS    shared tickets served: +1 (FAA) by each reader's release
//   maxX  next exclusive ticket: +1 (FAA) by each writer that arrives
//   maxS  next shared ticket: +1 (FAA) by each reader that arrives
//   with `counters` six, of 10 bits at most (update_locks), also nU above and maxU between nS and
//   maxX: update tickets served, and the next one.
//   All at once are written by the CAS of a repair or of a reset to zero.
// COUNT_MAX = 2^(ticket_bits-1). A counter that has reached it gives no more tickets: an *era*
// ends, and the holder of its last ticket sets the entry to zero once everybody has been served.
//
// Acquire  FAA on maxX or maxS; the value before is the ticket {maxX, maxS}. A reader's turn comes
//          when nX equals its maxX; a writer's when also nS equals its maxS. Until then READ, then
//          pause for omega x (tickets ahead). Counters beyond the ticket: the lock was repaired
//          meanwhile, fail. Counters that stand still for two leases: repair the lock by CAS, fail.
//          A failure is preceded by a random backoff and ends as Aborted; the caller tries again.
//          The backoff counts failures in a row of this client on this lock (A.3).
// Release  FAA on nX or nS, unless the lease is over: then nothing (`suppressed`). With
//          `late_release: unless_repaired` a client that is late READs the word, and serves its
//          ticket by CAS if its turn has not passed, up to a lease after its grant has ended.
// Lease    a grant is valid for `lease` from the moment that acquire saw its turn, and not for
//          longer than 3/2 leases from the posting of the last look that did not see it. Where that
//          is over when the answer is seen, the acquisition fails.
// Slots    (5.1; max_slots above 1) a client that expects to hold for longer takes k tickets with
//          its FAA, and gives them back with one FAA of +k. Its lease is k leases; a waiter repairs
//          after 2 leases for each ticket outstanding before its own, as its FAA saw them. The
//          era's last ticket is the one that crosses COUNT_MAX: before < COUNT_MAX <= before + k.
// Update   (5.2; six counters) FAA on maxU. An update's turn comes when nX and nU equal its ticket,
//          readers or not; a writer's when nU does as well; a reader's when nU has reached it. So
//          readers and writers that come after an update wait until it is released (FAA on nU), and
//          readers that came before read beside it. Upgrade: READs until nS equals the ticket, as a
//          writer would; without a verb where the grant has seen that. What is held then is
//          exclusive, for the rest of the lease. An upgrade ends at the caller's deadline or with
//          the lease, and leaves the update as it was; any number of clients may have one in mind,
//          since updates exclude each other.
//
// Cost     free: 2 round trips, 2 server verbs, no message. Contended: one READ more for each poll.
//          Readers share. First come, first served within an era, except that failed acquisitions
//          start anew; who finds no tickets left has lost its place. Slots cost no verb more, but
//          pauses count them: waiters look more rarely. An upgrade costs no verb, or a READ
//          for each poll.
// Safe     because max and n count the same things: n equals a ticket only when everybody before it
//          has been served, and FAA gives each ticket once. A repair takes nobody's lock away while
//          the grant is valid: nothing has been served for two leases, so the turn of each holder
//          came two leases ago or earlier, and its last look before that was posted earlier still.
//          With slots: who is before a waiter holds no more tickets than are outstanding before it.
//          An update that is upgraded is the only one whose turn it is, and no reader's turn comes
//          that has not come before.
// Needs    plain verbs; timing, unless lease is 0; masked atomics where `fields` or `entry` say so.
//          Clocks that run at about the same speed; they are never compared. A release that was
//          posted before the end of the lease takes effect within half a lease
//          (docs/verification.md, "in time").
// Survives the crash of holders and waiters, and clients that stand still at any moment but between
//          a look at the clock and the verb that depends on it.
// Does not survive
//  * a release that is on its way for longer than half a lease, as when a path is cut and RC sends
//    it again for hundreds of milliseconds: it serves a ticket too many after a repair. Leases
//    longer than RC's retries, 0.5 s, are not touched by that.
//  * a client that stands still for two leases between the decision to repair and its CAS, while a
//    whole era goes by and leaves all counters as they were.
//  * eras that are shorter than 3/2 leases. A client that has looked neither during a repair nor
//    during the era after it finds its number again, and enters beside the owner
//    (docs/verification.md: one crash, eras of 4 tickets). With 16 bits an era has 32,768 tickets,
//    which no lock gives out in that time; with six counters and 16 slots it has room for 32
//    acquisitions.
//  * clients that all retry in one era more than COUNT_MAX - 1 at a time (Limits::max_clients).
//  * the server's crash.
//
// ---- Counter-examples to the algorithm as printed (profile sigmod18), and their repairs ----
// Each was found by following the text; the default profile `repaired` has the smallest change for
// each of them, one switch apiece.
//
//  1. Overtaken reader: lost tickets without any fault. `overtaken`.
//     Entry {0,0,1,0}: writer W holds. Readers A (ticket 1,0) and B (ticket 1,1) wait. W releases:
//     {1,0,1,2}. B polls first, reads, releases: {1,1,1,2}. Now A polls and applies line 3 first:
//     prev(maxS)=0 < val(nS)=1, so it fails, though it was its turn (prev(maxX) = val(nX)). Its
//     ticket is never served: the next writer waits for nS=2 in vain and needs two leases to repair
//     a lock on which nothing had failed.
//     Repair: test for the turn before the test for a passed ticket (`after_turn`).
//  2. Alive but not counted: mutual exclusion. `progress`.
//     Line 11 asks whether val(nX) *or* val(nS) has stood still. With writers alone nS never moves.
//     A writer at the end of a long queue sees nS unchanged for two leases while nX counts up,
//     repairs the lock over the head of a live holder, and the next one enters beside it.
//     Repair: either counter that changes is progress (`any`).
//  3. Saved by a repair: mutual exclusion, only together with change 1. `repair`.
//     Writer H (ticket 0,0) has crashed; readers A (1,0), B (1,1) wait. B repairs: nX = 1, nS = 2,
//     everything up to its own ticket. A finds nX = 1: its turn, by the test of change 1, although
//     nS has counted it as served. When A releases, nS is one ahead for good; a later writer is
//     served while the last reader before it still reads. (Printed, A fails, as it should: the
//     text cannot tell this case from 1. In shiftlock_port it happens as described.)
//     Repair: a repair acts as one more writer that came and went, {maxX+1, maxS, maxX+1, maxS}
//     (`everyone`): every ticket that is out is passed by nX, which readers and writers both test.
//  4. Zero under the feet of waiters: mutual exclusion, or a client that never ends. `repair`.
//     a) Lines 17-18 set a repaired entry to zero while tickets beyond the own one still wait. They
//        do not see n pass them (zero is less), wait on, and enter when the new era reaches their
//        number, beside its new owner.
//     b) The value read before the repair may contain a ticket that is about to be undone. The undo
//        changes the word; "repeat CAS until it succeeds" then never does, or succeeds while
//        another such ticket happens to make up the number, whose undo then takes 1 from zero:
//        with plain FAA all four counters become 65535.
//     Repair: without tickets left, `everyone` leaves a tombstone, nX = all ones, which passes
//     every ticket. It becomes zero after two more leases, when every waiter has seen it.
//  5. Undo after zero. `over_limit`.
//     A ticket that is taken at COUNT_MAX and undone later is a -1 under way that no CAS can see;
//     4b is what it does. Besides, if its owner crashes in between, the word never equals ResetFrom
//     and the last holder's release never ends.
//     Repair: the ticket stays (`stay`). Nobody waits for it; its owner READs until the era is
//     over, paced by the random backoff, and the reset compares the word as it is. One such ticket
//     per client and era fits in the upper half of the field, hence the limit on clients.
//  6. Late reset: mutual exclusion. `late_release`.
//     Algorithm 3 adds to n after the lease when the holder has to reset the entry. If the others
//     have repaired and zeroed it meanwhile, the late +1 serves somebody's ticket in the new era:
//     {0,0,2,0} becomes {1,0,2,0}, and the second writer enters beside the first.
//     Repair: no exception (`suppress`); those who find no tickets reset the entry after two
//     leases.
//
//  7. A long pause: mutual exclusion. `repair`.
//     Writer W pauses for omega x tickets ahead, longer than a lease. Everybody before it leaves at
//     once; another waiter sees the counters stand still for two leases and repairs the lock, just
//     when W looks, finds its turn and enters. Needs omega x clients beyond the lease: 2,000
//     clients at 5 us and 10 ms. Repair: nobody pauses for longer than half a lease (`everyone`).
//
//  8. A turn that is seen late: mutual exclusion. `validity`.
//     Writer W takes a free lock, and its client stands still, or its answer is under way, for
//     longer than two leases. Another writer repairs the lock and enters. W sees its answer, and
//     counts its lease from then on (`from_grant`; algorithm 3 counts the time since the lock was
//     acquired): both hold a lock that is valid. Neither is past its validity, so that no check of
//     leases tells. Waiters that stand still are the same: their READ was answered in time, and is
//     seen too late.
//     Repair: the lease counts from looks, whose dates cannot be too late (`from_look`).
//
// Departures of every profile. No acquisition ends at a deadline: a ticket that is out can only be
// served. A failing CAS of a repair is tried again at once while the counters served stand still
// and no ticket counter has gone back (else it can hit a young era: a search found that with 3-bit
// tickets, a repair that lands late, and two inside).
// In `repaired` the last holder gives up its reset when somebody else has ended the era. Fields
// that do not fill the word stand at its top; the authors' six begin at bit 0.
// Heartbeats (4.7: every 10 s between nodes, a failure shows in a completion queue) are left out.
// In the authors' code they are READs that find a dead lock manager, whose place a standby takes
// with a table of its own. Here a lock stays where it is for the whole run, and nobody takes a
// server's place: all that a heartbeat could tell a client, its next verb tells it, earlier
// (server_failed). Clients that die, alone or with their node, are what leases are for.
//
// Guesses, where the paper is silent. 5.1: k is the hold that the caller expects, in leases,
// rounded up to leave some over, and max_slots at the most; the paper says that the lease is
// proportional to the tickets outstanding, not to which unit (its longest lease, tickets x omega,
// would make it omega): we take `lease`, and so do the authors (2 limits for each ticket ahead, as
// last read). A client without a ticket, and the last holder, count in the same way.
// 5.2: what each of the three waits for. A reader waits until nU has *reached* its ticket: with
// equality it would lose its place to an update that came after it, whose turn came at the same
// time and who left before the reader looked (planted bug dslr_reader_waits_for_one_update); the
// upgrade of such an update waits for the reader. The lease of an upgraded lock is the update's. A
// repair passes updates like everybody (nX), and `both` asks for three counters. In the authors'
// code an update waits for readers before it is granted, and there is no upgrade: an exclusive lock
// by another name.
// The authors' pauses are 20 us for each writer or update ahead and, for writers, each ten readers
// (two, with six counters), 1 ms at the most (longest_pause), and none unless asked for. Their
// tests stand in the order of `after_turn`, and any counter is progress: they have neither
// counter-example 1 nor 2.
//
// `fields` says whether one counter is changed by plain FAA (as in the paper: +1, or -1 as two's
// complement, which borrows nothing unless its field is 0) or by masked FAA.
// shiftlock_port is the port that ShiftLock measured: 16 bytes, 32-bit counters that run round (no
// era, no reset), pause before each READ, readers' pauses count writers only, no random backoff,
// progress `both`, own_ticket, release without a look at the lease (1 s, except in its failure
// experiment). It has counter-examples 2, 3 and 8.
//
// Tests: tests/protocols/dslr; what searches find of it, tests/explore as well.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry dslr_entry();
}  // namespace latchlab
