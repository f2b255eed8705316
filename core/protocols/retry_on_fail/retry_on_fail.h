#pragma once
// retry_on_fail: a reader-writer lock in one word without a queue. Writers acquire it by CAS,
// readers add themselves to a count by FAA. A client that meets a conflict undoes its change and
// tries again.
// Source: Retry-on-Fail, a baseline of DSLR (SIGMOD'18) 6.1. DSLR gives this name to the lock of
// Chung and Zamanian, "Using RDMA for Lock Management" (arXiv 1507.03274, 2015).
//
// Reconstructed: the report itself was not available. The lock follows
//  * DSLR 2.2.2, figure 1: the 64-bit word. The upper half holds the exclusive owner (CAS), the
//    lower half the number of shared holders (FA).
//  * DSLR 6.1: CAS for exclusive and FA for shared acquisition, retried in all cases of conflict.
//    DSLR added a timeout, "maximum number of retries", to every baseline and tuned it for each
//    run.
//  * DSLR A.3: the random backoff after a timeout.
//  * The code of DSLR's first author (github.com/dongyoungy/rdma_2pc, 152a2a7, src/new_proto4):
//    what a reader does that finds a writer, by one of two rules; how a writer releases; that with
//    random backoff a pause precedes each retry; and how many retries its scripts allow: 10 for
//    this lock when another lock is measured, 10 to 100,000 when this one is. Its lock mode
//    simple_retry sets rule `fail`; `poll` is the rule of its DrTM.
// DecLock's caslock is another implementation of the same report. In it, readers keep their counts.
// Both locks share the client part (core/protocols/caslock/client.h), the entry and the word.
//
// Entry, 8 bytes
//   bits 63..32  owner: 0, or the client id + 1 of the writer that holds the lock. Set by that
//                writer's CAS, cleared by its FAA or CAS (`writer_release`).
//   bits 31..0   count of readers that hold the lock, and of readers whose try has failed and that
//                have not yet taken their count back. +1 and -1 by FAA of each reader.
//
// Acquire  A writer repeats CAS(0 -> itself, no readers) until it succeeds. A reader issues FAA +1;
//          if the FAA saw an owner, `reader_conflict` decides:
//            withdraw     FAA -1, and a new try (the code's rule `fail`)
//            stay         the count stays, and the reader READs until there is no owner (caslock)
//            first_looks  a reader whose FAA saw an owner and no count takes its count back, READs
//                         without a pause until there is no owner, and starts again with FAA +1;
//                         any other reader withdraws (the code's rule `poll`)
//            first_stays  a reader whose FAA saw an owner and no count stays; any other reader
//                         withdraws (rule `poll` in an earlier version, 066a66d)
// Release  A reader: FAA -1. A writer, by `writer_release`:
//            exact     CAS(itself, no readers -> 0) until it succeeds (the code)
//            tracking  CAS(itself, n readers -> n readers) with the n seen last (DecLock artifact)
//            subtract  FAA of -owner: one verb, whatever the count does (ours)
// Backoff  none: tries follow immediately (DSLR 6.1). random: before retry c = 1, 2, .. of an
//          acquisition the client pauses for a time uniform in [0, min(R * 2^(c-1), L)) (the code).
// Timeout  An acquisition ends after `timeout_tries` failed tries; 0: no limit. Nothing of it stays
//          in the word. The client sleeps for the random backoff of A.3 (c: its consecutive
//          timeouts on this lock), at most until the deadline, and returns Aborted{too_many}. The
//          caller may try again, or release its other locks.
// Deadline Checked between two tries, when the word holds nothing of this client. A reader that
//          stays takes its count back.
//
// Cost     Free: 2 round trips, 2 server verbs, no message, in either mode. Contended: for each
//          failed try one more CAS of a writer, two more FAA of a reader.
// Safe     As caslock: a writer acquires only when its CAS finds neither owner nor count; a reader
//          acquires only when its FAA finds no owner, and its count is in the word from then on. A
//          count that is about to be taken back delays writers without need, and lets no client
//          acquire. FAA of -owner removes exactly what the writer's CAS put there.
// Fairness None: readers starve writers (DSLR 3.1, figure 12), and fast clients starve slow ones
//          (figure 13). A reader that has withdrawn keeps no place, and writers bypass it too.
// Needs    plain verbs. No clock assumption.
// Does not survive the crash of a holder, or of a reader between its two FAA.
//
// ---- A defect of the release as coded (profiles sigmod18, dslr_paper, dslr_code) ----
// Failing readers delay the writer that makes them fail: `writer_release`.
//     Writer W holds the lock, and readers try all the time. Each reader is counted for about half
//     of the time, between its FAA +1 and its FAA -1. W releases by a CAS that expects no reader.
//     If k readers try at random, the CAS finds none of them in one of 2^k tries. But they do not
//     try at random: atomics on one word are served one after the other, so clients that retry
//     immediately fall into step, and W sees the same counts in turn. Until W's CAS succeeds, all
//     readers fail because W holds the lock. In the simulator this livelock stops a hot lock in
//     some runs from 5 clients on, and in most runs with 80 clients half of whose operations read:
//     all clients run at full speed, and none completes an operation in 40 ms
//     (scenarios/whatif/held-up.yaml). A search does not find it, because an order in which the CAS
//     succeeds always remains.
//     The timeout of dslr_paper ends the livelock, at a price: readers sleep, and leave the word
//     alone meanwhile. `tracking` does not help: the count changes as often between two CAS of W,
//     and 5 clients hang.
//     Repair: FAA, which cannot fail (`subtract`, profile `repaired`, the default).
//     While readers stay, counts do not go up and down, and tracking ends. `exact` then waits for
//     readers that wait for the writer, until they time out; without a timeout this combination is
//     rejected. With `first_looks` one of the arriving readers is quiet until the writer has
//     released.
// Can a writer's CAS succeed under a stream of failing readers? Only if it finds neither owner nor
// count, that is, after the owner has released; but then readers do not fail, they acquire. So a
// writer waits for a moment without any reader, failed or not, as DSLR 3.1 states, and this wait
// has no bound.
//
// Departures and guesses
//  * DSLR's figure 12 describes a writer that repeats its CAS with the count of readers that it has
//    found. DSLR does not say what the writer would do when that succeeds, and its authors' code
//    does not do it; neither does this lock.
//  * In that code a writer's count of failed tries stays at its limit after a timeout until the
//    writer acquires a lock, so that each further failure is a timeout. Here the count restarts, as
//    the reader's does there too.
//  * There one counter c serves both the pauses between tries and those after timeouts, for a whole
//    transaction. Here each has its own: one counts the tries of an acquisition, the other the
//    consecutive timeouts of the client on the lock. Pauses there are whole microseconds.
//  * Only the code shows how a writer releases. That readers withdraw follows from DSLR 2.2.2,
//    which lists the report among the locks whose transactions fail on conflict and try again, and
//    is what the code's mode does. In DecLock's version of the report readers stay and READ.
//  * In the code, READs of rule `poll` count as retries, and in 152a2a7 their number is never
//    checked. Here only the tries before and after them count. `first_stays` counts each READ.
//  * dslr_paper sleeps after timeouts and not between retries; in the code one flag controls both.
//  * There the process exits if a release finds the lock owned by another client. That cannot
//    happen here.
//  * timeout_tries of dslr_paper and dslr_code is the script's 10, although the paper varied it for
//    each run. R and L are those of A.3.
//
// Tests: tests/protocols/retry_on_fail; tests/protocols/caslock for the word and its limits.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry retry_on_fail_entry();
}  // namespace latchlab
