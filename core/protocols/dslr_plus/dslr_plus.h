#pragma once
// dslr_plus: the tickets of dslr without leases. Waiting clients pause by truncated exponential
// backoff instead of by tickets ahead.
// Source: DSLR+ of DecLock (arXiv 2505.17641) 2.3 and 6.1, which combines DSLR (SIGMOD'18) with the
// backoff of SMART (ASPLOS'24) and gives no further details; this lock follows its artifact
// (github.com/dracit7/declock, c3d0db2, lock/dslr).
//
// Entry    8 bytes, as in dslr.h: nX nS maxX maxS of 16 bits (ticket_bits) from the top down.
//   nX, nS      +1 by FAA of releases
//   maxX, maxS  +1 by FAA of arrivals, -1 by FAA of clients that found no ticket left
//   all         to zero by the CAS that ends an era
// Acquire  FAA on maxX or maxS; the value before is the ticket. A reader's turn comes when nX
//          equals its maxX, a writer's when also nS equals its maxS. Until then the client READs,
//          and after the k-th READ (k = 0, 1, ..) pauses for min(t0 << k, bound) + a random part
//          below backoff_jitter. The bound starts at t0 << 5. Every adapt_interval it halves if
//          less than half of all tries (acquisitions, and READs that did not show the turn) were
//          retries, and doubles if more than 70% were.
// Release  FAA on nX or nS.
// Era      A max counter that has reached COUNT_MAX = 2^(ticket_bits-1) gives no tickets. A client
//          that takes one nevertheless undoes it by FAA -1, READs without a pause until the era is
//          over, and starts again. The owner of the last ticket, after its release, repeats CAS(the
//          counters when all are served and none is to be undone -> 0) until it succeeds.
// Cost     Free: 2 round trips, 2 server verbs, no message. Contended: a READ for each poll.
//          Without a ticket: 2 verbs, and READs.
// Safe     n equals a ticket only when every client before it has been served, FAA gives each
//          ticket once, and an era ends only when no client has a ticket: a ticket that is still to
//          be undone is in the word, so that the CAS does not match.
// Order    First come, first served within an era. A client that finds no ticket left loses its
//          place.
// Needs    plain verbs. No clock assumption.
// Does not survive the crash of a client that waits, holds, or has yet to undo a ticket or end an
//          era: the other clients wait for ever. Nor more than COUNT_MAX - 1 clients (a carry into
//          the next counter), nor a server that comes back without its memory while clients hold:
//          two may hold then. Acquisitions do not end at deadlines.
//
// ---- Defects of the artifact (profile declock_artifact), and their repairs ----
//
//  1. An unchecked ticket: all clients wait for ever. `rejoin_ticket`.
//     The ticket that a client takes after the wait for a new era may be the new era's last one, or
//     already beyond it. The artifact treats it as any other: then no client ends that era, or the
//     ticket's owner waits for a turn that does not come. It takes as many clients as an era has
//     tickets that retry at once, or one that retries late in the new era. Repair: check it like
//     the first ticket (`checked`).
//  2. Two tickets left: a client waits for ever. `rejoin_at`.
//     A client that waits for the new era waits until both max counters are below COUNT_MAX - 1. If
//     the other clients use up all tickets of an era except the last one meanwhile, and want no
//     more, it never tries. Repair: COUNT_MAX (`one_ticket`).
//  3. Pauses that reset themselves: more load where there should be less. `forgets_after`.
//     t is doubled for each READ without limit in 64 bits: 100 ns is 0 after 62 READs, and from
//     then on only the random part remains. Repair: no doubling beyond the bound (0).
//
// Departures of every profile
//  * In the artifact the cores of a node share the counts of retries and acquisitions, each core
//    has a bound, and the core that waits when the interval ends adjusts its own. Here each client
//    counts, and adjusts its bound when it has acquired the lock.
//  * All cores there seed their random generators alike; here each client has its own.
//  * The share counts from the start of the run (`share`: lifetime), as there: it changes more and
//    more slowly.
// Guesses: none.
//
// Files: client.h; the rules of tickets are dslr's (core/protocols/dslr/rules.h). Tests:
// tests/protocols/dslr_plus.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry dslr_plus_entry();
}  // namespace latchlab
