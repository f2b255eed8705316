#pragma once
// dslr_plus: the tickets of dslr, waited for with truncated exponential backoff instead of pauses
// by tickets ahead, and without leases.
// Source: DSLR+ of DecLock (arXiv 2505.17641) 2.3 and 6.1, which joins DSLR (SIGMOD'18) with the
// backoff of SMART (ASPLOS'24) and says no more; what follows is what its artifact does
// (github.com/dracit7/declock, c3d0db2, lock/dslr).
//
// Entry    8 bytes, as dslr.h: nX nS maxX maxS of 16 bits (ticket_bits) from the top down. nX and
//          nS +1 by FAA of releases, maxX and maxS +1 by FAA of arrivals and -1 by FAA of those
//          that found no ticket left; all to zero by the CAS that ends an era.
// Acquire  FAA on maxX or maxS; the value before is the ticket. A reader's turn comes when nX
//          equals its maxX, a writer's when also nS equals its maxS. Until then READ, and after the
//          k-th READ (k = 0, 1, ..) pause for min(t0 << k, bound) + a random part below
//          backoff_jitter. The bound begins at t0 << 5. Every adapt_interval it halves when fewer
//          than half of all tries (an acquisition, and each READ that found it not to be its turn)
//          were retries, and doubles when more than 70% were.
// Release  FAA on nX or nS.
// Era      a max counter that has reached COUNT_MAX = 2^(ticket_bits-1) gives no tickets. Who takes
//          one nevertheless takes it back by FAA -1, READs without pause until the era is over, and
//          begins anew. The owner of the last ticket, once it has released, tries CAS(what the
//          counters are when all are served and none is under way -> 0) until it succeeds.
// Cost     free: 2 round trips, 2 server verbs, no message. Contended: a READ for each poll.
//          Without a ticket: 2 verbs, and READs.
// Safe     because n equals a ticket only when everybody before it has been served, FAA gives each
//          ticket once, and an era ends only when nobody has a ticket: a ticket that is to be taken
//          back is in the word, so that the CAS does not match.
// Order    first come, first served within an era; who found no tickets has lost its place.
// Needs    plain verbs. No clock assumption.
// Does not survive the crash of a client that waits, holds, or has yet to take a ticket back or end
//          an era: the others wait for ever. More than COUNT_MAX - 1 clients (a carry into the next
//          counter). Acquisitions do not end at deadlines.
//
// ---- Defects of the artifact (profile declock_artifact), and their repairs ----
//
//  1. A ticket that nobody looks at: everybody waits for ever. `rejoin_ticket`. The ticket that is
//     taken after the wait for a new era may be the new era's last one, or already beyond it. The
//     artifact treats it as any other: nobody ends that era, or its owner waits for a turn that
//     does not come. Needs as many clients as an era has tickets to try again at once, or one that
//     does so late in the new era. Repair: look at it like at the first one (`checked`).
//  2. Two tickets left: a client waits for ever. `rejoin_at`. Who waits for the new era does so
//     until both max counters are below COUNT_MAX - 1. If the others use up an era but for its last
//     ticket meanwhile and want no more, it never tries. Repair: COUNT_MAX (`one_ticket`).
//  3. Pauses are forgotten: load, where there should be less. `forgets_after`. t is doubled for
//     each READ without limit in 64 bits: 100 ns is 0 after 62 READs, and from then on there is the
//     random part alone. Repair: none doubles beyond its bound (0).
//
// Departures of every profile. In the artifact the cores of a node count retries and acquisitions
// together, each has a bound, and the one that waits when the interval is over moves its own; here
// each client counts, and moves its bound when it has the lock. Its random parts come from
// generators that all cores seed alike; here each client has its own. The share counts what was
// since the start (`share`: lifetime), as there: it moves less and less.
// Guesses: none.
//
// Files: the machine is dslr's (core/protocols/dslr/client.h). Tests: tests/protocols/dslr_plus.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry dslr_plus_entry();
}  // namespace latchlab
